// diag-worker: supervises check processes on one machine, for a host at the other end of stdin and stdout.
// Started by diag, here (with `--here`: who starts it ends what it leaves) or through ssh; it is no command for people.
#include <fcntl.h>
#include <unistd.h>

#include <cstdio>
#include <cstring>
#include <exception>

#include "worker/guard.hpp"
#include "worker/server.hpp"

int main(int argc, char** argv) {
    // A descriptor below 3 that is free would be taken by something else, and then be written as "stderr".
    int fd = 0;
    while (fd >= 0 && fd <= 2) fd = ::open("/dev/null", O_RDWR);
    ::close(fd);
    if (::isatty(STDIN_FILENO) != 0) {
        std::fputs("diag-worker speaks to diag, not to people: see diag --help\n", stderr);
        return 64;
    }
    try {
        const auto serve = [] { return diag::worker::serve(STDIN_FILENO, STDOUT_FILENO); };
        return argc == 2 && std::strcmp(argv[1], "--here") == 0 ? serve() : diag::worker::guarded(serve);
    } catch (const std::exception& e) {
        std::fprintf(stderr, "diag-worker: %s\n", e.what());
        return 1;
    }
}
