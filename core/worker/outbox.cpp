#include "worker/outbox.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>

#include "base/file.hpp"
#include "worker/frame.hpp"

namespace diag::worker {

Outbox::Outbox(int fd) : fd_(fd) {
    const int flags = ::fcntl(fd, F_GETFL);
    if (flags < 0 || ::fcntl(fd, F_SETFL, flags | O_NONBLOCK) != 0) base::throw_errno("the stream to the host");
}

void Outbox::send(char kind, std::uint64_t id, std::string_view payload) { waiting_ += encode(nonce_, {kind, id, std::string(payload)}); }

void Outbox::event(std::uint64_t id, const json& event) { send('J', id, event.dump(-1, ' ', false, json::error_handler_t::replace)); }

bool Outbox::flush() {
    while (pending()) {
        const ssize_t n = ::write(fd_, waiting_.data() + sent_, waiting_.size() - sent_);
        if (n < 0 && errno == EINTR) continue;
        if (n < 0) return errno == EAGAIN;
        sent_ += static_cast<std::size_t>(n);
    }
    waiting_.clear();
    sent_ = 0;
    return true;
}

}  // namespace diag::worker
