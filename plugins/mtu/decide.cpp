#include "decide.hpp"

#include <algorithm>
#include <cstdint>
#include <system_error>

#include <fmt/format.h>

#include "blame.hpp"

namespace mtu {
namespace {

using diag::fail;
using diag::Verdict;

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
    if (f.forward_carries)
        return fail(
            "mtu.path-or-far-smaller",
            "a {}-byte packet does not reach {} (UDP, one way), a small one does; it answers no echo, so the exact size cannot be told",
            f.intended, destination(f));
    if (f.small_arrives)
        return fail("mtu.echo-filtered",
                    "{} is alive (it answers small UDP packets, and not always), but answers no echo: no size can be measured",
                    destination(f));
    if (f.far_end)
        return fail("mtu.echo-filtered", "{} is alive (TCP port {} accepts), but answers neither echo nor UDP: no size can be measured",
                    destination(f), f.far_end->port);
    return std::nullopt;
}

// Of ICMP "unreachable": administratively prohibited, which a firewall says, and a router's `prohibit` route as well
// (RFC 1812, 5.2.7.1; RFC 4443, 3.1; Linux net/ipv4/fib_semantics.c, fib_props).
bool prohibited(const Outcome& o, bool v6) {
    return v6 ? o.type == 1 && o.code == 1 : o.type == 3 && (o.code == 9 || o.code == 10 || o.code == 13);
}

// Why nothing came back.
std::string silence(const Findings& f) {
    const auto refusal = f.ledger.refusal();
    if (!refusal) return "no probe of any size was answered";
    if (refusal->kind == Kind::local)
        return fmt::format("this machine would not send: {}", std::generic_category().message(refusal->error));
    // The kernel says "host unreachable" to itself, from our own address, where the next hop does not answer.
    const bool own = refusal->sender == f.source;
    if (own && refusal->code == (f.v6 ? 3 : 1))
        return fmt::format("this machine finds no {} on {} (ICMP type {}, code {})", f.gateway ? "router " + *f.gateway : "such neighbour",
                           f.interface, refusal->type, refusal->code);
    return fmt::format("{} refuses the probes (ICMP type {}, code {}{})", own ? "this machine itself" : refusal->sender, refusal->type,
                       refusal->code, prohibited(*refusal, f.v6) ? ": prohibited, by a firewall or by a route" : "");
}

Verdict unanswered(const Findings& f) {
    if (auto alive = alive_without_echo(f)) return std::move(*alive);
    return fail("mtu.no-answer", "{} does not answer: {}; that is a matter of reachability, not of size", destination(f), silence(f));
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

// A fragment carries a multiple of 8 bytes (RFC 791), so the MTU may be up to 7 bytes above it.
Verdict back_in_fragments(const Findings& f, std::int64_t fragment) {
    return fail("mtu.return-smaller",
                "{}-byte packets reach {}, but its answers come back in fragments of at most {} bytes: its interface, its route back or a "
                "path MTU that it has cached carries {} to {} bytes{}",
                f.intended, destination(f), fragment, fragment, std::min(fragment + 7, f.intended - 1), cached(f))
        .with("return_mtu", fragment);
}

// The intended size arrives: what is left are the way back, our own limits, and loss.
Verdict intended_arrives(const Findings& f) {
    if (const std::int64_t fragment = f.ledger.fragment_at(f.intended); fragment > 0) return back_in_fragments(f, fragment);
    if (auto limit = own_limit(f)) return std::move(*limit);
    const Tally all = f.ledger.up_to(f.intended);
    if (volleys_limited(f))
        return diag::pass(
            "{}-byte packets reach {} and come back whole; echo is limited there: each of {} probes a second apart was answered, of "
            "those in volleys only some{}",
            f.intended, destination(f), f.slowly->sent, cached(f));
    if (all.lost() > 1 || all.loss() > f.max_loss) {
        Verdict lossy =
            fail("mtu.path-lossy", "{}-byte packets reach {}, but {} of {} probes were lost, {} of {} of the intended size{}", f.intended,
                 destination(f), all.lost(), all.sent, f.ledger.of(f.intended).lost(), f.ledger.of(f.intended).sent, cached(f));
        if (all.loss() <= f.max_loss) lossy.outcome = diag::Outcome::warn;
        return lossy;
    }
    return diag::pass("{}-byte packets reach {} and come back whole{}", f.intended, destination(f), cached(f));
}

Verdict limited(const Findings& f) {
    return fail("mtu.echo-limited",
                "no {}-byte packet was answered by {}; {} bytes were, but so few probes are answered at a time that the largest size "
                "cannot be told",
                f.intended, destination(f), f.ledger.largest_reply());
}

Verdict unclear(const Findings& f) {
    const std::int64_t carries = f.ledger.largest_reply();
    const Tally passing = f.ledger.up_to(carries);
    return fail(
        "mtu.path-unclear",
        "no {}-byte packet was answered by {}; {} bytes do, but {} of {} probes up to that size were lost, too many to tell the limit",
        f.intended, destination(f), carries, passing.lost(), passing.sent);
}

Verdict judge(const Findings& f) {
    switch (f.found) {
        case Found::intended:
            return intended_arrives(f);
        case Found::exact:
            return blame(f);
        case Found::limited:
            return limited(f);
        case Found::unclear:
            return unclear(f);
        case Found::no_answer:
            break;
    }
    return unanswered(f);
}

}  // namespace

bool volleys_limited(const Findings& f) { return f.slowly && f.slowly->replied == f.slowly->sent; }

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
    const int sent = intended.sent + intended.unheard, unanswered = sent - intended.replied;
    const char* how = intended.refused == 0 ? "lost" : unanswered == intended.refused ? "refused" : "refused or lost";
    if (unanswered > 0) text = fmt::format("{}-byte probe {} {} of {}", f.intended - headers, how, unanswered, sent);
    if (carries > 0)
        text +=
            fmt::format("{}{}-byte probe answered in {:.3g} ms", text.empty() ? "" : "; ", carries - headers, f.ledger.round_trip(carries));
    for (const auto& router : f.ledger.routers()) text += fmt::format("; {} said {}", router.address, router.said);
    if (f.ledger.routers().empty() && carries < f.intended) text += "; no router spoke";
    return text;
}

}  // namespace mtu
