#include "ssh.hpp"

DIAG_PLUGIN("ssh") {
    about("Logins as a launcher makes them: no question, a command runs, and its answer is its own.");
    diag::ssh::declare_login(*this);
    diag::ssh::declare_logins(*this);
    diag::ssh::declare_keys(*this);
}
