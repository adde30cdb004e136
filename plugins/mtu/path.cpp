#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstdint>

#include <fmt/format.h>

#include <diag/declare.hpp>

#include "checks.hpp"
#include "decide.hpp"
#include "echo_prober.hpp"
#include "one_way.hpp"
#include "probe/tcp_mss.hpp"
#include "target.hpp"

namespace mtu {
namespace {

using diag::Context;
using diag::Verdict;

constexpr std::int64_t smallest_v4 = 68;  // what every link carries: RFC 791
constexpr std::int64_t smallest_v6 = 96;  // less than the 1280 of RFC 8200, so that a link that breaks it is measured, too
// Asked once each, so a busy far end gets more time than a probe that is repeated.
constexpr std::chrono::milliseconds least_udp_patience{200}, least_tcp_patience{400};

struct Question {
    std::string name;
    std::int64_t intended = 0;  // bytes
    int probes = 3;
    double max_loss = 0;  // share
    std::vector<unsigned> ports;
};

unsigned port_number(const std::string& text) {
    unsigned port = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), port);
    if (error != std::errc{} || end != text.data() + text.size() || port == 0 || port > 65535)
        throw diag::BadValue("parameter 'ports': '" + text + "' is no TCP port");
    return port;
}

Question read_question(const Context& c) {
    Question q{
        c.text(c.given("name") ? "name" : "address"), c.bytes("mtu"), static_cast<int>(c.integer("probes")), c.fraction("max_loss"), {}};
    for (const auto& port : c.list("ports")) q.ports.push_back(port_number(port));
    return q;
}

Findings subject(const Question& q, const Target& target) {
    Findings f;
    f.name = q.name;
    f.address = target.address.text();
    f.source = target.route.source ? target.route.source->text() : "";
    f.interface = target.interface.name;
    f.v6 = target.address.v6();
    f.intended = q.intended;
    f.max_loss = q.max_loss;
    if (target.route.gateway) f.gateway = target.route.gateway->text();
    f.route_mtu = target.own_mtu;
    if (f.v6 && target.interface.ipv6_mtu > 0) f.ipv6_mtu = target.interface.ipv6_mtu;
    if (target.route.mtu && target.route.mtu != target.own_mtu) f.cached_mtu = target.route.mtu;
    return f;
}

// What answers beside echo: which side of a silent limit is at fault, or whether a host that is silent is alive.
void find_culprit(const Question& q, const Target& target, std::int64_t small, EchoProber& prober, Findings& f) {
    const OneWay way = ask_one_way(target.address, f.interface, small, q.intended, std::max(least_udp_patience, prober.patience()));
    f.small_arrives = way.small;
    f.forward_carries = way.large;
    const auto patience = std::max(least_tcp_patience, prober.patience());
    if (const auto mss = diag::probe::peer_mss(target.address, q.ports, f.interface, patience))
        f.far_end = FarEnd{mss->port, mss->mtu(f.v6), mss->exact};
}

// One of the intended size at a time, so often that a path which loses as much as its volleys would hardly answer each.
Slowly ask_slowly(Prober& prober, const Sizes& sizes, double loss, Ledger& ledger) {
    constexpr double doubt = 0.05;
    const int wanted = static_cast<int>(std::ceil(std::log(doubt) / std::log(1 - std::min(loss, 0.9))));
    Slowly slowly;
    while (slowly.sent < wanted && slowly.replied == slowly.sent) {
        prober.rest();
        const auto outcomes = prober.volley({{sizes.intended}});
        ledger.add(outcomes);
        ++slowly.sent;
        slowly.replied += outcomes.front().kind == Kind::reply ? 1 : 0;
    }
    return slowly;
}

// More of both sizes, where something was lost although the intended size arrives: chance, a lossy path, or a limit on echo?
void count_losses(Prober& prober, const Sizes& sizes, Findings& f) {
    constexpr std::size_t again = 10;
    constexpr double much = 0.35;  // less is no limit: a volley is several times what one lets through
    std::vector<Probe> probes(again, Probe{sizes.intended});
    probes.insert(probes.end(), again, Probe{sizes.floor});
    f.ledger.add(prober.volley(probes));
    const double loss = f.ledger.unanswered(sizes.intended);
    if (loss > much) f.slowly = ask_slowly(prober, sizes, loss, f.ledger);
}

Findings probe_path(const Question& q, const Target& target) {
    Findings f = subject(q, target);
    const Sizes sizes{q.intended, std::min(q.intended, f.v6 ? smallest_v6 : smallest_v4), q.probes};
    EchoProber prober(target.address, f.interface, f.v6 ? std::nullopt : target.route.source);
    ask_intended(prober, sizes, f.ledger);
    const std::int64_t passes = f.ledger.largest_reply();
    // Before the search: its many probes would use up what routers are willing to answer.
    if (f.gateway && passes > 0 && passes < q.intended && f.ledger.routers().empty())
        f.trace = trace(prober, sizes.floor, q.intended, f.ledger);
    f.found = narrow(prober, sizes, f.ledger);
    if (f.found == Found::intended && f.ledger.unanswered(q.intended) > 0) count_losses(prober, sizes, f);
    if (f.found == Found::exact || (f.found == Found::no_answer && !f.ledger.refusal())) find_culprit(q, target, sizes.floor, prober, f);
    return f;
}

