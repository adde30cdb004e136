// diag-worker: supervises check processes on one machine, for a host at the other end of stdin and stdout.
// Started by diag, here or through ssh; it is no command for people.
#include <fcntl.h>
#include <unistd.h>

#include <cstdio>
#include <exception>

#include "worker/server.hpp"

int main() {
    // A descriptor below 3 that is free would be taken by something else, and then be written as "stderr".
    int fd = 0;
    while (fd >= 0 && fd <= 2) fd = ::open("/dev/null", O_RDWR);
    ::close(fd);
    if (::isatty(STDIN_FILENO) != 0) {
        std::fputs("diag-worker speaks to diag, not to people: see diag --help\n", stderr);
        return 64;
    }
    try {
        return diag::worker::serve(STDIN_FILENO, STDOUT_FILENO);
    } catch (const std::exception& e) {
        std::fprintf(stderr, "diag-worker: %s\n", e.what());
        return 1;
    }
}
