#include "worker/relay.hpp"

#include <fcntl.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <utility>

#include <fmt/format.h>

#include "base/file.hpp"
#include "base/utf8.hpp"

namespace diag::worker {
namespace {

// Reads once.  Closes the stream at its end; "" means that there is nothing to read now.
std::string_view read_once(base::Fd& stream, std::array<char, 65536>& buffer) {
    for (;;) {
        const ssize_t n = ::read(stream.get(), buffer.data(), buffer.size());
        if (n > 0) return {buffer.data(), static_cast<std::size_t>(n)};
        if (n < 0 && errno == EINTR) continue;
        if (n == 0 || errno != EAGAIN) stream.reset();  // ECONNRESET: the other end closed with data unread
        return {};
    }
}

}  // namespace

Relay::Relay(std::uint64_t id, const Limits& limits, Outbox& outbox, base::Fd channel, base::Fd out, base::Fd err)
    : id_(id), limits_(limits), outbox_(outbox), channel_(std::move(channel)), out_(std::move(out)), err_(std::move(err)) {
    for (const auto* stream : {&channel_, &out_, &err_})
        if (::fcntl(stream->get(), F_SETFL, O_NONBLOCK) != 0) base::throw_errno("a job's stream");
}

void Relay::add_polls(std::vector<pollfd>& polls) const {
    const short writing = to_job_.empty() ? 0 : POLLOUT;
    if (channel_) polls.push_back({channel_.get(), static_cast<short>(POLLIN | writing), 0});
    for (const auto* stream : {&out_, &err_})
        if (*stream) polls.push_back({stream->get(), POLLIN, 0});
}

void Relay::on_ready(int fd) {
    if (channel_ && fd == channel_.get()) {
        read_channel();
        write_channel();
    }
    if (fd == out_.get()) read_output(out_, 'O');
    if (fd == err_.get()) read_output(err_, 'E');
}

void Relay::drain() {
    while (read_channel()) {
    }
    while (read_output(out_, 'O')) {
    }
    while (read_output(err_, 'E')) {
    }
    if (!line_.empty()) outbox_.send('L', id_, std::exchange(line_, {}));
}

bool Relay::read_output(base::Fd& stream, char kind) {
    if (!stream) return false;
    std::array<char, 65536> buffer;
    const std::string_view data = read_once(stream, buffer);
    const std::string_view kept = data.substr(0, limits_.output - std::min(output_, limits_.output));
    output_ += data.size();
    if (!kept.empty()) outbox_.send(kind, id_, kept);
    if (output_ > limits_.output && exceeded_.empty()) exceeded_ = "output";
    return !data.empty() && exceeded_.empty();
}

void Relay::deliver(const std::string& line) {
    to_job_ += line + "\n";
    if (to_job_.size() > limits_.channel) exceed_events("it did not read what its other half said");
    write_channel();
}

void Relay::write_channel() {
    while (channel_ && !to_job_.empty()) {
        const ssize_t n = ::send(channel_.get(), to_job_.data(), to_job_.size(), MSG_NOSIGNAL);
        if (n < 0 && errno == EINTR) continue;
        if (n < 0) return;  // full: later; or the job has closed it, and its end tells
        to_job_.erase(0, static_cast<std::size_t>(n));
    }
}

bool Relay::read_channel() {
    if (!channel_) return false;
    std::array<char, 65536> buffer;
    const std::string_view data = read_once(channel_, buffer);
    line_ += data;
    channel_bytes_ += data.size();
    pass_lines();
    return !data.empty() && exceeded_.empty();
}

void Relay::pass_lines() {
    std::size_t at = 0;
    for (std::size_t end = 0; exceeded_.empty() && (end = line_.find('\n', at)) != std::string::npos; at = end + 1) {
        const auto line = std::string_view(line_).substr(at, end - at);
        if (++events_ > limits_.events)
            exceed_events(fmt::format("more than {} events", limits_.events));
        else if (line.size() > limits_.line)
            too_long(line, true);
        else
            outbox_.send('L', id_, line);
    }
    line_.erase(0, at);
    if (line_.size() > limits_.line) too_long(line_, false);
    if (channel_bytes_ > limits_.channel) exceed_events(fmt::format("more than {} bytes of events", limits_.channel));
    if (!exceeded_.empty()) line_.clear();
}

void Relay::exceed_events(std::string excess) {
    if (!exceeded_.empty()) return;
    exceeded_ = "events";
    excess_ = std::move(excess);
}

void Relay::too_long(std::string_view line, bool whole) {
    constexpr std::size_t shown = 80;  // its kind and, most often, its name
    exceed_events(fmt::format("event {} has {}{} bytes, and at most {} are taken: {}...", events_ + (whole ? 0 : 1),
                              whole ? "" : "more than ", whole ? line.size() : limits_.line, limits_.line,
                              base::clean_utf8(line.substr(0, shown))));
}

}  // namespace diag::worker
