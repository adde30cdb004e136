#include "blame.hpp"

#include <cerrno>
#include <system_error>

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
                "{}; whether it is lost on the way there or its answer on the way back is not known: {} answers no UDP{}", not_answered(f),
                f.address, far);
}

// The way there is whole, and large echo does not come back.
Verdict not_back(const Findings& f) {
    return fail("mtu.return-smaller-or-filtered",
                "{}-byte packets do reach {} (UDP, one way), but echo of that size is not answered, and the largest that is has {} bytes: "
                "the way back carries less, or a firewall drops large echo, there or here",
                f.intended, destination(f), f.ledger.largest_reply())
        .with("return_mtu", f.ledger.largest_reply());
}

Verdict router_smaller(const Findings& f) {
    const Router& router = f.ledger.routers().front();
    const std::int64_t carries = f.ledger.largest_reply();
    std::string truth = "which is true";
    if (router.said == 0)
        truth = "without saying which MTU it has";
    else if (router.said > carries)
        truth = fmt::format("but not even that arrives: something behind it is smaller and silent, and {} bytes are the most", carries);
    else if (router.said < carries)
        truth = fmt::format("but {} bytes do pass", carries);
    return fail("mtu.router-smaller", "{}; the router {} says that its next link carries {} bytes, {}", smaller(f), router.address,
                router.said, truth)
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

// On one link: a device in between, or the far interface; only the peer itself can tell which.
Verdict on_link(const Findings& f) {
    const bool limited = f.far_end && f.far_end->exact && f.far_end->mtu < f.intended && f.far_end->mtu <= f.ledger.largest_reply();
    if (limited)
        return fail("mtu.far-interface-smaller", "{}; the far interface carries {} bytes (by its TCP segment size, port {})",
                    not_answered(f), f.far_end->mtu, f.far_end->port);
    if (!lost_there(f)) return there_or_back(f);
    if (!f.far_end)
        return fail("mtu.path-or-far-smaller", "{}; no router spoke, and no TCP port of {} answered to tell its interface's MTU",
                    smaller(f), f.address);
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
