#include "worker/frame.hpp"

#include <algorithm>
#include <charconv>
#include <stdexcept>

#include <fmt/format.h>

namespace diag::worker {
namespace {

constexpr char marker = '\x1e';
constexpr std::string_view word =
    "\x1e"
    "diag ";
constexpr std::size_t nonce_size = 16;
constexpr std::size_t max_header = word.size() + nonce_size + 3 + 21 + 8;  // " K " + id + " " + length + "\n"
constexpr std::size_t max_noise = 65536;

bool is_nonce(std::string_view text) {
    return text.size() == nonce_size && std::ranges::all_of(text, [](char c) { return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'f'); });
}

// Takes a decimal number and the character behind it from the front of `text`.
template <class Number>
bool take(std::string_view& text, Number& number, char behind) {
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
    const auto used = static_cast<std::size_t>(end - text.data());
    if (error != std::errc{} || used >= text.size() || text[used] != behind) return false;
    text.remove_prefix(used + 1);
    return true;
}

}  // namespace

struct FrameReader::Header {
    std::string_view nonce;
    char kind = 0;
    std::uint64_t id = 0;
    std::size_t length = 0;

    // `text` starts with the marker and ends with the newline.
    static std::optional<Header> parse(std::string_view text) {
        if (!text.starts_with(word) || text.size() < word.size() + nonce_size + 3) return std::nullopt;
        text.remove_prefix(word.size());
        Header h;
        h.nonce = text.substr(0, nonce_size);
        text.remove_prefix(nonce_size);
        if (!is_nonce(h.nonce) || text[0] != ' ' || text[2] != ' ') return std::nullopt;
        h.kind = text[1];
        text.remove_prefix(3);
        if (!take(text, h.id, ' ') || !take(text, h.length, '\n') || !text.empty() || h.length > max_payload) return std::nullopt;
        return h;
    }
};

std::string encode(std::string_view nonce, const Frame& frame) {
    if (frame.payload.size() > max_payload) throw std::length_error("a frame of more than 4 MiB");
    return fmt::format("{}{} {} {} {}\n{}\n", word, nonce, frame.kind, frame.id, frame.payload.size(), frame.payload);
}

void FrameReader::feed(std::string_view bytes) {
    buffer_.erase(0, std::exchange(at_, 0));
    buffer_ += bytes;
}

void FrameReader::skip(std::size_t bytes) {
    if (noise_.size() < max_noise) noise_ += rest().substr(0, std::min(bytes, max_noise - noise_.size()));
    at_ += bytes;
}

std::optional<Frame> FrameReader::next() {
    for (;;) {
        skip(std::min(rest().find(marker), rest().size()));
        const std::string_view text = rest();
        const std::size_t newline = text.substr(0, max_header).find('\n');
        if (newline == std::string_view::npos && text.size() < max_header) return std::nullopt;
        const auto header = newline == std::string_view::npos ? std::nullopt : Header::parse(text.substr(0, newline + 1));
        if (!header || (!nonce_.empty() && header->nonce != nonce_)) {
            skip(1);
            continue;
        }
        const std::string_view body = text.substr(newline + 1);
        if (body.size() <= header->length) return std::nullopt;
        if (body[header->length] != '\n') {
            skip(1);
            continue;
        }
        if (nonce_.empty()) nonce_ = header->nonce;
        Frame frame{header->kind, header->id, std::string(body.substr(0, header->length))};
        at_ += newline + 1 + header->length + 1;
        return frame;
    }
}

}  // namespace diag::worker
