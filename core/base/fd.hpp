// A file descriptor that closes itself.  Move-only.
#pragma once

#include <poll.h>
#include <unistd.h>

#include <utility>

namespace diag::base {

class Fd {
  public:
    Fd() = default;
    explicit Fd(int fd) : fd_(fd) {}
    Fd(Fd&& other) noexcept : fd_(std::exchange(other.fd_, -1)) {}
    Fd& operator=(Fd&& other) noexcept {
        reset(std::exchange(other.fd_, -1));
        return *this;
    }
    ~Fd() { reset(); }

    int get() const { return fd_; }
    explicit operator bool() const { return fd_ >= 0; }
    int release() { return std::exchange(fd_, -1); }
    void reset(int fd = -1) {
        if (fd_ >= 0) ::close(fd_);
        fd_ = fd;
    }

  private:
    int fd_ = -1;
};

// Whether a read would not block now; false for -1.
inline bool readable(int fd) {
    pollfd poll{fd, POLLIN, 0};
    return fd >= 0 && ::poll(&poll, 1, 0) == 1;
}

}  // namespace diag::base
