// Why a login that did not come to its end did not: from what ssh said, one cause, or ssh.failed with ssh's own last line.
// Pure: the texts of real ssh and sshd stand in captured.hpp.  Not for a login that worked: login_judge.hpp.
#pragma once

#include <map>
#include <optional>
#include <string>

#include <diag/plugin.hpp>

#include "answer.hpp"
#include "config.hpp"
#include "trace.hpp"

namespace diag::ssh {

// What became of opening a private key without a passphrase.
enum class KeyState { absent, plain, encrypted, exposed, broken, unreadable };

struct Case {
    std::string host;  // as it was asked for
    std::string user;  // "" where ssh's configuration decides and could not be asked
    std::string file;  // the configuration file that was asked for; ""
    Answer answer;
    Trace trace;
    Config config;                         // of this host; empty where it is not known
    std::map<std::string, KeyState> keys;  // the private keys that ssh tried without knowing their public part
};

// Each looks at one part of the way and answers only where the login ended there.
std::optional<Verdict> ended_on_this_side(const Case& c);  // configuration, name, own files
std::optional<Verdict> ended_on_the_way(const Case& c);    // TCP, proxy
std::optional<Verdict> ended_in_greeting(const Case& c);   // before the peer said that it speaks SSH 2
std::optional<Verdict> ended_in_exchange(const Case& c);   // key exchange, host key
std::optional<Verdict> ended_in_login(const Case& c);      // keys, methods, account
std::optional<Verdict> ended_in_command(const Case& c);    // session, shell, command

// What stands behind `ssh` to get there by hand: user@host, and -F where the configuration is another than the user's own.
json hand_words(const Case& c);

// The verdict, with the values that the causes' remedies name.
Verdict why_not(const Case& c);

// The first of ssh's own lines that contains `part`, printable; nothing where none does.
std::optional<std::string> word(const Case& c, std::string_view part);
// What a peer wrote, for a reason: printable, and no more than its beginning.
std::string excerpt(std::string_view text);
// The host and, where it is known, the address and port: "node-b (10.0.0.2 port 22)".
std::string peer(const Case& c);

}  // namespace diag::ssh
