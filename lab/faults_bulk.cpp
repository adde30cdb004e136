// Faults of throughput, on the cable of a and b; 4 Gbit/s are what it should carry.
#include "lab/faults.hpp"

namespace diag::lab {
namespace {

// As shape() in build.cpp, at another rate.
Step slowed(const std::string& node, const std::string& rate) {
    return {node,
            {"tc", "qdisc", "change", "dev", "direct", "root", "handle", "1:", "tbf", "rate", rate, "burst", "256kb", "latency", "10ms"},
            {}};
}

// A rule of node b for what comes over the cable to a server of its own: link.bulk's listens on a free port.
Step rule(const std::string& what) {
    return {
        "b",
        {"nft", "-f", "-"},
        "table inet lab { chain input { type filter hook input priority 0;\niifname direct tcp dport 1024-65535 ct direction original " +
            what + "\n}\n}\n"};
}

// Only full segments: what a bad cable does, where small packets pass.
Step loses(const std::string& share) { return rule("meta length > 1000 numgen random mod 10000 < " + share + " drop"); }

// As if the server had been killed: the kernel answers with a reset.
Step resets_after(const std::string& bytes) { return rule("ct original bytes > " + bytes + " reject with tcp reset"); }

// A firewall that has grown for years: rules that fit nothing, and full segments of `which` are compared with every one of them.
Step many_rules(const std::string& which) {
    std::string rules;
    for (int mark = 1; mark <= 16000; ++mark) rules += "meta mark " + std::to_string(mark) + " drop\n";
    return {"b",
            {"nft", "-f", "-"},
            "table inet lab {\nchain rules {\n" + rules +
                "}\nchain input { type filter hook input priority 0;\niifname direct meta length > 1000 " + which + " jump rules\n}\n}\n"};
}

std::vector<Fault> of_rates() {
    return {
        {"slow",
         "the cable carries a tenth of what it should",
         "bulk",
         "link.bulk-slow",
         "",
         {slowed("a", "400mbit"), slowed("b", "400mbit")}},
        {"slow-little",
         "the cable carries a little less than it should",
         "",
         "",
         "link.bulk-slow",
         {slowed("a", "3700mbit"), slowed("b", "3700mbit")}},
        {"slow-return", "what b sends is limited to a tenth", "bulk", "link.bulk-slow-one-way", "", {slowed("b", "400mbit")}},
        {"slow-return-little", "what b sends is limited a little", "", "", "link.bulk-slow-one-way", {slowed("b", "3700mbit")}},
        {"lossy", "every tenth large segment to b is lost", "bulk", "link.bulk-lossy", "", {loses("1000")}},
        {"lossy-little", "one large segment in ten thousand is lost", "", "", "link.bulk-lossy", {loses("1")}},
    };
}

std::vector<Fault> of_servers() {
    return {
        {"server-filtered",
         "b's firewall drops connections to all ports but the system's",
         "bulk",
         "link.bulk-no-answer",
         "",
         {rule("drop")}},
        {"server-not-filtered",
         "b's firewall counts connections to all ports but the system's",
         "",
         "",
         "link.bulk-no-answer",
         {rule("counter accept")}},
        {"cpu-bound",
         "b compares every segment with 16000 firewall rules, and a processor has no time for more",
         "bulk",
         "link.bulk-cpu-bound",
         "",
         {many_rules("tcp dport 1024-65535 ct direction original")}},
        {"cpu-idle", "b has as many rules, for other traffic", "", "", "link.bulk-cpu-bound", {many_rules("tcp dport 9")}},
        {"server-dies", "b resets connections to its server in the middle", "bulk", "link.bulk-broken", "", {resets_after("50000000")}},
        {"server-lives",
         "b would reset them, after more bytes than they carry",
         "",
         "",
         "link.bulk-broken",
         {resets_after("50000000000000")}},
    };
}

// Servers that somebody was to start: bringup asks for them where it is given their port.
std::vector<Fault> of_standing_servers() {
    const auto said = [](const char* node, const char* word) { return Step{node, {"iperf3", word}, {}}; };
    const std::vector<Step> both{said("a", "start"), said("b", "start")};
    std::vector<Step> busy = both;
    busy.push_back(said("b", "occupy"));
    std::vector<Step> free_again = busy;
    free_again.push_back(said("b", "release"));
    std::vector<Fault> all{
        {"server-absent", "nobody has started iperf3 on b", "bulk", "link.bulk-no-server", "", {said("a", "start")}},
        {"server-stands", "iperf3 serves on both", "", "", "link.bulk-no-server", both},
        {"server-busy", "b's iperf3 serves somebody else", "bulk", "link.bulk-busy", "", busy},
        {"server-was-busy", "b's iperf3 served somebody else a moment ago", "", "", "link.bulk-busy", free_again},
    };
    for (Fault& one : all) one.settings = "port=5201";
    return all;
}

}  // namespace

std::vector<Fault> bulk_faults() {
    std::vector<Fault> all = of_rates();
    for (const auto& more : {of_servers(), of_standing_servers()}) all.insert(all.end(), more.begin(), more.end());
    return all;
}

}  // namespace diag::lab
