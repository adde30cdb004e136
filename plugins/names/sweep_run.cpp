#include "sweep_run.hpp"

#include <algorithm>
#include <cerrno>
#include <cstddef>
#include <thread>
#include <unordered_map>
#include <utility>

#include <poll.h>
#include <sys/random.h>
#include <sys/socket.h>

#include "base/file.hpp"
#include "probe/echo_message.hpp"
#include "probe/echo_packet.hpp"
#include "sweep_socket.hpp"

namespace diag::names {

namespace {

using namespace std::chrono_literals;
using std::chrono::nanoseconds;
using std::chrono::steady_clock;
namespace packet = probe::echo_packet;

constexpr std::size_t message_bytes = 64;  // 84 IPv4 bytes, as ping(8) sends
constexpr std::size_t largest_quote = 2048;
constexpr nanoseconds tick = 1ms;         // packets due within one leave together: a wake-up costs more than a packet
constexpr nanoseconds most_behind = 5ms;  // a sweep that was held up does not catch up on more, or it would flood
constexpr nanoseconds afterglow = 20ms;   // for the second answer to the last probe
constexpr int tries = 3;

// Packets may leave at `start`, one more each interval.
class Pace {
  public:
    explicit Pace(nanoseconds interval) : interval_(interval), start_(steady_clock::now()) {}
    // How many may have left by now, if `sent` have.
    std::size_t due(std::size_t sent) {
        const auto now = steady_clock::now();
        start_ = std::max(start_, now - most_behind - interval_ * static_cast<std::int64_t>(sent));
        return static_cast<std::size_t>((now - start_) / interval_) + 1;
    }
    void sleep(std::size_t sent) const {
        const auto together = std::max<std::int64_t>(1, tick / interval_);
        std::this_thread::sleep_until(start_ + interval_ * (static_cast<std::int64_t>(sent) + together - 1));
    }

  private:
    nanoseconds interval_;
    steady_clock::time_point start_;
};

class Sweep {
  public:
    Sweep(const std::vector<probe::Address>& addresses, const SweepPlan& plan) : addresses_(addresses), plan_(plan) {
        for (std::size_t i = 0; i < addresses.size(); ++i) index_[key(addresses[i])] = i;
        probes_.resize(addresses.size() * plan.count);
        run_.answers.resize(addresses.size());
        if (::getrandom(cookie_.data(), cookie_.size(), 0) != static_cast<ssize_t>(cookie_.size())) base::throw_errno("getrandom");
        for (const bool v6 : {false, true})
            if (std::any_of(addresses.begin(), addresses.end(), [&](const auto& a) { return a.v6() == v6; })) open(v6);
    }

    SweepRun run() {
        Pace pace(plan_.interval);
        for (std::size_t next = 0; next < probes_.size();) {
            for (const auto due = std::min(pace.due(next), probes_.size()); next < due; ++next) send(next);
            drain();
            if (next < probes_.size()) pace.sleep(next);
        }
        const auto deadline = steady_clock::now() + plan_.timeout;
        while (settled_ < probes_.size() && wait(deadline)) drain();
        for (const auto end = std::min(deadline, steady_clock::now() + afterglow); wait(end);) drain();
        for (const auto& socket : sockets_) run_.dropped += dropped_by(socket.fd.get());
        return std::move(run_);
    }

  private:
    struct Probe {
        steady_clock::time_point sent;
        bool settled = false, answered = false;
    };

    static std::string key(const probe::Address& address) {
        const auto* bytes = reinterpret_cast<const char*>(address.get());
        if (!address.v6()) return {bytes + offsetof(sockaddr_in, sin_addr), sizeof(in_addr)};
        return {bytes + offsetof(sockaddr_in6, sin6_addr), sizeof(in6_addr) + sizeof(std::uint32_t)};  // the scope stands behind it
    }

    void open(bool v6) {
        sockets_.push_back(open_sweep_socket(v6 ? AF_INET6 : AF_INET, plan_.interface));
        const std::string by = std::string(v6 ? "IPv6" : "IPv4") + " by " + std::string(to_text(sockets_.back().method));
        run_.method += (run_.method.empty() ? "" : ", ") + by;
    }

    const probe::OpenedEcho& socket_for(const probe::Address& address) const { return address.v6() ? sockets_.back() : sockets_.front(); }

    void send(std::size_t number) {
        const auto& to = addresses_[number % addresses_.size()];
        const auto sequence = static_cast<std::uint16_t>(number / addresses_.size() + 1);
        const auto& socket = socket_for(to);
        const auto message = packet::request(to.v6(), socket.id, sequence, cookie_, message_bytes);
        int error = 0;
        for (int left = tries; left > 0; --left) {
            probes_[number].sent = steady_clock::now();
            if (::sendto(socket.fd.get(), message.data(), message.size(), MSG_DONTWAIT, to.get(), to.size()) >= 0) return;
            error = errno;
            // What came of an earlier packet may be told here, once: the error queue knows whose it is.
            drain();
            if ((error == EAGAIN || error == ENOBUFS) && patience_ > 0ns) left += hold_on();
        }
        run_.answers[number % addresses_.size()].error = error == EAGAIN ? ENOBUFS : error;
        settle(probes_[number]);
    }