std::string evidence(const Findings& f) {
    std::string text =
        fmt::format("to {} over {}{}\n", f.address, f.interface, f.gateway ? ", by the router " + *f.gateway : ", on the link");
    if (f.route_mtu) text += fmt::format("the route's own MTU: {} bytes\n", *f.route_mtu);
    if (f.ipv6_mtu && *f.ipv6_mtu < f.intended) text += fmt::format("what IPv6 uses of the interface's MTU: {} bytes\n", *f.ipv6_mtu);
    if (f.cached_mtu) text += fmt::format("cached path MTU, ignored by the probes: {} bytes\n", *f.cached_mtu);
    text += f.ledger.text();
    if (f.forward_carries)
        text += fmt::format("UDP, {} bytes, one way: {}\n", f.intended, *f.forward_carries ? "arrives" : "lost, a small one arrives");
    else if (f.found == Found::exact || f.found == Found::no_answer)
        text +=
            fmt::format("UDP, {} bytes, one way: not known, {}\n", f.intended, f.small_arrives ? "few are answered" : "none is answered");
    if (f.far_end)
        text += fmt::format("TCP port {}: the far interface's MTU is {}{}\n", f.far_end->port, f.far_end->exact ? "" : "at least ",
                            f.far_end->mtu);
    return text;
}

void report(Context& c, const Findings& f, const std::string& name) {
    c.saw(summary(f));
    const std::int64_t carries = f.ledger.largest_reply();
    if (carries > 0) {
        c.measure("path_mtu", static_cast<double>(carries), diag::unit::bytes, diag::at_least(static_cast<double>(f.intended)));
        c.measure("round_trip", f.ledger.round_trip(carries), diag::unit::milliseconds);
        c.measure("loss", volleys_limited(f) ? 0 : f.ledger.up_to(carries).loss(), diag::unit::fraction,
                  f.found == Found::intended ? diag::at_most(f.max_loss) : diag::no_limit);
    }
    c.evidence(name, evidence(f));
}

Verdict judge_target(Context& c, const Question& q, const Target& target, const std::string& evidence_name) {
    const std::string address = target.address.text();
    const std::string to = q.name == address ? address : fmt::format("{} ({})", q.name, address);
    c.asked(fmt::format("{} bytes, unfragmented, {} -> {}", q.intended, target.interface.name, to));
    if (target.interface.mtu < q.intended) {
        c.saw(fmt::format("{} carries {} bytes; nothing was sent", target.interface.name, target.interface.mtu));
        return diag::fail("mtu.interface-smaller", "this machine's own {} carries {} bytes, not {}", target.interface.name,
                          target.interface.mtu, q.intended)
            .with("interface", target.interface.name);
    }
    const Findings findings = probe_path(q, target);
    report(c, findings, evidence_name);
    return decide(findings);
}

// The remedies speak of a name; an address stands for it where there is none.
Verdict named(Verdict verdict, const Question& q) {
    verdict.values.emplace("name", q.name);
    return verdict;
}

Verdict check_path(Context& c) {
    if (!c.given("name") && !c.given("address")) return diag::skip("the site file gives neither a name nor an address of the far end");
    const Question q = read_question(c);
    const auto found = find_targets(q.name, c.given("interface") ? c.text("interface") : "");
    if (const auto* verdict = std::get_if<Verdict>(&found)) return named(*verdict, q);
    Verdict worst;
    int number = 0;
    for (const auto& target : std::get<std::vector<Target>>(found)) {
        ++number;
        Verdict verdict = judge_target(c, q, target, number == 1 ? "probes" : fmt::format("probes-{}", number));
        if (verdict.outcome == diag::Outcome::fail) return named(std::move(verdict), q);
        if (number == 1 || verdict.outcome == diag::Outcome::warn) worst = std::move(verdict);
    }
    return named(std::move(worst), q);
}

}  // namespace

void declare_path(diag::Plugin& plugin) {
    auto& check = plugin.check("path", "The path carries the intended packet size, unfragmented, there and back", check_path);
    check.optional("name", diag::type::text, "host name of the far end; an address will do")
        .optional("address", diag::type::text, "address of the far end, where no name is given")
        .optional("interface", diag::type::text, "the interface it must leave by; without it the route decides")
        .param("mtu", diag::type::bytes, "intended size of a whole IP packet", 1500)
        .within(smallest_v4, 65535)
        .param("ports", diag::type::list, "TCP ports tried for the far end's segment size, when the path is smaller",
               diag::json::array({"22", "111", "2049", "5201"}))
        .param("probes", diag::type::integer, "probes of the intended size, and of each side of the limit", 3)
        .within(1, 20)
        .param("max_loss", diag::type::fraction, "share of the probes up to the intended size that may be lost", 0.1)
        .on_absent("mtu.interface-absent")
        .needs("icmp")
        .column("Path MTU", "measured.path_mtu")
        .takes(24)  // 12 of them for a name that is slow to be looked up (target.cpp)
        .side_by_side();
    declare_path_causes(check);
}

}  // namespace mtu
