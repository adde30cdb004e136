#include <diag/units.hpp>

#include "link.hpp"
#include "pair_addresses.hpp"
#include "pair_causes.hpp"
#include "pair_proof.hpp"

namespace diag::link {
namespace {

using namespace std::chrono_literals;

constexpr auto state_patience = 15s;
constexpr auto question_between = 60s;

std::string machine_name(const Context& c) { return c.machine().empty() ? "this machine" : c.machine(); }

// What `ethtool --set-fec` calls it; "auto" plans nothing that could be compared.
std::optional<probe::FecMode> planned_fec(const Context& c) {
    if (!c.given("fec") || c.text("fec") == "auto") return std::nullopt;
    for (const auto mode : {probe::FecMode::off, probe::FecMode::rs, probe::FecMode::baser, probe::FecMode::llrs})
        if (c.text("fec") == to_text(mode)) return mode;
    throw BadValue("parameter 'fec': '" + c.text("fec") + "' is none of auto, off, rs, baser and llrs");
}

std::optional<std::string> planned_duplex(const Context& c) {
    if (!c.given("duplex")) return std::nullopt;
    if (c.text("duplex") != "full" && c.text("duplex") != "half")
        throw BadValue("parameter 'duplex': '" + c.text("duplex") + "' is neither full nor half");
    return c.text("duplex");
}

PairPlan pair_plan(const Context& c) {
    PairPlan plan;
    if (c.given("speed")) plan.speed = c.rate("speed");
    plan.duplex = planned_duplex(c);
    if (c.given("mtu")) plan.mtu = c.bytes("mtu");
    if (c.given("autonegotiation")) plan.autonegotiation = c.boolean("autonegotiation");
    plan.fec = planned_fec(c);
    return plan;
}

// This end, as its own half sees it; its addresses, where a machine tells them (a captured tree does not).
struct OwnSide {
    EndState end;
    std::vector<OwnedAddress> addresses;
    std::string misplaced{};  // where its planned address is instead; "" where all is well, or nothing is planned
};

OwnSide own_side(Context& c, const std::string& interface, const char* address) {
    OwnSide side{see_end(c.root(), machine_name(c), interface), {}};
    if (side.end.presence != EndState::Presence::here) return side;
    const auto world = system_world(c.root());
    const Machine machine(*world);
    side.addresses = own_addresses(machine);
    if (c.given(address) && c.root().empty()) side.misplaced = misplaced(machine_name(c), interface, c.text(address), side.addresses);
    if (side.end.mtu.value) c.measure("mtu", static_cast<double>(*side.end.mtu.value), unit::bytes);
    if (side.end.speed.value) c.measure("speed", static_cast<double>(side.end.speed.value->bits_per_second), unit::bit_per_s);
    c.evidence("interfaces", machine.table());
    return side;
}

OwnSide side_from(const json& told) {
    if (!told.is_object() || !told.contains("end") || !told.contains("addresses")) throw Unreadable("the far end tells nothing of itself");
    return {end_from(told["end"]), addresses_from(told["addresses"]), told.value("misplaced", "")};
}

void add_clashes(const Context& c, const OwnSide& here, const OwnSide& there, Finding& finding) {
    const auto text = [&](const char* name) { return c.given(name) ? std::optional(c.text(name)) : std::nullopt; };
    const auto clash = judge_clashes(
        {here.end.machine, there.end.machine, text("address"), text("peer_address"), here.addresses, there.addresses}, finding.saw);
    if (!clash) return;
    const std::vector<Verdict> all = finding.verdict.outcome == Outcome::pass ? std::vector{*clash} : std::vector{finding.verdict, *clash};
    finding.verdict = worst_of(all, finding.saw);
}

Verdict check_pair(Context& c) {
    const PairPlan plan = pair_plan(c);
    c.tell({{"want", "end"}});
    const OwnSide here = own_side(c, c.text("interface"), "address"), there = side_from(c.hear(state_patience));
    const WiringProof proof = prove_wiring(c, here.end, there.end);
    Finding finding = judge_pair({here.end, there.end, plan, proof.heard});
    if (!proof.words.empty()) finding.saw += "; " + proof.words;
    add_clashes(c, here, there, finding);
    for (const auto* side : {&here, &there})
        if (!side->misplaced.empty())
            finding.verdict = worst_of(
                {finding.verdict,
                 fail("link.end-address", "{}", side->misplaced).with("machine", side->end.machine).with("interface", side->end.interface)},
                finding.saw);
    return std::move(finding).tell(c);
}

// Ends with CompanionGone, when the half here has heard enough; or with what this end alone knows to be wrong.
Verdict serve_pair(Context& c) {
    for (;;) {
        const json question = c.hear(question_between);
        if (answer_wiring(c, question)) continue;
        const OwnSide side = own_side(c, c.text("peer_interface"), "peer_address");
        c.tell({{"end", to_json(side.end)}, {"addresses", to_json(side.addresses)}, {"misplaced", side.misplaced}});
        if (side.end.presence == EndState::Presence::absent)
            return fail("link.end-absent", "{}", side.end.why).with("machine", side.end.machine).with("interface", side.end.interface);
    }
}

}  // namespace

void declare_pair(Plugin& plugin) {
    Check& check = plugin.check("pair", "Both ends agree, and are wired as planned", check_pair);
    check.there(serve_pair)
        .param_or_skip("interface", type::text, "interface name of this end")
        .param_or_skip("peer_interface", type::text, "interface name of the far end, on its machine")
        .optional("speed", type::rate, "planned speed: where the ends differ, it says which has to move; link.state judges it")
        .optional("duplex", type::text, "full or half")
        .optional("mtu", type::bytes, "MTU that both must have")
        .optional("fec", type::text, "forward error correction that both must use: off, rs, baser or llrs")
        .optional("autonegotiation", type::boolean, "whether both must negotiate")
        .optional("address", type::text, "this end's address")
        .optional("peer_address", type::text, "the far end's; proves the wiring where packet sockets may not be opened")
        .takes(20)
        .side_by_side();
    declare_pair_causes(check);
}

}  // namespace diag::link