    // Queues empty when their addresses have answered or been given up; a wait costs no try.
    int hold_on() {
        patience_ -= tick;
        std::this_thread::sleep_for(tick);
        return 1;
    }

    void settle(Probe& probe) {
        if (!std::exchange(probe.settled, true)) ++settled_;
    }

    bool wait(steady_clock::time_point deadline) const {
        const auto left = std::chrono::ceil<std::chrono::milliseconds>(deadline - steady_clock::now());
        if (left <= 0ms) return false;
        std::vector<pollfd> ready;
        for (const auto& socket : sockets_) ready.push_back({socket.fd.get(), POLLIN, 0});
        if (::poll(ready.data(), ready.size(), static_cast<int>(left.count())) < 0 && errno != EINTR) base::throw_errno("poll");
        return true;
    }

    void drain() {
        for (const auto& socket : sockets_) {
            while (const auto message = probe::read_message(socket.fd.get(), MSG_ERRQUEUE, buffer_)) on_error(socket, *message);
            while (const auto message = probe::read_message(socket.fd.get(), 0, buffer_)) on_reply(socket, *message);
        }
    }

    // The probe of that number to that address: neither alone tells whose answer it is.
    Probe* find(const probe::Address& address, std::optional<std::uint16_t> sequence, std::size_t& index) {
        if (!sequence || *sequence == 0 || *sequence > plan_.count) return nullptr;
        const auto at = index_.find(key(address));
        if (at == index_.end()) return nullptr;
        index = at->second;
        return &probes_[(*sequence - 1U) * addresses_.size() + index];
    }

    void on_error(const probe::OpenedEcho& socket, const probe::EchoMessage& message) {
        if (!message.error || message.error->ee_origin == SO_EE_ORIGIN_LOCAL) return;
        const bool v6 = message.peer.v6();
        std::size_t index = 0;
        Probe* probe = find(message.peer, packet::quoted_sequence(v6, {buffer_.data(), message.size}, socket.id, cookie_), index);
        if (probe == nullptr) return;
        probe::EchoAnswer& refusal = run_.answers[index].refusal.emplace();
        refusal.kind = probe::EchoAnswer::Kind::icmp_error;
        refusal.sender = message.offender;
        refusal.type = message.error->ee_type;
        refusal.code = message.error->ee_code;
        settle(*probe);
    }

    void on_reply(const probe::OpenedEcho& socket, const probe::EchoMessage& message) {
        const bool v6 = message.peer.v6();
        // A raw IPv4 socket hands out the IP header as well (raw(7)).
        const bool with_header = socket.method == probe::EchoMethod::icmp_raw && !v6;
        const std::size_t header = with_header && message.size > 0 ? static_cast<std::size_t>(buffer_[0] & 0x0f) * 4 : 0;
        if (message.size < header) return;
        const packet::Bytes reply = packet::Bytes(buffer_).subspan(header, message.size - header);
        std::size_t index = 0;
        Probe* probe = find(message.peer, packet::reply_sequence(v6, reply, socket.id, cookie_), index);
        if (probe == nullptr) return;
        SweepAnswer& answer = run_.answers[index];
        settle(*probe);
        if (std::exchange(probe->answered, true)) {
            ++answer.duplicates;
            return;
        }
        const nanoseconds time = std::max<nanoseconds>(steady_clock::now() - probe->sent - message.age, 0ns);
        if (time > plan_.timeout) {
            ++answer.overdue;
            return;
        }
        answer.fastest = answer.replies == 0 ? time : std::min(answer.fastest, time);
        answer.slowest = std::max(answer.slowest, time);
        answer.total += time;
        ++answer.replies;
    }

    const std::vector<probe::Address>& addresses_;
    const SweepPlan& plan_;
    std::vector<probe::OpenedEcho> sockets_;  // IPv4 first
    packet::Cookie cookie_{};
    std::unordered_map<std::string, std::size_t> index_;
    std::vector<Probe> probes_;  // a round after the other
    std::size_t settled_ = 0;
    nanoseconds patience_ = sweep_patience;
    std::vector<std::uint8_t> buffer_ = std::vector<std::uint8_t>(largest_quote);
    SweepRun run_;
};

}  // namespace

SweepRun sweep(const std::vector<probe::Address>& addresses, const SweepPlan& plan) { return Sweep(addresses, plan).run(); }

}  // namespace diag::names
