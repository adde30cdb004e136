#include "causes.hpp"
#include "names.hpp"
#include "sweep_judge.hpp"

namespace diag::names {

static SweepQuestion question_of(const Context& c, World& world) {
    SweepQuestion question;
    question.addresses = c.list("addresses");
    question.most = static_cast<std::size_t>(c.integer("most"));
    if (c.given("interface")) question.plan.interface = world.bearer(c.text("interface")).name;  // also by an alternative name
    question.plan.count = static_cast<unsigned>(c.integer("count"));
    question.plan.interval = c.duration("interval");
    question.plan.timeout = c.duration("timeout");
    question.late = c.duration("late");
    question.min_alive = c.fraction("min_alive");
    return question;
}

static Verdict check_sweep(Context& c) {
    const auto world = system_world(c.root());
    return tell(c, judge_sweep(question_of(c, *world), *world), "sweep");
}

static void declare_causes(Check& check) {
    check
        .cause(
            "names.some-silent", mover::configuration, "Fewer of the addresses answer than must.",
            "diag check names.reach address={first} says why for one; see whether those machines are on, and whether a firewall drops echo")
        .cause("names.none-answers", mover::configuration,
               "None of the addresses answers: what they share is the likelier fault, this machine's own link, address or route, or a "
               "firewall that drops echo.",
               "diag check names.reach address={first}; ip -br addr; ip route get {first}")
        .cause("names.late", mover::configuration,
               "Addresses answer, and later than they should: a saturated or wireless link, a busy host, or a longer way than meant.",
               "compare with an idle moment; ip route get {first}; tracepath -n {first}")
        .cause("names.answers-dropped", mover::configuration,
               "Answers came faster than this machine took them, so who is silent is not known.",
               "a longer interval, or: sysctl -w net.core.rmem_max=16777216")
        .cause(
            "names.no-buffers", mover::configuration,
            "The kernel had no room for probes: its neighbour table, or the queue of an interface, is full; many silent addresses on one "
            "link do that.",
            "sweep fewer addresses at once, or a longer interval; dmesg (neighbour table overflow); sysctl "
            "net.ipv4.neigh.default.gc_thresh3");
}

void declare_sweep(Plugin& plugin) {
    Check& check = plugin.check("sweep", "Many addresses answer: who does, who is late, who answers twice, who does not", check_sweep);
    check.param("addresses", type::list, "addresses (10.0.0.1), prefixes (10.0.0.0/22), ranges (10.0.0.1-10.0.0.200) and names")
        .param("most", type::integer, "addresses in all; a longer list is refused before anything is sent", 4096)
        .within(1, 65536)
        .param("count", type::integer, "probes to each address", 1)
        .within(1, 10)
        .param("interval", type::duration, "between two packets, whoever they go to; those due within 1 ms leave together", "1ms")
        .within(1e-5, 1)
        .param("timeout", type::duration, "after which a probe is lost", "1s")
        .within(0.001, 60)
        .param("late", type::duration, "round trip above which an answer is late", "100ms")
        .within(0, 60)
        .param("min_alive", type::fraction, "share of the addresses that must answer", 1.0)
        .optional("interface", type::text, "interface over which the probes go and must be answered")
        .needs("icmp")
        .takes(60)                               // names: 10 s, and 35 more for the one that hangs; 15 s for room in a queue
        .takes_per("most*count*interval", 1.02)  // the schedule, and its slips
        .takes_per("timeout", 1);
    declare_causes(check);
    declare_resolver_causes(check);
    declare_local_causes(check);
    declare_answer_causes(check);
}

}  // namespace diag::names
