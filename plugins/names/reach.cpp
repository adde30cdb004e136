#include "causes.hpp"
#include "given.hpp"
#include "names.hpp"
#include "reach_judge.hpp"

namespace diag::names {

static std::chrono::milliseconds in_milliseconds(std::chrono::nanoseconds time) {
    return std::chrono::ceil<std::chrono::milliseconds>(time);
}

static ReachQuestion reach_question(const Context& c, World& world) {
    ReachQuestion question;
    question.name = given(c, "name");
    question.address = given(c, "address");
    if (c.given("interface")) question.plan.interface = world.bearer(c.text("interface")).name;  // also by an alternative name
    question.plan.count = static_cast<unsigned>(c.integer("count"));
    question.plan.interval = in_milliseconds(c.duration("interval"));
    question.plan.timeout = in_milliseconds(c.duration("timeout"));
    question.max_loss = c.fraction("max_loss");
    question.tcp_port = static_cast<unsigned>(c.integer("tcp_port"));
    return question;
}

static Verdict check_reach(Context& c) {
    const auto world = system_world(c.root());
    return tell(c, judge_reach(reach_question(c, *world), *world), "echo");
}

static void declare_refusals(Check& check) {
    check
        .cause("names.rejected", mover::configuration,
               "Somebody refuses the probes and says so: a firewall, or a router with a route that prohibits them.",
               "on {sender}: nft list ruleset (or ufw status), and ip route show type prohibit; let ICMP echo in from this machine")
        .cause("names.unreachable", mover::configuration, "A router on the way has no route to the address, or gets no answer behind it.",
               "on {sender}: ip route get ADDRESS, and whether the host behind it is up")
        .cause("names.routing-loop", mover::configuration, "Routers send the probes round in a circle.",
               "compare the routes of {sender} and of its next hop for that address")
        .cause("names.too-many", mover::configuration, "The name has more addresses than are probed: it is a service, and no machine.",
               "name one machine, or ask all of its addresses: diag check names.sweep addresses={name}")
        .cause("names.address-invalid", mover::configuration, "The site file gives an address that is none.",
               "write a plain IPv4 or IPv6 address, without a prefix length, instead of {address}");
}

static void declare_silences(Check& check) {
    check
        .cause(
            "names.no-neighbour", mover::owner,
            "Nobody on the link has the address: the machine is off or unplugged, has another address or the MAC of this machine, or is in "
            "another VLAN.",
            "see whether it is on and cabled to the same link; on it: ip -br addr, ip -br link; here: ip neigh show dev {output}")
        .cause("names.no-gateway", mover::configuration, "The router towards the address does not answer on its link.",
               "ip route; ip neigh show {gateway}; see whether the router is on, and that its address is right")
        .cause("names.answers-elsewhere", mover::configuration,
               "The address is silent over the interface asked for and answers over another: two interfaces in one network, or the cable "
               "of another link.",
               "ip -br addr on both ends; give each link its own prefix, and see which cable goes where; {interface} is the one meant")
        .cause("names.answers-return-elsewhere", mover::configuration,
               "Probes leave by the interface asked for, and their answers come in by another: the far end's way back is another link.",
               "on {peer}: ip route get {own}; ip rule; remove the route or rule there that leads it away from this link")
        .cause(
            "names.silent", mover::configuration,
            "Nothing that was asked is answered, though the host, or the router to it, is on the link, or cannot be asked whether it is.",
            "nft list ruleset on both machines: what their firewalls drop; on the host: ip -br addr, ip route (the way back), whether "
            "it hangs")
        .cause("names.echo-filtered", mover::configuration, "The host is alive (TCP answers), but ICMP echo to it is dropped.",
               "let ICMP echo in on the host's firewall, so that it can be watched: nft list ruleset")
        .cause("names.echo-unasked", mover::configuration,
               "The host is alive (TCP answers). It answers no UDP probe, and this user may not send the ICMP echo that would tell more.",
               "ask again as root; or let users send echo: sysctl -w net.ipv4.ping_group_range='0 2147483647'")
        .cause("names.echo-limited", mover::configuration,
               "Quick probes are dropped after a burst, and slow ones all come back: a firewall or the host limits the rate of echo. The "
               "link loses nothing.",
               "nft list ruleset, iptables -S, here and on the host (limit); or ask as slowly as it allows: interval=1s");
}

void declare_reach(Plugin& plugin) {
    Check& check = plugin.check("reach", "Every address of the name answers", check_reach);
    check.optional("name", type::text, "name whose addresses are all probed")
        .optional("address", type::text, "address to probe where no name is given")
        .optional("interface", type::text, "interface over which the probes go and must be answered")
        .param("count", type::integer, "probes to each address", 5)
        .within(1, 1000)
        .param("interval", type::duration, "between two probes to one address", "200ms")
        .within(0, 1)
        .param("timeout", type::duration, "after which a probe is lost", "1s")
        .param("max_loss", type::fraction, "share of the probes that may be lost; 0, because a local link loses none", 0.0)
        .param("tcp_port", type::integer, "port that is tried once where no echo is answered; 0: none", 22)
        .within(0, 65535)
        .takes(52)                 // a look-up as in names.resolve; 3.5 for a router's word; 13 for rate limits, in two groups of addresses
        .takes_per("count", 1.05)  // UDP probes, the slowest way, go out once a second
        .takes_per("timeout", 7)   // the last probe; then, in two groups: two more looks, and TCP
        .side_by_side();
    declare_resolver_causes(check);
    declare_refusals(check);
    declare_silences(check);
    declare_local_causes(check);
    declare_answer_causes(check);
}

}  // namespace diag::names
