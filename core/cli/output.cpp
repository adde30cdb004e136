#include "cli/output.hpp"

#include <fcntl.h>
#include <poll.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <iostream>
#include <string>

#include "base/file.hpp"

namespace diag::cli {

bool output_arrived() {
    std::cout.flush();
    const int error = std::fflush(stdout) == 0 ? 0 : errno;  // 0, too, where it was an earlier piece that did not go out
    if (error == 0 && std::cout.good() && std::ferror(stdout) == 0) return true;
    std::cout.clear();
    std::clearerr(stdout);
    pollfd reader{STDOUT_FILENO, 0, 0};
    if (::poll(&reader, 1, 0) == 1 && (reader.revents & POLLERR) != 0) return true;  // of a pipe or a socket: nobody reads it any more
    std::cerr << "diag: what was printed is lost, or a part of it: stdout could not be written"
              << (error == 0 ? "" : std::string(" (") + std::strerror(error) + ")") << "\n";
    return false;
}

void require_standard_streams() {
    for (const int fd : {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO}) {
        if (::fcntl(fd, F_GETFD) >= 0) continue;
        // Not for writing: what is printed to a stdout that is not there is lost, and that is said.
        if (::open("/dev/null", fd == STDOUT_FILENO ? O_RDONLY : O_RDWR) != fd) base::throw_errno("/dev/null");
    }
}

}  // namespace diag::cli
