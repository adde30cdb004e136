// The lines that the host sends to a running check, one at a time.  Not for writing.
#pragma once

#include <poll.h>
#include <sys/socket.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <system_error>

namespace diag::detail {

class ChannelLines {
  public:
    // The next whole line, without its end, or nothing within the time.  Throws std::system_error when the host is gone.
    std::optional<std::string> next(int channel, std::chrono::milliseconds patience) {
        for (const auto until = std::chrono::steady_clock::now() + patience;;) {
            if (const auto end = buffer_.find('\n'); end != std::string::npos) {
                std::string line = buffer_.substr(0, end);
                buffer_.erase(0, end + 1);
                return line;
            }
            const auto left = std::chrono::ceil<std::chrono::milliseconds>(until - std::chrono::steady_clock::now()).count();
            pollfd poll{channel, POLLIN, 0};
            const int ready = ::poll(&poll, 1, static_cast<int>(std::clamp<std::int64_t>(left, 0, 60000)));
            if (ready > 0) read_some(channel);
            if (ready == 0 && std::chrono::steady_clock::now() >= until) return std::nullopt;
        }
    }

  private:
    void read_some(int channel) {
        std::array<char, 4096> bytes;
        const ssize_t n = ::recv(channel, bytes.data(), bytes.size(), 0);
        if (n < 0 && errno == EINTR) return;
        if (n <= 0) throw std::system_error(n == 0 ? EPIPE : errno, std::generic_category(), "the host's channel");
        buffer_.append(bytes.data(), static_cast<std::size_t>(n));
    }

    std::string buffer_;
};

}  // namespace diag::detail
