#include "lab/ssh_files.hpp"

#include <sstream>
#include <stdexcept>

#include <fmt/format.h>

#include "base/file.hpp"
#include "lab/command.hpp"
#include "lab/files.hpp"
#include "lab/node.hpp"
#include "lab/state.hpp"

namespace diag::lab {
namespace {

namespace fs = std::filesystem;

const fs::path keys_folder = fs::path(state_folder) / "keys";  // as `up` made them; a fault changes copies

// Keys are made once: what runs in the lab goes on knowing the nodes after a `mend`.
fs::path key(const std::string& whose) {
    fs::path path = keys_folder / whose;
    if (fs::exists(path) && fs::exists(path.string() + ".pub")) return path;
    fs::create_directories(keys_folder);
    fs::remove(path);
    run({"ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-C", whose, "-f", path.string()});
    return path;
}

std::string public_key(const std::string& whose) { return base::read_file(key(whose).string() + ".pub", 4096); }

void put(const fs::path& path, const std::string& text, mode_t mode = 0644) {
    fs::remove(path);
    base::write_new_file(path, text, mode);
}

std::string client_config() {
    return fmt::format(
        "# For logins from one of the lab's nodes to another: ssh -F {0}/config node-b\n"
        "Host *\n    User root\n    IdentityFile {0}/id_ed25519\n    IdentitiesOnly yes\n    IdentityAgent none\n"
        "    UserKnownHostsFile {0}/known_hosts\n    GlobalKnownHostsFile /dev/null\n",
        ssh_folder);
}

std::string known_hosts(const Topology& lab) {
    std::string text;
    for (const std::string& node : lab.nodes) text += known_hosts_lines(lab, node, public_key(machine_of(node)));
    return text;
}

void put_client_files(const fs::path& folder, const std::string& hosts) {
    fs::create_directories(folder);
    put(folder / "config", client_config());
    put(folder / "known_hosts", hosts);
    put(folder / "id_ed25519", base::read_file(key("user"), 4096), 0600);
    put(folder / "id_ed25519.pub", public_key("user"));
}

// Where diag and diag-worker are: beside the program that runs now.
std::string own_folder() { return fs::read_symlink("/proc/self/exe").parent_path(); }

}  // namespace

bool knows_penalties() {
    try {
        run({"sshd", "-G", "-f", "/dev/null", "-o", "PerSourcePenalties=no"});
        return true;
    } catch (const CommandFailed&) {
        return false;
    }
}

fs::path ssh_folder_of(const std::string& node) { return fs::path(state_folder) / "nodes" / machine_of(node); }

std::string known_hosts_lines(const Topology& lab, const std::string& node, const std::string& host_key) {
    std::string names;
    for (const Wire& wire : lab.wires)
        for (const End& end : wire.ends)
            if (end.node == node) names += fmt::format("{},{},{},{},", end.name, short_name(end.name), end.v4, end.v6);
    std::istringstream words(host_key);
    std::string type, key;
    words >> type >> key;
    names.pop_back();
    return fmt::format("{} {} {}\n", names, type, key);
}

std::string sshd_config(const std::string& node, const std::string& programs, bool penalties) {
    std::string environment;
    auto variables = node_environment(node);
    variables.emplace_back("PATH", programs + ":/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin");
    for (const auto& [name, value] : variables) {
        if (value.find_first_of("\"\\\n") != std::string::npos) throw std::runtime_error("no sshd can be told this folder: " + programs);
        environment += fmt::format(" \"{}={}\"", name, value);
    }
    return fmt::format(
        "# The sshd of {1} in the lab.  Every `diag lab mend` makes it anew.\n"
        "HostKey {0}/host_key\nPidFile {0}/sshd.pid\nAuthorizedKeysFile {0}/authorized_keys\n"
        "StrictModes yes\nUsePAM no\nPermitRootLogin prohibit-password\nPasswordAuthentication no\n"
        "KbdInteractiveAuthentication no\nUseDNS no\nPrintMotd no\nPrintLastLog no\nPermitUserRC no\n"
        "MaxStartups 200\nMaxSessions 200\n{2}Subsystem sftp internal-sftp\nSetEnv{3}\n",
        ssh_folder, machine_of(node), penalties ? "PerSourcePenalties no\n" : "", environment);
}

std::string passwd_of_node(const std::string& machines_own) {
    std::istringstream before(machines_own);
    std::string after, line;
    while (std::getline(before, line))
        if (!line.starts_with("root:")) after += line + "\n";
    return fmt::format("root:x:0:0:root:{}:/bin/bash\n", ssh_folder) + after;
}

void renew_ssh_files(const Topology& lab) {
    const std::string hosts = known_hosts(lab), programs = own_folder();
    put_client_files(ssh_folder, hosts);
    fs::create_directories(etc_ssh_folder);
    put(fs::path(etc_ssh_folder) / "ssh_config", fmt::format("Include {}/config\n", ssh_folder));
    put(fs::path(etc_ssh_folder) / "sshd_config", fmt::format("Include {}/sshd_config\n", ssh_folder));
    const bool penalties = knows_penalties();
    const std::string passwd = passwd_of_node(base::read_file("/etc/passwd", 1 << 20));
    for (const std::string& node : lab.nodes) {
        const fs::path folder = ssh_folder_of(node);
        fs::create_directories(folder);
        // The folder itself stays: shells in the lab have it bound over their own.
        for (const auto& entry : fs::directory_iterator(folder)) fs::remove_all(entry.path());
        fs::permissions(folder, fs::perms(0755));
        write_node_file(node, "passwd", passwd);
        put_client_files(folder, hosts);
        put(folder / "authorized_keys", public_key("user"));
        put(folder / "host_key", base::read_file(key(machine_of(node)), 4096), 0600);
        put(folder / "host_key.pub", public_key(machine_of(node)));
        put(folder / "sshd_config", sshd_config(node, programs, penalties));
    }
}

}  // namespace diag::lab
