#include "bulk.hpp"

#include <algorithm>
#include <thread>
#include <utility>

#include <fmt/format.h>

#include "base/utf8.hpp"
#include "bulk_judge.hpp"
#include "bulk_memory.hpp"
#include "bulk_server.hpp"
#include "bulk_subject.hpp"
#include "probe/subprocess.hpp"

namespace diag::bulk {
namespace {

using namespace std::chrono_literals;

Wanted wanted(const Context& c) {
    const auto text = [&](const char* name) { return c.given(name) ? std::optional(c.text(name)) : std::nullopt; };
    return {text("name"), text("address"), text("interface")};
}

std::vector<Ceiling> ceilings(const Context& c, const std::string& interface, const Hardware& hardware) {
    std::vector<Ceiling> found;
    if (hardware.port) found.push_back({*hardware.port, "the speed of " + interface});
    if (hardware.pcie) found.push_back({*hardware.pcie, "what PCIe gives " + interface});
    if (c.given("speed")) found.push_back({c.rate("speed"), "the speed in the site file"});
    if (c.given("expect")) found.push_back({c.rate("expect"), "what the site file expects"});
    return found;
}

// Where there is no way to the far end there is nothing to be reused, and the check itself says why.
void tell_facts(Context& c) {
    if (!c.given("name") && !c.given("address")) return;
    const Subject subject = c.there() ? own_end(wanted(c)) : find_subject(wanted(c));
    if (!subject.cause.empty() || subject.interface.empty()) return;
    for (const auto& fact : facts_of(subject, c.root())) c.fact(fact.name, fact.value);
}

void measure_times(Context& c, const std::string& name, const std::vector<double>& times) {
    if (times.empty()) return;
    double sum = 0;
    for (const double time : times) sum += time;
    c.measure(name + "_min", *std::min_element(times.begin(), times.end()), unit::milliseconds);
    c.measure(name + "_avg", sum / static_cast<double>(times.size()), unit::milliseconds);
    c.measure(name + "_max", *std::max_element(times.begin(), times.end()), unit::milliseconds);
}

void measure_flow(Context& c, const Findings& f, const Flow& flow) {
    const std::string name = flow.reverse ? "reverse" : "forward";
    const Report& r = flow.report;
    if (!r.summed) return;
    c.measure(name + "_sent", r.sent, unit::bit_per_s);
    c.measure(name + "_received", r.received, unit::bit_per_s, f.floor ? at_least(f.floor->bits_per_second) : no_limit);
    if (f.rated) c.measure(name + "_share", 100.0 * r.received / static_cast<double>(f.rated->bits_per_second), unit::percent);
    if (r.retransmits) c.measure(name + "_retransmits", *r.retransmits, unit::count);
    if (r.cpu_here) c.measure(name + "_cpu_here", *r.cpu_here, unit::percent);
    if (r.cpu_there) c.measure(name + "_cpu_there", *r.cpu_there, unit::percent);
}

void keep_flow(Context& c, const Flow& flow) {
    const std::string name = flow.reverse ? "reverse" : "forward";
    c.evidence("iperf3-" + name, flow.output + (flow.errors.empty() ? "" : "\nstderr:\n" + flow.errors));
    std::string carried;
    for (const auto& t : flow.carried) carried += fmt::format("{}: {} bytes sent, {} received\n", t.name, t.sent, t.received);
    c.evidence("interfaces-" + name, carried);
}

void report(Context& c, const Findings& f) {
    std::vector<double> loaded;
    for (const Flow& flow : f.flows) {
        measure_flow(c, f, flow);
        keep_flow(c, flow);
        loaded.insert(loaded.end(), flow.echoes.round_trips.begin(), flow.echoes.round_trips.end());
    }
    if (f.floor) c.measure("floor", f.floor->bits_per_second, unit::bit_per_s);
    measure_times(c, "rtt_idle", f.idle.round_trips);
    measure_times(c, "rtt_loaded", loaded);
    // Of echoes that could not be sent none is lost: there is no such measurement then.
    if (f.idle.sent > 0) c.measure("rtt_idle_loss", 100.0 * f.idle.unanswered() / f.idle.sent, unit::percent);
    if (f.idle.round_trips.empty())
        c.evidence("latency", f.no_echo.empty() ? "no echo probe was answered" : "no echo socket opens: " + f.no_echo);
    c.saw(summary(f));
}

// Both directions, the second only where the first was a measurement.
void run_flows(Context& c, const Plan& plan, Findings& f, Pinger& pinger) {
    for (const bool reverse : {false, true}) {
        c.progress(fmt::format("iperf3 {} {}, {} s", reverse ? "from" : "to", f.name, plan.seconds));
        f.flows.push_back(run_flow(plan, reverse, pinger));
        if (trouble(f, f.flows.back())) return;
    }
}

Plan plan_for(const Context& c, const Subject& subject, std::int64_t port) {
    Plan plan;
    plan.peer = subject.address;
    plan.source = subject.source;
    plan.port = port;
    plan.streams = c.integer("streams");
    plan.seconds = std::chrono::ceil<std::chrono::seconds>(c.duration("seconds")).count();
    plan.root = c.root();
    return plan;
}

Findings findings_for(const Context& c, const Subject& subject, const probe::Interface& interface, const Hardware& hardware) {
    Findings f;
    f.name = subject.name;
    f.address = subject.address.text();
    f.peer = f.name == f.address ? f.name : fmt::format("{} ({})", f.name, f.address);
    f.source = subject.source ? subject.source->text() : "";
    f.interface = interface.name;
    f.streams = c.integer("streams");
    f.processors = std::max(1U, std::thread::hardware_concurrency());
    f.own = same_bytes(interface, probe::interfaces());
    f.floor = floor_from(c.rate_or_fraction("floor"), ceilings(c, interface.name, hardware));
    f.rated = c.given("speed") ? std::optional(c.rate("speed")) : hardware.port;
    f.max_retransmits = c.fraction("max_retransmits");
    return f;
}

// Whether the other half serves; else a server that somebody started is meant.
bool own_server(const Context& c) { return !c.companion().empty() && !c.given("port"); }

Offer server_for(Context& c, const Subject& subject) {
    constexpr std::int64_t usual = 5201;  // iperf3's own
    if (own_server(c)) return ask_for_server(c, subject.address);
    return {c.given("port") ? c.integer("port") : usual, ""};
}

Verdict check_bulk(Context& c) {
    if (!c.given("name") && !c.given("address")) return skip("the site file gives neither a name nor an address of the far end");
    const Subject subject = find_subject(wanted(c));
    if (!subject.cause.empty())
        return fail(subject.cause, "{}", subject.problem).with("name", subject.name).with("address", subject.address.text());
    const auto interface = probe::interface(subject.interface);
    const Hardware hardware = hardware_below(c.root(), interface);
    if (const auto why = refusal(memory_of(c.root()), c.integer("streams")); !why.empty()) return fail("link.bulk-memory", "{}", why);
    const Offer server = server_for(c, subject);
    const Plan plan = plan_for(c, subject, server.port);
    Findings f = findings_for(c, subject, interface, hardware);
    f.port = server.port;
    f.version_there = server.version;
    f.served_by_half = own_server(c);
    c.asked(fmt::format("TCP, {} streams, {} s each way, {} -> {} port {}", plan.streams, plan.seconds, f.interface, f.peer, f.port));

    Pinger pinger(subject.address, interface.name);
    for (int i = 0; i < 10; ++i) {
        pinger.send();
        pinger.listen(5ms);
    }
    pinger.settle(400ms);  // a far end may be further away than a link's
    f.idle = pinger.take();
    f.no_echo = pinger.problem();
    const CarrierWatch carriers(c.machine(), {interface.name});
    run_flows(c, plan, f, pinger);
    for (const auto& [name, loss] : carriers.losses()) f.lost.push_back(loss);
    const Farewell farewell = own_server(c) ? end_servers(c) : Farewell{};
    f.idle_there = farewell.idle;
    for (const auto& loss : farewell.lost)
        if (loss) f.lost.push_back(*loss);
    report(c, f);
    Verdict verdict = decide(f);
    // Only the other half would have served there.
    if (verdict.cause == "link.bulk-no-server" && !c.alone_because().empty())
        throw CompanionGone(
            fmt::format("no iperf3 server answers on port {}, and the other half cannot run: {}", f.port, c.alone_because()));
    // The other half has said that its server listens: one that refuses now was there, and is gone.
    if (own_server(c) && verdict.cause == "link.bulk-no-server")
        verdict = fail("link.bulk-broken", "the iperf3 server that {} had on port {} is gone", c.companion(), f.port);
    return std::move(verdict).with("port", f.port);
}

}  // namespace

Check& declare_load(Check& check, const std::string& streams, const std::string& floor, std::function<void(Context&)> tell_facts) {
    return check.param("streams", type::integer, streams, 4)
        .within(1, 32)
        .param("seconds", type::duration, "how long, for each direction; whole seconds", "20s")
        .within(1, 3600)
        .param("floor", type::rate_or_fraction, floor, "80%")
        .needs("program:iperf3=iperf3")
        .exclusive()
        .takes(30)  // a look-up, a server, idle latency; connecting, closing and a last word, twice
        .takes_per("seconds", 2)
        .reusable_while({"adapter", "mtu", "port", "pcie", "peer", "source", "iperf3"}, std::move(tell_facts));
}

void declare_bulk(Plugin& plugin) {
    auto& check = plugin.check("bulk", "The link carries what it should, in both directions", check_bulk);
    check.there_if_it_can(serve_bulk)
        .optional("name", type::text, "host name of the far end")
        .optional("address", type::text, "its address; without it the name is looked up")
        .optional("interface", type::text, "the interface that must carry the bytes; without it the route decides")
        .optional("port", type::integer, "of an iperf3 server that somebody started there; without it the other half serves, else 5201")
        .within(1, 65535);
    declare_load(check, "TCP connections at a time",
                 "least that must arrive: a rate, or a share of the lowest of port, PCIe, speed and expect", tell_facts)
        .optional("speed", type::rate, "what the interface should have negotiated")
        .optional("expect", type::rate, "what the link is known to deliver, where that is less")
        .param("max_retransmits", type::fraction, "share of the segments that may be sent again", 0.01)
        .column("Idle RTT", "measured.rtt_idle_avg")
        .column("Loaded RTT", "measured.rtt_loaded_avg")
        .column("Throughput there", "measured.forward_received")
        .column("Throughput back", "measured.reverse_received")
        .column("Of rated there", "measured.forward_share")
        .column("Of rated back", "measured.reverse_share")
        .column("Retransmits there", "measured.forward_retransmits")
        .column("Retransmits back", "measured.reverse_retransmits")
        .column("Transport", "TCP");
    declare_bulk_causes(check);
}

}  // namespace diag::bulk
