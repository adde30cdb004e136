// The twin of system_world() in memory: a machine with two interfaces, eth0 (house, index 2, 10.0.0.1/24) and
// wire (direct, index 3, 10.10.0.1/24, fd10::1/64), that knows the names it is given.
#pragma once

#include <cstdint>
#include <map>
#include <set>

#include <diag/verdict.hpp>

#include "prefix.hpp"
#include "world.hpp"

namespace diag::names {

inline probe::Address at(const std::string& text) { return probe::Address::parse(text).value(); }

struct FakeWorld : World {
    using Status = probe::Resolution::Status;

    std::map<std::string, std::string> files = {{"/etc/hosts", "127.0.0.1 localhost\n"},
                                                {"/etc/nsswitch.conf", "hosts: files dns\n"},
                                                {"/etc/resolv.conf", "nameserver 10.0.0.53\n"}};
    std::set<std::string> locked;  // files that are there and cannot be read
    std::string host = "node-a";
    std::map<std::string, probe::Resolution> names;
    std::map<std::string, std::vector<probe::Address>> dns;  // what the server knows
    std::map<std::string, std::string> names_of;             // address -> name
    bool dns_silent = false;
    std::vector<probe::InterfaceAddress> own = {
        {1, at("127.0.0.1"), 8}, {2, at("10.0.0.1"), 24}, {3, at("10.10.0.1"), 24}, {3, at("fd10::1"), 64}};
    std::map<std::string, probe::Interface> links;
    std::map<std::string, std::string> forced;       // address -> output interface, against the prefixes
    std::map<std::string, std::string> ruled;        // address -> output interface by a rule for packets with a source; "": none
    std::map<std::string, probe::Address> gateways;  // address -> router
    std::map<std::string, std::string> neighbours;   // address -> state
    Asked neighbour_answer = Asked::impossible;
    std::set<std::string> tcp_alive, echo_alive_unbound;
    int echo_back_at = 0;  // from this call on, all of those answer over any interface; 0: never
    std::map<std::string, std::vector<probe::EchoAnswer>> answers;
    std::map<std::string, std::vector<probe::EchoAnswer>> slow, quick;  // the answers to probes a second apart, and to those of a volley
    std::map<std::string, std::vector<probe::EchoAnswer>> late;         // what comes three seconds after the first probe
    probe::EchoMethod method = probe::EchoMethod::icmp_raw;
    std::size_t duplicates = 0;
    int echo_calls = 0;
    std::map<std::string, SweepAnswer> swept;  // all other addresses answer a sweep
    std::set<std::string> sent_to;             // by a sweep
    std::uint32_t dropped = 0;

    static SweepAnswer alive(unsigned replies, std::chrono::nanoseconds time) { return {replies, 0, 0, time, time, time * replies, 0, {}}; }

    FakeWorld() {
        for (const auto& [index, name] : std::map<unsigned, std::string>{{1, "lo"}, {2, "eth0"}, {3, "wire"}}) {
            links[name].index = index;
            links[name].name = name;
            links[name].carrier = true;
        }
    }
    void knows(const std::string& name, const std::vector<std::string>& addresses, const std::string& canonical = "") {
        auto& resolution = names[name];
        resolution.status = Status::resolved;
        for (const auto& text : addresses) resolution.addresses.push_back(at(text));
        resolution.canonical = canonical;
    }
    void fails(const std::string& name, Status status, const std::string& error) { names[name] = {status, {}, "", error}; }

