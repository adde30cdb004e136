#include "decide.hpp"

#include <cerrno>
#include <system_error>

#include <fmt/format.h>

namespace mtu {
namespace {

using diag::fail;
using diag::Verdict;

std::string destination(const Findings& f) { return f.name == f.address ? f.address : fmt::format("{} ({})", f.name, f.address); }

std::string smaller(const Findings& f) {
    return fmt::format("a {}-byte packet does not arrive; the largest that does is {} bytes", f.intended, f.ledger.largest_reply());
}

// A fact that stands beside every verdict: it limits TCP, and the probes do not see it.
std::string cached(const Findings& f) {
    if (!f.cached_mtu) return "";
    return fmt::format("; a cached path MTU of {} bytes, ignored here, limits other traffic until it expires (ip route get {})",
                       *f.cached_mtu, f.address);
}

// No echo, but something else is answered: then the host is there, and some of the sizes can still be told.
std::optional<Verdict> alive_without_echo(const Findings& f) {
    if (f.forward_carries.value_or(false))
        return diag::warn("mtu.echo-filtered",
                          "{}-byte packets reach {} (UDP, one way), but it answers no echo, so the way back cannot be measured", f.intended,
                          destination(f));
    if (f.small_arrives)
        return fail(
            "mtu.path-or-far-smaller",
            "a {}-byte packet does not reach {} (UDP, one way), a small one does; it answers no echo, so the exact size cannot be told",
            f.intended, destination(f));
    if (f.far_end)
        return fail("mtu.echo-filtered", "{} is alive (TCP port {} accepts), but answers neither echo nor UDP: no size can be measured",
                    destination(f), f.far_end->port);
    return std::nullopt;
}

Verdict unanswered(const Findings& f) {
    if (auto alive = alive_without_echo(f)) return std::move(*alive);
    const auto refusal = f.ledger.refusal();
    std::string why = "no probe of any size was answered";
    if (refusal && refusal->kind == Kind::local)
        why = fmt::format("this machine would not send: {}", std::generic_category().message(refusal->error));
    else if (refusal)
        why = fmt::format("{} refuses the probes (ICMP type {}, code {})", refusal->sender, refusal->type, refusal->code);
    return fail("mtu.no-answer", "{} does not answer: {}; that is a matter of reachability, not of size", destination(f), why);
}

// The path carries it, the kernel's other traffic does not use it.
std::optional<Verdict> own_limit(const Findings& f) {
    if (f.route_mtu && *f.route_mtu < f.intended)
        return fail("mtu.route-smaller", "the path to {} carries {} bytes, but this machine's own route to it says mtu {}{}",
                    destination(f), f.intended, *f.route_mtu, cached(f))
            .with("route_mtu", *f.route_mtu);
    if (f.ipv6_mtu && *f.ipv6_mtu < f.intended)
        return fail("mtu.ipv6-smaller", "the path to {} carries {} bytes, but IPv6 uses only {} on {}{}", destination(f), f.intended,
                    *f.ipv6_mtu, f.interface, cached(f));
    return std::nullopt;
}

// The intended size arrives: what is left are the way back, our own limits, and loss.
Verdict intended_arrives(const Findings& f) {
    if (const std::int64_t fragment = f.ledger.fragment_at(f.intended); fragment > 0)
        return fail("mtu.return-smaller", "{}-byte packets reach {}, but its answers come back in fragments of at most {} bytes{}",
                    f.intended, destination(f), fragment, cached(f))
            .with("return_mtu", fragment);
    if (auto limit = own_limit(f)) return std::move(*limit);
    const Tally all = f.ledger.up_to(f.intended);
    if (all.lost() > 1 || all.loss() > f.max_loss) {
        Verdict lossy =
            fail("mtu.path-lossy", "{}-byte packets reach {}, but {} of {} probes were lost, {} of {} of the intended size{}", f.intended,
                 destination(f), all.lost(), all.sent, f.ledger.of(f.intended).lost(), f.ledger.of(f.intended).sent, cached(f));
        if (all.loss() <= f.max_loss) lossy.outcome = diag::Outcome::warn;
        return lossy;
    }
    return diag::pass("{}-byte packets reach {} and come back whole{}", f.intended, destination(f), cached(f));
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

// Behind a router, and nobody spoke: the hop-limited probes tell how far the large ones came.
Verdict routed(const Findings& f) {
    if (!f.trace || !f.trace->anybody())
        return fail("mtu.black-hole", "{}; no router says so, and none answers hop-limited probes (first hop {})", smaller(f), *f.gateway)
            .with("last_hop", *f.gateway);
    const std::size_t last = f.trace->last_large();
    if (last == 0 && !f.trace->hops.front().router.empty())
        return fail("mtu.path-smaller", "{}; large packets do not even reach the first router {}, and no router spoke", smaller(f),
                    f.trace->at(1));
    const std::string last_hop = last == 0 ? *f.gateway : f.trace->at(last);
    return fail("mtu.black-hole", "{}; {} still answers large packets, {} does not, and no router says why", smaller(f), last_hop,
                f.trace->at(last + 1))
        .with("last_hop", last_hop);
}

// On one link: a device in between, or the far interface; only the peer itself can tell which.
Verdict on_link(const Findings& f) {
    if (!f.far_end || (!f.far_end->exact && f.far_end->mtu < f.intended))
        return fail("mtu.path-or-far-smaller", "{}; no router spoke, and no TCP port of {} answered to tell its interface's MTU",
                    smaller(f), f.address);
    if (f.far_end->mtu < f.intended && f.far_end->mtu <= f.ledger.largest_reply())
        return fail("mtu.far-interface-smaller", "{}; the far interface carries {} bytes (by its TCP segment size, port {})", smaller(f),
                    f.far_end->mtu, f.far_end->port);
    return fail("mtu.path-smaller", "{}; the far interface carries {} bytes (by its TCP segment size, port {}), and no router spoke",
                smaller(f), f.far_end->mtu, f.far_end->port);
}

Verdict exactly_smaller(const Findings& f) {
    if (const auto refusal = f.ledger.refusal(); refusal && refusal->kind == Kind::local && refusal->error == EPERM)
        return fail("mtu.blocked-here", "{}; this machine itself refuses to send larger ones ({})", smaller(f),
                    std::generic_category().message(refusal->error));
    if (f.forward_carries.value_or(false))
        return fail("mtu.return-smaller",
                    "{}-byte packets do reach {}, but answers of that size are lost on the way back; the largest that returns is {} bytes",
                    f.intended, destination(f), f.ledger.largest_reply())
            .with("return_mtu", f.ledger.largest_reply());
    if (!f.ledger.routers().empty()) return router_smaller(f);
    return f.gateway ? routed(f) : on_link(f);
}

Verdict unclear(const Findings& f) {
    const std::int64_t carries = f.ledger.largest_reply();
    const Tally passing = f.ledger.up_to(carries);
    return fail("mtu.path-unclear",
                "no {}-byte packet arrived at {}; {} bytes do, but {} of {} probes up to that size were lost, too many to tell the limit",
                f.intended, destination(f), carries, passing.lost(), passing.sent);
}

Verdict judge(const Findings& f) {
    switch (f.found) {
        case Found::intended:
            return intended_arrives(f);
        case Found::exact:
            return exactly_smaller(f);
        case Found::unclear:
            return unclear(f);
        case Found::no_answer:
            break;
    }
    return unanswered(f);
}

}  // namespace

Verdict decide(const Findings& f) {
    Verdict verdict = judge(f);
    verdict.values["address"] = f.address;
    verdict.values["source"] = f.source;
    verdict.values["interface"] = f.interface;
    verdict.values["carries"] = f.ledger.largest_reply();
    if (f.found == Found::exact) verdict.reason += cached(f);
    return verdict;
}

std::string summary(const Findings& f) {
    const std::int64_t headers = f.v6 ? 48 : 28;  // IP and ICMP
    const std::int64_t carries = f.ledger.largest_reply();
    const Tally intended = f.ledger.of(f.intended);
    std::string text;
    const int unanswered = intended.sent - intended.replied;
    const char* how = intended.refused == 0 ? "lost" : intended.lost() == 0 ? "refused" : "refused or lost";
    if (unanswered > 0) text = fmt::format("{}-byte probe {} {} of {}", f.intended - headers, how, unanswered, intended.sent);
    if (carries > 0)
        text +=
            fmt::format("{}{}-byte probe answered in {:.3g} ms", text.empty() ? "" : "; ", carries - headers, f.ledger.round_trip(carries));
    for (const auto& router : f.ledger.routers()) text += fmt::format("; {} said {}", router.address, router.said);
    if (f.ledger.routers().empty() && carries < f.intended) text += "; no router spoke";
    return text;
}

}  // namespace mtu
