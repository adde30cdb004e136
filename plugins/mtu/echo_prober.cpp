#include "echo_prober.hpp"

#include <algorithm>
#include <cerrno>
#include <system_error>
#include <thread>

#include <netinet/icmp6.h>
#include <netinet/ip_icmp.h>

#include "pace.hpp"

namespace mtu {
namespace {

using diag::probe::Address;
using diag::probe::EchoAnswer;
using diag::probe::EchoMethod;
using diag::probe::EchoSocket;
using std::chrono::steady_clock;

constexpr std::chrono::milliseconds first_patience{1000};  // nothing is known of the path yet; a neighbour may have to be resolved
constexpr std::chrono::milliseconds least_patience{100};   // a busy host may take this long to schedule an answer
constexpr double times_slowest = 4;

Kind kind_of(const EchoAnswer& answer, bool v6) {
    if (answer.kind == EchoAnswer::Kind::reply) return Kind::reply;
    if (answer.kind == EchoAnswer::Kind::local_error) return Kind::local;
    const bool too_big = v6 ? answer.type == ICMP6_PACKET_TOO_BIG : answer.type == ICMP_DEST_UNREACH && answer.code == ICMP_FRAG_NEEDED;
    const bool expired = answer.type == (v6 ? ICMP6_TIME_EXCEEDED : ICMP_TIME_EXCEEDED);
    return too_big ? Kind::too_big : expired ? Kind::expired : Kind::refused;
}

// UDP, the socket's last resort, is no use here: hosts answer it about once a second.
EchoSocket open_icmp(const Address& destination, const std::string& interface, const std::optional<Address>& source) {
    EchoSocket::Options options{.interface = interface, .dont_fragment = true, .method = EchoMethod::icmp_raw, .source = source};
    try {
        return EchoSocket::open(destination, options);
    } catch (const std::system_error& e) {
        if (e.code().value() != EPERM && e.code().value() != EACCES) throw;
    }
    options.method = EchoMethod::icmp_datagram;
    try {
        return EchoSocket::open(destination, options);
    } catch (const std::system_error& e) {
        throw std::system_error(e.code(), "no ICMP socket for this user; run it as root, or widen net.ipv4.ping_group_range");
    }
}

}  // namespace

EchoProber::EchoProber(const Address& destination, const std::string& interface, const std::optional<Address>& source)
    : socket_(open_icmp(destination, interface, source)), v6_(destination.v6()) {}

std::chrono::milliseconds EchoProber::patience() const {
    if (slowest_ms_ == 0) return first_patience;
    return std::max(least_patience, std::chrono::milliseconds(static_cast<int>(slowest_ms_ * times_slowest)));
}

// Whether it is settled already: this machine would not send it.
bool EchoProber::send(const Probe& probe, std::size_t place, std::vector<Outcome>& outcomes) {
    const std::uint16_t sequence = next_++;
    socket_.set_hop_limit(probe.hop_limit);
    waiting_[sequence] = {probe, place, volley_};
    const auto refusal = socket_.send(sequence, static_cast<std::size_t>(probe.bytes));
    return refusal && take(*refusal, outcomes);
}

// Whether the answer belongs to the present volley.
bool EchoProber::take(const EchoAnswer& answer, std::vector<Outcome>& outcomes) {
    const auto asked = waiting_.find(answer.sequence);
    if (asked == waiting_.end()) return false;
    Outcome o;
    o.probe = asked->second.probe;
    o.kind = kind_of(answer, v6_);
    o.milliseconds = std::chrono::duration<double, std::milli>(answer.round_trip).count();
    o.sender = answer.sender.text();
    o.said = answer.mtu;
    o.fragment = answer.fragment_size;
    o.type = answer.type;
    o.code = answer.code;
    o.error = answer.error;
    o.late = asked->second.volley != volley_;
    if (o.kind == Kind::reply) slowest_ms_ = std::max(slowest_ms_, o.milliseconds);  // a router may be much nearer
    if (o.late)
        outcomes.push_back(o);
    else
        outcomes[asked->second.place] = o;
    waiting_.erase(asked);
    return !o.late;
}

std::vector<Outcome> EchoProber::volley(const std::vector<Probe>& probes) {
    ++volley_;
    std::vector<Outcome> outcomes(probes.size());
    std::size_t open = probes.size();
    for (std::size_t i = 0; i < probes.size(); ++i) {
        outcomes[i].probe = probes[i];
        open -= send(probes[i], i, outcomes) ? 1 : 0;
        // Replies are read between the sends: a burst of large ones would overflow the receive buffer.
        while (const auto answer = socket_.receive(steady_clock::now())) open -= take(*answer, outcomes) ? 1 : 0;
    }
    const auto sent = steady_clock::now();
    while (open > 0) {
        const auto answer = socket_.receive(sent + patience());
        if (!answer) break;
        open -= take(*answer, outcomes) ? 1 : 0;
    }
    return outcomes;
}

void EchoProber::rest() { std::this_thread::sleep_for(one_answer); }

}  // namespace mtu