    std::string read(const std::string& path) override {
        if (locked.contains(path)) throw Unreadable(path + ": Permission denied");
        if (!files.contains(path)) throw Absent(path + " does not exist");
        return files[path];
    }
    std::string host_name() override { return host; }
    std::string name_of(const probe::Address& address) override { return names_of[address.text()]; }
    probe::Resolution resolve(const std::string& name) override {
        if (names.contains(name)) return names[name];
        return {Status::unknown, {}, "", "Name or service not known"};
    }
    probe::DnsAnswer ask_dns(const probe::Address&, const std::string& name) override {
        using Dns = probe::DnsAnswer::Status;
        if (dns_silent) return {Dns::silent, {}, "no answer"};
        if (dns.contains(name)) return {Dns::answered, dns[name], ""};
        return {Dns::no_such_name, {}, "NXDOMAIN"};
    }
    probe::Interface interface(const std::string& name) override {
        if (!links.contains(name)) throw Absent("no interface " + name);
        return links[name];
    }
    probe::Interface interface(unsigned index) override {
        for (const auto& [name, link] : links)
            if (link.index == index) return link;
        throw Absent("no interface with that index");
    }
    probe::Interface bearer(const std::string& name) override {
        auto link = interface(name);
        while (link.master != 0 && interface(link.master).kind != "vrf") link = interface(link.master);
        return link;
    }
    std::vector<probe::InterfaceAddress> addresses() override { return own; }
    std::optional<probe::Route> route(const probe::Address& destination) override {
        const auto rule = ruled.find(destination.text());
        if (rule == ruled.end()) return route_to(destination, 0, false);
        return rule->second.empty() ? std::nullopt : by(rule->second, destination);
    }
    std::string source_rule(const probe::Address& destination, const std::optional<probe::Route>&) override {
        return ruled.contains(destination.text()) ? "; a routing rule leads it" : "";
    }

    std::optional<probe::Route> by(const std::string& name, const probe::Address& destination) {
        probe::Route route;
        route.interface = links.at(name).index;
        route.interface_name = name;
        route.type = "unicast";
        for (const auto& mine : own)
            if (mine.interface == route.interface && mine.address.v6() == destination.v6()) route.source = mine.address;
        if (gateways.contains(destination.text())) route.gateway = gateways.at(destination.text());
        return route;
    }
    std::optional<probe::Route> route_to(const probe::Address& destination, unsigned output, bool) override {
        for (const auto& mine : own) {
            if (!(mine.address == destination) && !(destination.loopback() && !destination.v6() && mine.address.loopback())) continue;
            auto route = by("lo", destination);
            route->local = true;
            route->type = "local";
            return route;
        }
        if (destination.scope() != 0) return by(interface(destination.scope()).name, destination);
        const auto text = destination.text();
        if (forced.contains(text) && output == 0) return by(forced.at(text), destination);
        for (const auto& mine : own)
            if ((output == 0 || output == mine.interface) && in_prefix(destination, mine.address, mine.prefix))
                return by(interface(mine.interface).name, destination);
        if (gateways.contains(text)) return by("eth0", destination);
        return std::nullopt;
    }
    std::optional<probe::Neighbour> neighbour(const probe::Address& address, unsigned) override {
        if (!neighbours.contains(address.text())) return std::nullopt;
        return probe::Neighbour{neighbours.at(address.text()), ""};
    }
    Asked ask_neighbour(const probe::Address&, unsigned) override { return neighbour_answer; }

    std::vector<EchoRun> echo(const std::vector<probe::Address>& targets, const EchoPlan& plan) override {
        ++echo_calls;
        std::vector<EchoRun> runs;
        for (const auto& target : targets) {
            using namespace std::chrono_literals;
            const auto text = target.text();
            EchoRun run{target, method, plan.count, answers[text], duplicates};
            if (plan.interval > 1s && slow.contains(text)) run.answers = slow.at(text);
            if (plan.interval <= 50ms && quick.contains(text)) run.answers = quick.at(text);
            if (run.answers.empty() && plan.late_word > 3s && late.contains(text)) run.answers = late.at(text);
            const bool back = echo_back_at != 0 && echo_calls >= echo_back_at;
            if ((plan.interface.empty() || back) && echo_alive_unbound.contains(text)) run.answers = {probe::EchoAnswer{}};
            runs.push_back(run);
        }
        return runs;
    }
    SweepRun sweep(const std::vector<probe::Address>& targets, const SweepPlan& plan) override {
        SweepRun run{{}, "ICMP (raw socket)", dropped};
        for (const auto& target : targets) {
            const auto told = swept.find(target.text());
            run.answers.push_back(told != swept.end() ? told->second : alive(plan.count, std::chrono::microseconds(100)));
            sent_to.insert(target.text());
        }
        return run;
    }
    bool tcp_answers(const probe::Address& address, unsigned, const EchoPlan&) override { return tcp_alive.contains(address.text()); }
    void each(std::size_t count, const std::function<void(std::size_t)>& work) override {
        for (std::size_t i = 0; i < count; ++i) work(i);
    }
};

}  // namespace diag::names
