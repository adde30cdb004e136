// The twin of system_world() in memory: a machine with eth0 (house, index 2, 10.0.0.1/24), wire (direct, index 3, 10.10.0.1/24,
// fd10::1/64) and loopback.  What /sys and /proc show is a tree that the test fills; an empty one shows nothing.
#pragma once

#include <algorithm>
#include <functional>
#include <map>

#include <diag/verdict.hpp>

#include "probe/testing_tree.hpp"
#include "world.hpp"

namespace diag::link {

inline probe::Address at(const std::string& text) { return probe::Address::parse(text).value(); }

struct FakeWorld : World {
    probe::testing::Tree tree;
    std::vector<probe::Interface> links;
    std::vector<probe::InterfaceAddress> own = {
        {1, at("127.0.0.1"), 8}, {2, at("10.0.0.1"), 24}, {3, at("10.10.0.1"), 24}, {3, at("fd10::1"), 64}};
    std::map<std::string, std::string> forced;                                 // destination -> output interface, against the prefixes
    std::map<std::string, std::string> forced_from;                            // source -> output interface, as ip-rule(8) does
    std::optional<std::map<std::string, std::vector<std::string>>> answering;  // address -> MACs; nothing: may not ask
    std::function<void()> meanwhile = [] {};                                   // happens while a check waits

    FakeWorld() {
        add("lo", 1).loopback = true;
        add("eth0", 2);
        add("wire", 3);
    }
    probe::Interface& add(const std::string& name, unsigned index, const std::string& kind = "") {
        probe::Interface link;
        link.index = index;
        link.name = name;
        link.kind = kind;
        link.up = link.carrier = true;
        link.operstate = "up";
        link.mtu = 1500;
        link.counters = probe::LinkCounters{};
        links.push_back(link);
        return links.back();
    }
    probe::Interface& at_name(const std::string& name) {
        return *std::find_if(links.begin(), links.end(), [&](const auto& link) { return link.name == name; });
    }
    void has(unsigned index, const std::string& address, unsigned prefix) { own.push_back({index, at(address), prefix}); }
    void sysctl(const std::string& interface, const std::string& value) {
        tree.file("/proc/sys/net/ipv4/conf/" + interface + "/rp_filter", value);
    }

    std::vector<probe::Interface> interfaces() override { return links; }
    probe::Interface interface(const std::string& name) override {
        for (const auto& link : links)
            if (link.name == name) return link;
        throw Absent("no interface '" + name + "' here");
    }
    std::vector<probe::InterfaceAddress> addresses() override { return own; }
    std::optional<probe::Route> route(const probe::Address& destination, const std::optional<probe::Address>& source) override {
        for (const auto& mine : own)
            if (mine.address == destination) return by("lo", true);
        if (source && forced_from.contains(source->text())) return by(forced_from[source->text()], false);
        if (forced.contains(destination.text())) return by(forced[destination.text()], false);
        const probe::InterfaceAddress* best = nullptr;
        for (const auto& mine : own)
            if (probe::in_prefix(destination, mine.address, mine.prefix) && (best == nullptr || mine.prefix > best->prefix)) best = &mine;
        if (best == nullptr) return std::nullopt;
        for (const auto& link : links)
            if (link.index == best->interface) return by(link.name, false);
        return std::nullopt;
    }
    std::optional<std::vector<std::string>> owners(const probe::Address& address, unsigned) override {
        return answering ? std::optional((*answering)[address.text()]) : std::nullopt;
    }
    std::filesystem::path root() const override { return tree.root(); }
    void wait(std::chrono::milliseconds) override { meanwhile(); }

  private:
    std::optional<probe::Route> by(const std::string& name, bool local) {
        probe::Route route;
        route.interface = at_name(name).index;
        route.interface_name = name;
        route.local = local;
        return route;
    }
};

}  // namespace diag::link
