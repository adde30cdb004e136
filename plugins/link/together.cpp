#include "together.hpp"

#include <algorithm>
#include <chrono>
#include <future>
#include <thread>

#include <fmt/format.h>

#include "bulk.hpp"
#include "bulk_memory.hpp"
#include "bulk_server.hpp"
#include "bulk_subject.hpp"
#include "probe/pcie.hpp"
#include "together_judge.hpp"

namespace diag::bulk {
namespace {

std::vector<std::string> list_or_empty(const Context& c, const char* name) {
    return c.given(name) ? c.list(name) : std::vector<std::string>{};
}

std::vector<Rate> rates(const Context& c, const char* name) {
    std::vector<Rate> found;
    for (const auto& text : list_or_empty(c, name)) try {
            found.push_back(units::parse_rate(text));
        } catch (const BadValue& e) {
            throw BadValue(fmt::format("parameter '{}': {}, not '{}'", name, e.what(), text));
        }
    return found;
}

// One for each function.  Throws BadValue where the lists are not of one length, or name fewer than two.
std::vector<Wanted> all_wanted(const Context& c) {
    const auto names = list_or_empty(c, "names"), addresses = list_or_empty(c, "addresses"), interfaces = list_or_empty(c, "interfaces");
    const std::size_t count = std::max(names.size(), addresses.size());
    for (const auto* list : {&names, &addresses, &interfaces})
        if (!list->empty() && list->size() != count)
            throw BadValue("'names', 'addresses' and 'interfaces' say one thing each of every function: they have different lengths");
    if (count == 1) throw BadValue("one function has nothing beside it: link.bulk measures it");
    std::vector<Wanted> all(count);
    for (std::size_t i = 0; i < count; ++i) {
        if (!names.empty()) all[i].name = names[i];
        if (!addresses.empty()) all[i].address = addresses[i];
        if (!interfaces.empty()) all[i].interface = interfaces[i];
    }
    return all;
}

// Each fact is a list: of every function what link.bulk tells of it.
void tell_facts(Context& c) {
    json told = json::object();
    for (const auto& wanted : all_wanted(c)) {
        const Subject subject = c.there() ? own_end(wanted) : find_subject(wanted);
        if (!subject.cause.empty() || subject.interface.empty()) return;  // the check itself says why
        for (const auto& fact : facts_of(subject, c.root())) told[fact.name].push_back(fact.value);
    }
    for (const auto& [name, values] : told.items()) c.fact(name, values);
}

PortKnown known_of(const Context& c, const std::vector<Subject>& subjects) {
    PortKnown known;
    for (const auto& subject : subjects) {
        known.interfaces.push_back(subject.interface);
        known.hardware.push_back(hardware_below(c.root(), probe::interface(subject.interface)));
        const std::string& place = known.hardware.back().place;
        known.paths.push_back(place.empty() ? link::PciePath{} : probe::pcie_path(c.root(), place));
    }
    known.speeds = rates(c, "speeds");
    known.expects = rates(c, "expects");
    return known;
}

Findings function_of(const Context& c, const Subject& subject, const Offer& offer) {
    Findings f;
    f.name = subject.name;
    f.address = subject.address.text();
    f.peer = f.name == f.address ? f.name : fmt::format("{} ({})", f.name, f.address);
    f.source = subject.source ? subject.source->text() : "";
    f.interface = subject.interface;
    f.port = offer.port;
    f.served_by_half = true;
    f.version_there = offer.version;
    f.streams = c.integer("streams");
    f.processors = std::max(1U, std::thread::hardware_concurrency());
    f.own = same_bytes(probe::interface(subject.interface), probe::interfaces());
    return f;
}

Plan plan_of(const Context& c, const Subject& subject, const Offer& offer) {
    return {.peer = subject.address,
            .source = subject.source,
            .port = offer.port,
            .streams = c.integer("streams"),
            .seconds = std::chrono::ceil<std::chrono::seconds>(c.duration("seconds")).count(),
            .root = c.root()};
}

// Every function at once, in a thread each; all are waited for, whatever becomes of one.
std::vector<Flow> run_all(const std::vector<Plan>& plans, const Together& t, bool reverse) {
    std::vector<std::future<Flow>> running;
    running.reserve(plans.size());
    for (std::size_t i = 0; i < plans.size(); ++i)
        running.push_back(std::async(std::launch::async, [&plan = plans[i], &interface = t.functions[i].interface, reverse] {
            Pinger pinger(plan.peer, interface);
            return run_flow(plan, reverse, pinger);
        }));
    for (auto& one : running) one.wait();
    std::vector<Flow> flows;
    flows.reserve(running.size());
    for (auto& one : running) flows.push_back(one.get());
    return flows;
}

void keep(Context& c, const Together& t) {
    for (const bool reverse : {false, true}) {
        const std::string way = reverse ? "reverse" : "forward";
        int number = 0;
        for (const auto& function : t.functions) {
            ++number;
            for (const Flow& flow : function.flows) {
                if (flow.reverse != reverse) continue;
                const std::string errors = flow.errors.empty() ? "" : "\nstderr:\n" + flow.errors;
                c.evidence(fmt::format("iperf3-{}-{}", way, number), flow.output + errors);
                if (!flow.report.summed) continue;
                c.measure(fmt::format("{}_{}_received", way, number), flow.report.received, unit::bit_per_s);
                if (flow.report.retransmits)
                    c.measure(fmt::format("{}_{}_retransmits", way, number), *flow.report.retransmits, unit::count);
            }
        }
        if (sum(t, reverse) > 0)
            c.measure(way + "_received", sum(t, reverse), unit::bit_per_s, t.floor ? at_least(t.floor->bits_per_second) : no_limit);
    }
    if (t.floor) c.measure("floor", t.floor->bits_per_second, unit::bit_per_s);
    c.saw(summary(t));
}

Verdict measure(Context& c, const std::vector<Subject>& subjects) {
    std::vector<probe::Address> addresses;
    addresses.reserve(subjects.size());
    for (const auto& subject : subjects) addresses.push_back(subject.address);
    const auto offers = ask_for_servers(c, addresses);
    const PortKnown known = known_of(c, subjects);
    Together t{.functions = {}, .expects = known.expects, .floor = floor_from(c.rate_or_fraction("floor"), total_ceilings(known))};
    std::vector<Plan> plans;
    for (std::size_t i = 0; i < subjects.size(); ++i) {
        t.functions.push_back(function_of(c, subjects[i], offers[i]));
        plans.push_back(plan_of(c, subjects[i], offers[i]));
    }
    t.processors = t.functions.front().processors;
    const std::string all = link::listed(known.interfaces);
    c.asked(fmt::format("TCP at the same time over {}, {} streams each, {} s each way", all, plans.front().streams, plans.front().seconds));
    const CarrierWatch carriers(c.machine(), known.interfaces);
    for (const bool reverse : {false, true}) {
        c.progress(fmt::format("iperf3 {} all functions, {}, {} s", reverse ? "from" : "to", all, plans.front().seconds));
        auto flows = run_all(plans, t, reverse);
        for (std::size_t i = 0; i < flows.size(); ++i) t.functions[i].flows.push_back(std::move(flows[i]));
        if (trouble(t)) break;
    }
    const auto lost = carriers.losses();
    for (auto& function : t.functions)
        if (const auto own = lost.find(function.interface); own != lost.end()) function.lost.push_back(own->second);
    const Farewell farewell = end_servers(c);
    for (std::size_t i = 0; i < t.functions.size(); ++i) {
        t.functions[i].idle_there = farewell.idle;
        if (i < farewell.lost.size() && farewell.lost[i]) t.functions[i].lost.push_back(*farewell.lost[i]);
    }
    keep(c, t);
    Verdict verdict = decide(t);
    // The other half has said that its servers listen: one that refuses now was there, and is gone.
    if (verdict.cause == "link.bulk-no-server") verdict.cause = "link.bulk-broken";
    return verdict;
}

Verdict same_way(const Subject& one, const Subject& other) {
    return fail("link.bulk-other-interface", "{} and {} are both reached over {}: that is one function, not two", one.name, other.name,
                other.interface)
        .with("name", other.name)
        .with("address", other.address.text())
        .with("source", other.source ? other.source->text() : "")
        .with("interface", other.interface);
}

Verdict check_together(Context& c) {
    const auto wanted = all_wanted(c);
    if (wanted.empty()) return skip("the site file does not give the far end of every link of the port a name, or every one an address");
    std::vector<Subject> subjects;
    for (const auto& one : wanted) {
        subjects.push_back(find_subject(one));
        const Subject& subject = subjects.back();
        if (!subject.cause.empty())
            return fail(subject.cause, "{}", subject.problem).with("name", subject.name).with("address", subject.address.text());
    }
    for (std::size_t i = 1; i < subjects.size(); ++i)
        for (std::size_t j = 0; j < i; ++j)
            if (subjects[i].interface == subjects[j].interface) return same_way(subjects[j], subjects[i]);
    const auto streams = c.integer("streams") * static_cast<std::int64_t>(subjects.size());
    if (const auto why = refusal(memory_of(c.root()), streams); !why.empty()) return fail("link.bulk-memory", "{}", why);
    return measure(c, subjects);
}

}  // namespace

void declare_together(Plugin& plugin) {
    auto& check = plugin.check("together", "The functions of one port carry what they should at the same time", check_together);
    check.there(serve_bulk)
        .optional("names", type::list, "host names of the far end, one of each function")
        .optional("addresses", type::list, "its addresses, in the same order; without them the names are looked up")
        .optional("interfaces", type::list, "the interfaces here that must carry the bytes; without them the routes decide");
    declare_load(check, "TCP connections at a time, of each function",
                 "least that must arrive in all: a rate, or a share of the lowest of port, PCIe, speed and all expects", tell_facts)
        .optional("speeds", type::list, "what each should have negotiated; the functions of a port share it, so the highest counts")
        .optional("expects", type::list, "what each is known to deliver alone, where that is less; they add up");
    declare_together_causes(check);
}

}  // namespace diag::bulk
