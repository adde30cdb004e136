// What a process does to itself between fork(2) and what it is made for.  System calls only: other threads' locks may be held for ever.
#pragma once

#include <signal.h>

namespace diag::base {

// Every signal as a new program expects it, none blocked.  False, with errno, where the mask cannot be set.
inline bool default_signals() {
    for (int signal = 1; signal < NSIG; ++signal) ::signal(signal, SIG_DFL);  // KILL and STOP refuse, rightly
    sigset_t none;
    ::sigemptyset(&none);
    return ::sigprocmask(SIG_SETMASK, &none, nullptr) == 0;
}

}  // namespace diag::base
