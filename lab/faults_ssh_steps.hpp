// Steps that faults of logins are made of: changes to one node's ssh files (ssh_files.hpp), and to b's server.
#pragma once

#include <string>
#include <vector>

#include "lab/faults.hpp"
#include "lab/ssh_files.hpp"

namespace diag::lab::logins {

using Steps = std::vector<Step>;

// A public key that nobody has the other half of.
inline const std::string lost_key = "ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIB9bsPe0KsaDuSJOG0e6bHqs4h7ieIK1MVFZGCZ11Jzb lost";

inline std::string file(const std::string& node, const std::string& name) { return ssh_folder_of(node) / name; }

inline Step edit(const std::string& node, const std::string& name, const std::string& script) {
    return {node, {"sed", "-i", "-e", script, file(node, name)}, {}};
}
inline Step write(const std::string& node, const std::string& name, const std::string& text) {
    return {node, {"tee", file(node, name)}, text + "\n"};
}
inline Step append(const std::string& node, const std::string& name, const std::string& text) {
    return {node, {"tee", "-a", file(node, name)}, text + "\n"};
}
inline Step remove(const std::string& node, const std::string& name) { return {node, {"rm", "-f", "--", file(node, name)}, {}}; }

inline Step server(const std::string& verb) { return {"b", {"sshd", verb}, {}}; }

// More settings of b's sshd, or one of a's ssh: for both the first value of a keyword counts (for sshd's MaxStartups the last).
inline Steps server_has(const std::vector<std::string>& lines) {
    Steps steps;
    for (const auto& line : lines) steps.push_back(edit("b", "sshd_config", "1i " + line));
    steps.push_back(server("again"));
    return steps;
}
inline Step client_has(const std::string& line) { return edit("a", "config", "1i " + line); }

inline Steps joined(Steps first, const Steps& more) {
    first.insert(first.end(), more.begin(), more.end());
    return first;
}

}  // namespace diag::lab::logins
