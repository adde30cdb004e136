// Frames on the byte stream between host and worker.  A frame survives noise around it (a login shell that
// prints, a banner): it starts with a marker that carries the host's nonce, and what lies between frames is
// handed out as noise, never parsed.
//
//     \x1e "diag " NONCE " " KIND " " ID " " LENGTH "\n" PAYLOAD "\n"
//
// NONCE is 16 hex digits, chosen by the host; the worker takes it from the first frame it reads.  ID is the job
// (0: none).  KIND is one letter:
//   to the worker    R request (JSON)   M a line for the job's channel   H heartbeat (empty)
//   from the worker  J event (JSON)     L a line from the job's channel, unread   O, E its stdout, stderr   H the heartbeat's echo
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

namespace diag::worker {

inline constexpr int protocol_version = 1;
inline constexpr std::size_t max_payload = std::size_t{4} << 20;  // bytes; a longer frame is noise

struct Frame {
    char kind = 0;
    std::uint64_t id = 0;
    std::string payload;
};

// Throws std::length_error for a payload beyond max_payload.
std::string encode(std::string_view nonce, const Frame& frame);

// Cuts a byte stream into frames; feed it whatever read() gave.
class FrameReader {
  public:
    // An empty nonce accepts the first one seen, and then only that.
    explicit FrameReader(std::string nonce = "") : nonce_(std::move(nonce)) {}

    void feed(std::string_view bytes);
    // The next whole frame, or nothing until more is fed.
    std::optional<Frame> next();
    // Bytes seen between frames since the last call; the first 64 KiB of them.
    std::string take_noise() { return std::exchange(noise_, {}); }
    const std::string& nonce() const { return nonce_; }

  private:
    struct Header;
    void skip(std::size_t bytes);  // hands the next bytes out as noise
    std::string_view rest() const { return std::string_view(buffer_).substr(at_); }

    std::string nonce_, buffer_, noise_;
    std::size_t at_ = 0;  // what lies before it in buffer_ is dealt with
};

}  // namespace diag::worker
