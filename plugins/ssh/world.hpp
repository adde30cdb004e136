// What the checks of this plugin see of the outside: one interface, so that their judgement is tested without an ssh.
// system_world() is the real one; the tests have a twin in memory (fake_world.hpp).
#pragma once

#include <chrono>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include <sys/types.h>

#include "answer.hpp"
#include "base/ssh_command.hpp"
#include "classify.hpp"

namespace diag::ssh {

struct Login {
    base::SshTarget target;
    std::vector<std::string> options = {};
    std::string input;  // what `cat` gets on the peer
    std::chrono::milliseconds timeout{30000};
};

// The account whose files ssh uses: the caller's of sudo, or this process's own.
struct Account {
    std::string name, home;
    uid_t uid = 0;
};

struct FileState {
    enum class Kind { file, folder, other } kind = Kind::file;
    uid_t owner = 0;
    gid_t group = 0;
    unsigned mode = 0;  // the permission bits
    std::size_t size = 0;
};

// Who is in a group: by their own group and by the group's list.
struct Group {
    std::string name;
    std::vector<std::string> primary, listed;
};

struct Agent {
    enum class State { none, silent, empty, holds } state = State::none;  // none: there is no agent to ask; silent: it does not answer
    std::string socket;
    std::vector<std::string> keys;  // as ssh-add -l lists them: bits, fingerprint, comment, type
};

struct PrivateKey {
    KeyState state = KeyState::absent;
    std::string why;          // ssh-keygen's words, where it is not plain
    std::string fingerprint;  // "256 SHA256:... comment (ED25519)"; "" where it is not known.  Never the key
};

class World {
  public:
    virtual ~World() = default;
    // At most `width` side by side, none of them beyond `total`; the answers in the order of the logins.
    // Throws diag::Absent where ssh is not there.
    virtual std::vector<Answer> log_in(const std::vector<Login>& logins, std::size_t width, std::chrono::milliseconds total) = 0;
    // `ssh -G` without the options of our own, and ssh's words where it fails.
    struct Dump {
        int status = 0;
        std::string out, err;
    };
    virtual Dump configuration(const base::SshTarget& target) = 0;
    virtual PrivateKey private_key(const std::string& path) = 0;
    // `socket`: "" for SSH_AUTH_SOCK.
    virtual Agent agent(const std::string& socket) = 0;

    virtual Account account() = 0;
    // As that account sees it.  Throws diag::Absent, diag::Unreadable.
    virtual FileState file(const std::string& path) = 0;
    // Where a path leads, symbolic links resolved.  Throws diag::Absent, diag::Unreadable.
    virtual std::string real_path(const std::string& path) = 0;
    virtual std::string user_name(uid_t uid) = 0;  // the number where there is none
    virtual std::optional<Group> group(gid_t gid) = 0;
    // Lines of `sshd -T` for the account; nothing where they cannot be asked for (no sshd, not root).
    virtual std::optional<std::string> server_configuration(const Account& account) = 0;
};

std::unique_ptr<World> system_world();

}  // namespace diag::ssh
