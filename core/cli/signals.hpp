// SIGINT and SIGTERM end a run in order, a second one at once; SIGHUP and a closed stdout never stop it.
#pragma once

namespace diag::cli {

class Signals {
  public:
    Signals();  // installs the handlers, once per process

    bool interrupted() const;
    int signal() const;       // the one that came, 0 before
    int fd() const;           // becomes readable with the first signal
    [[noreturn]] void die();  // by that signal
};

}  // namespace diag::cli
