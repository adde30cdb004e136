// How far one login came, read from what `ssh -v` wrote about itself.  Not for judging it: classify.hpp.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace diag::ssh {

// The steps of a login, in their order; each is known by the line that ssh writes when it is reached.
enum class Stage {
    started,
    connecting,      // the name has an address
    connected,       // TCP stands, or a proxy runs
    greeted,         // the peer said which SSH it speaks
    proven,          // the peer's host key was sent
    encrypted,       // the key exchange is done
    authenticating,  // the peer said which methods it takes
    authenticated,
    running,  // the command was sent
};

struct Trace {
    Stage stage = Stage::started;
    std::string address, port;          // where it connected to; "" with a proxy
    std::string proxy;                  // the command that ssh connects by
    std::vector<std::string> greeting;  // what the peer said in place of, or before, its identification
    std::string host_key;               // "ssh-ed25519 SHA256:..."
    std::string software;               // "OpenSSH_9.2p1 Debian-2"
    std::vector<std::string> methods;   // what the peer takes, as it said last
    bool keys_asked = false;            // ssh began to try keys at all
    std::vector<std::string> offered;   // public keys: "PATH ED25519 SHA256:..."
    std::vector<std::string> tried;     // private keys whose public part ssh does not know: paths
    std::string accepted;               // the offered key that the peer would take
    bool partial = false;               // a method succeeded, and the peer wants one more
    std::string method;                 // by which it succeeded
    bool forced_key = false;            // the key's line in authorized_keys carries a command of its own
    bool command_ended = false;         // its exit status came, whatever holds the session open still
    bool command_killed = false;        // its end by a signal came in place of a status
    std::optional<int> exit_status;     // the command's
    std::vector<std::string> words;     // all lines that are no debug lines: what ssh tells a user
};

Trace read_trace(std::string_view log);

// The lines of a text without their ends (\n or \r\n).
std::vector<std::string> lines_of(std::string_view text);
// Those of them that are no debug lines: what stderr carries of a jump host's ssh has both.
std::vector<std::string> words_of(std::string_view text);

}  // namespace diag::ssh
