#include "blame.hpp"

#include <algorithm>
#include <cerrno>
#include <cstdint>
#include <cstdlib>
#include <optional>
#include <system_error>
#include <utility>
#include <vector>

#include <fmt/format.h>

namespace mtu {
namespace {

using diag::fail;
using diag::Verdict;

// Lost on the way there: somebody else than echo says so.
std::string smaller(const Findings& f) {
    return fmt::format("a {}-byte packet does not arrive; the largest that does is {} bytes", f.intended, f.ledger.largest_reply());
}

// Lost there or back.
std::string not_answered(const Findings& f) {
    return fmt::format("a {}-byte packet is not answered; the largest that is has {} bytes", f.intended, f.ledger.largest_reply());
}

bool lost_there(const Findings& f) { return f.forward_carries == std::optional(false); }

Verdict there_or_back(const Findings& f) {
    const std::string far = f.far_end ? fmt::format(", and TCP port {} speaks only for the far interface", f.far_end->port) : "";
    return fail("mtu.path-or-return-smaller",
                "{}; whether it is lost on the way there or its answer on the way back is not known: {} answers {}{}", not_answered(f),
                f.address, f.small_arrives ? "UDP too rarely" : "no UDP", far);
}

// The way there is whole, and large echo does not come back.
Verdict not_back(const Findings& f) {
    return fail("mtu.return-smaller-or-filtered",
                "{}-byte packets do reach {} (UDP, one way), but echo of that size is not answered, and the largest that is has {} bytes: "
                "the way back carries less, or a firewall drops large echo, there or here",
                f.intended, destination(f), f.ledger.largest_reply())
        .with("return_mtu", f.ledger.largest_reply());
}

// Of the routers that spoke, the one whose word is nearest to what passes: the others' links are smaller than intended, too,
// but wider than that.
const Router& narrowest(const std::vector<Router>& routers, std::int64_t carries) {
    const auto off = [&](const Router& r) { return std::pair(r.said == 0, std::abs(r.said - carries)); };
    return *std::min_element(routers.begin(), routers.end(), [&](const Router& a, const Router& b) { return off(a) < off(b); });
}

std::string other_routers(const Findings& f, const Router& named) {
    std::string text;
    for (const auto& router : f.ledger.routers()) {
        if (&router == &named) continue;
        text += fmt::format("{}{} says {}", text.empty() ? "; " : ", ", router.address,
                            router.said > 0 ? std::to_string(router.said) : "no size");
    }
    return text;
}

Verdict router_smaller(const Findings& f) {
    const std::int64_t carries = f.ledger.largest_reply();
    const Router& router = narrowest(f.ledger.routers(), carries);
    std::string truth = "which is true";
    if (router.said == 0)
        truth = "without saying which MTU it has";
    else if (router.said > carries)
        truth = fmt::format("but not even that arrives: something behind it is smaller and silent, and {} bytes are the most", carries);
    else if (router.said < carries)
        truth = fmt::format("but {} bytes do pass", carries);
    return fail("mtu.router-smaller", "{}; the router {} says that its next link carries {} bytes, {}{}", smaller(f), router.address,
                router.said, truth, other_routers(f, router))
        .with("router", router.address);
}

// No hop answers large packets: they stop in front of hop `stop`, or in one of the silent routers there.
Verdict stopped_early(const Findings& f, std::size_t stop) {
    const std::string& router = f.trace->hops[stop - 1].router;
    if (stop == 1)
        return fail("mtu.path-smaller", "{}; large packets do not even reach the first router {}, and no router spoke", smaller(f), router);
    return fail("mtu.black-hole", "{}; large packets do not reach {} (hop {}), the first router that answers any, and no router says why",
                smaller(f), router, stop)
        .with("last_hop", *f.gateway);
}

// Behind a router, and nobody spoke: the hop-limited probes tell how far the large ones came.
Verdict routed(const Findings& f) {
    const std::size_t stop = f.trace ? f.trace->first_small() : 0;
    if (stop == 0 && !lost_there(f)) return there_or_back(f);
    if (!f.trace || !f.trace->anybody())
        return fail("mtu.black-hole", "{}; no router says so, and none answers hop-limited probes (first hop {})", smaller(f), *f.gateway)
            .with("last_hop", *f.gateway);
    const std::size_t last = f.trace->last_large();
    if (last == 0 && stop > 0) return stopped_early(f, stop);
    if (last == 0)
        return fail("mtu.black-hole", "{}; how far large packets come is not known, and no router says why", smaller(f))
            .with("last_hop", *f.gateway);
    const std::string& last_hop = f.trace->hops[last - 1].router;
    const std::string& next = stop > 0 ? f.trace->hops[stop - 1].router : f.address;
    return fail("mtu.black-hole", "{}; {} still answers large packets, {} does not, and no router says why", smaller(f), last_hop, next)
        .with("last_hop", last_hop);
}

// What the far end's TCP says of its interface, in words.  Its route's advmss or a firewall may have lowered that.
std::string by_tcp(const FarEnd& far) {
    return fmt::format("its TCP segment size stands for an MTU of {} bytes (port {})", far.mtu, far.port);
}

// On one link: a device in between, or the far interface; only the peer itself can tell which.
Verdict on_link(const Findings& f) {
    const std::int64_t whole = f.ledger.largest_whole_reply();
    const bool small = f.far_end && f.far_end->exact && f.far_end->mtu < f.intended;
    const bool lowered = small && whole > f.far_end->mtu;  // its interface has sent more than that in one piece
    if (small && !lowered && f.far_end->mtu <= f.ledger.largest_reply())
        return fail("mtu.far-interface-smaller",
                    "{}; {}, and so much passes; where its interface carries more, a device on the way is smaller", not_answered(f),
                    by_tcp(*f.far_end));
    if (!lost_there(f)) return there_or_back(f);
    if (!f.far_end)
        return fail("mtu.path-or-far-smaller", "{}; no router spoke, and no TCP port of {} answered to tell its interface's MTU",
                    smaller(f), f.address);
    if (lowered)
        return fail("mtu.path-or-far-smaller", "{}; {}, but it has sent {} bytes in one piece: advmss or a firewall lowers that size",
                    smaller(f), by_tcp(*f.far_end), whole);
    if (!f.far_end->exact && f.far_end->mtu < f.intended)
        return fail("mtu.path-or-far-smaller",
                    "{}; no router spoke, and TCP port {} of {} tells only that its interface carries {} at least", smaller(f),
                    f.far_end->port, f.address, f.far_end->mtu);
    return fail("mtu.path-smaller", "{}; the far interface carries {} bytes (by its TCP segment size, port {}), and no router spoke",
                smaller(f), f.far_end->mtu, f.far_end->port);
}

}  // namespace

std::string destination(const Findings& f) { return f.name == f.address ? f.address : fmt::format("{} ({})", f.name, f.address); }

Verdict blame(const Findings& f) {
    if (const auto refusal = f.ledger.refusal(); refusal && refusal->kind == Kind::local && refusal->error == EPERM)
        return fail("mtu.blocked-here", "{}; this machine itself refuses to send larger ones ({})", smaller(f),
                    std::generic_category().message(refusal->error));
    if (f.forward_carries.value_or(false)) return not_back(f);
    if (!f.ledger.routers().empty()) return router_smaller(f);
    return f.gateway ? routed(f) : on_link(f);
}

}  // namespace mtu
