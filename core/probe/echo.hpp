// Echo probes on sockets, IPv4 and IPv6: one socket to one destination, many probes, answers in any order.
// Raw ICMP where this process may, else an ICMP datagram socket, else paced UDP to a high port.
// Reads ICMP errors with their sender (IP_RECVERR) and the size of a fragmented reply (IP_RECVFRAGSIZE).
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>

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
    std::chrono::nanoseconds round_trip{0};     // kernel receive timestamp minus send time
    Address sender;                             // who sent this packet
    std::uint8_t type = 0, code = 0;            // ICMP error
    std::int64_t mtu = 0;                       // from fragmentation-needed / packet-too-big; bytes, 0: not said
    int error = 0;                              // errno of local_error, or of the error queue entry
    std::int64_t fragment_size = 0;             // largest fragment of a reassembled reply, IP bytes; 0: not fragmented
    std::size_t packet_bytes = 0;               // IP bytes of the reply
};

class EchoSocket {
  public:
    struct Options {
        std::string interface;                  // "": the route decides
        bool dont_fragment = false;             // DF, and the kernel's path MTU cache is ignored (IP_PMTUDISC_PROBE)
        std::optional<EchoMethod> method;       // nothing: the best that opens
    };
    // Throws std::system_error where no method opens (said with what each answered).
    static EchoSocket open(const Address& destination, const Options& options);

    EchoMethod method() const { return method_; }
    // Sends a probe whose whole IP packet is `packet_bytes` long (at least headers + 16).  A refusal by the local
    // kernel is returned as an answer, at once; otherwise nothing.
    std::optional<EchoAnswer> send(std::uint16_t sequence, std::size_t packet_bytes);
    // The next answer to a probe of this socket, or nothing at `deadline`.
    std::optional<EchoAnswer> receive(std::chrono::steady_clock::time_point deadline);

  private:
    EchoSocket() = default;
    // the rest is the implementation's business
};

}  // namespace diag::probe
