// Echo probes on sockets, IPv4 and IPv6: one socket to one destination, many probes, answers in any order.
// Raw ICMP where this process may, else an ICMP datagram socket, else paced UDP to a high port.
// Reads ICMP errors with their sender (IP_RECVERR) and the size of a fragmented reply (IP_RECVFRAGSIZE).
// Not for judging: what an answer or its absence means is the check's business.
#pragma once

#include <array>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/fd.hpp"
#include "probe/address.hpp"

namespace diag::probe {

enum class EchoMethod { icmp_raw, icmp_datagram, udp };
std::string_view to_text(EchoMethod method);  // "ICMP (raw socket)", ...

// What came back for one probe.
struct EchoAnswer {
    enum class Kind {
        reply,        // the destination answered (for UDP: its port-unreachable counts)
        icmp_error,   // somebody on the way, or the destination, refused: see sender, type, code
        local_error,  // this machine would not send it: see error
    };
    Kind kind = Kind::reply;
    std::uint16_t sequence = 0;
    std::chrono::nanoseconds round_trip{0};  // kernel receive timestamp minus send time
    Address sender;                          // who sent this packet
    std::uint8_t type = 0, code = 0;         // ICMP error
    std::int64_t mtu = 0;                    // from fragmentation-needed / packet-too-big, or of the local refusal
                                             // EMSGSIZE; bytes, 0: not said
    int error = 0;                           // errno of local_error, or of the error queue entry
    std::int64_t fragment_size = 0;          // largest fragment of a reassembled reply, IP bytes; 0: not fragmented
    std::size_t packet_bytes = 0;            // IP bytes of the reply; 0 for UDP, whose reply is an ICMP error
};

class EchoSocket {
  public:
    struct Options {
        std::string interface;             // "": the route decides
        bool dont_fragment = false;        // DF, and the kernel's path MTU cache is ignored (IP_PMTUDISC_PROBE)
        std::optional<EchoMethod> method;  // nothing: the best that opens
        std::optional<Address> source{};   // this machine's address that they come from; nothing: the route decides
    };
    // Throws std::system_error where no method opens (said with what each answered), or where the interface is not
    // there.  A missing route is no error here: send() says it.
    static EchoSocket open(const Address& destination, const Options& options);

    EchoMethod method() const { return method_; }
    // Sends a probe whose whole IP packet is `packet_bytes` long (at least headers + 16, else std::invalid_argument).
    // A refusal by the local kernel is returned as an answer, at once; otherwise nothing.  Give every probe its own
    // sequence.  With UDP it first sleeps until the far end may answer again: see pace().
    std::optional<EchoAnswer> send(std::uint16_t sequence, std::size_t packet_bytes);
    // The next answer to a probe of this socket, or nothing at `deadline`.  Further replies to an answered probe are
    // counted, not returned.
    std::optional<EchoAnswer> receive(std::chrono::steady_clock::time_point deadline);

    // TTL (IPv4) or hop limit (IPv6) of the probes that follow; 0: the system's default.
    void set_hop_limit(int hops);

    // The least time between two probes: 0 for ICMP; for UDP over a wire, what hosts allow their port-unreachables.
    std::chrono::milliseconds pace() const;
    std::size_t duplicates() const { return duplicates_; }

  private:
    struct Sent {
        std::chrono::steady_clock::time_point at;
        bool answered = false;
    };
    EchoSocket() = default;
    void wait_for_turn();
    int transmit(std::uint16_t sequence, std::size_t packet_bytes);
    std::optional<EchoAnswer> refused(int error);
    std::optional<EchoAnswer> next_error();
    std::optional<EchoAnswer> next_reply();
    std::optional<std::uint16_t> udp_sequence(unsigned port) const;
    bool stamp(EchoAnswer& answer, std::chrono::nanoseconds age);

    EchoMethod method_ = EchoMethod::icmp_raw;
    Address destination_;
    base::Fd fd_;
    std::uint16_t id_ = 0;  // ICMP identifier
    std::array<std::uint8_t, 16> cookie_{};
    std::map<std::uint16_t, Sent> sent_;
    std::deque<EchoAnswer> pending_;  // read while looking for something else
    std::vector<std::uint8_t> buffer_;
    std::optional<std::chrono::steady_clock::time_point> last_sent_;
    std::size_t duplicates_ = 0;
};

}  // namespace diag::probe
