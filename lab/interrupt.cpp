#include "lab/interrupt.hpp"

namespace diag::lab {
namespace {

constexpr std::array ending{SIGINT, SIGTERM, SIGHUP};
volatile sig_atomic_t noted = 0;

extern "C" void note(int number) { noted = number; }

}  // namespace

Interruptible::Interruptible() {
    noted = 0;
    struct sigaction action {};
    action.sa_handler = note;
    action.sa_flags = SA_RESTART;
    for (std::size_t i = 0; i < ending.size(); ++i) {
        sigaction(ending[i], nullptr, &before_[i]);
        // One that the caller ignores (nohup) stays ignored.
        if (before_[i].sa_handler != SIG_IGN) sigaction(ending[i], &action, nullptr);
    }
}

Interruptible::~Interruptible() {
    for (std::size_t i = 0; i < ending.size(); ++i) sigaction(ending[i], &before_[i], nullptr);
}

void Interruptible::check() {
    const int number = noted;
    noted = 0;
    if (number != 0) throw Interrupted(number);
}

}  // namespace diag::lab
