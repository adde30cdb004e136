// Faults of names and of reachability.  Addresses are topology()'s: 10.10.1.x is the house, 10.10.10.x the cable of a and b.
#include "lab/faults.hpp"

namespace diag::lab {
namespace {

const std::string b_direct = "node-b-direct.home.arpa";

Step forget(const std::string& name) { return {"a", {"hosts", "drop", name}, {}}; }
Step line(const std::string& text) { return {"a", {"hosts", "add", text}, {}}; }

// What node b's firewall says to whatever comes over the cable; neighbour discovery stays, or b would seem to be gone.
Step firewall(const std::string& rules) {
    return {"b",
            {"nft", "-f", "-"},
            "table inet lab { chain input { type filter hook input priority 0;\n"
            "icmpv6 type { nd-neighbor-solicit, nd-neighbor-advert } accept\n" +
                rules + "\n}\n}\n"};
}

std::vector<Fault> of_names() {
    return {
        {"name-missing", "a's hosts file does not know b's direct name", "reachability", "names.unknown", "", {forget(b_direct)}},
        {"name-commented",
         "b's direct name also stands in a comment, with an old address",
         "",
         "",
         "names.unknown",
         {line("# 10.10.10.99 node-b-direct.home.arpa node-b-direct  (until May)")}},
        {"name-wrong-path",
         "b's direct name leads to b's house address",
         "reachability",
         "names.wrong-interface",
         "",
         {forget(b_direct), line("10.10.1.12 node-b-direct.home.arpa node-b-direct"),
          line("fd1a:b0:0:1::12 node-b-direct.home.arpa node-b-direct")}},
        {"name-alias",
         "b's direct address has a second name",
         "",
         "",
         "names.wrong-interface",
         {line("10.10.10.12 storage.home.arpa storage")}},
        {"own-loopback",
         "a's own name leads to 127.0.1.1, as an installer leaves it",
         "reachability",
         "names.own-loopback",
         "",
         {forget("node-a.home.arpa"), line("127.0.1.1 node-a.home.arpa node-a")}},
        {"loopback-other",
         "127.0.1.1 stands in a's hosts file, for a name that no machine has now",
         "",
         "",
         "names.own-loopback",
         {line("127.0.1.1 installer.home.arpa installer")}},
    };
}

std::vector<Fault> of_reachability() {
    return {
        {"peer-gone",
         "b's end of the direct cable is pulled out",
         "reachability",
         "names.no-neighbour",
         "",
         {{"direct", {"ip", "link", "set", "dev", "ab-b", "down"}, {}}}},
        {"neighbour-fixed",
         "a knows b's MAC by a permanent entry, not by asking",
         "",
         "",
         "names.no-neighbour",
         {{"a", {"ip", "neigh", "replace", "10.10.10.12", "lladdr", "02:1a:b0:00:0a:0c", "nud", "permanent", "dev", "direct"}, {}},
          {"a",
           {"ip", "-6", "neigh", "replace", "fd1a:b0:0:10::12", "lladdr", "02:1a:b0:00:0a:0c", "nud", "permanent", "dev", "direct"},
           {}}}},
        {"firewall-reject",
         "b's firewall rejects what comes over the direct cable (admin-prohibited)",
         "reachability",
         "names.rejected",
         "",
         {firewall("iifname direct reject with icmpx type admin-prohibited")}},
        {"firewall-other",
         "b's firewall rejects only a port that nobody uses",
         "",
         "",
         "names.rejected",
         {firewall("iifname direct tcp dport 9999 reject with icmpx type admin-prohibited")}},
        {"firewall-drops",
         "b's firewall drops all that comes over the direct cable, IPv6's neighbour discovery too; ARP passes every firewall",
         "reachability",
         "names.silent",
         "",
         {{"b", {"nft", "-f", "-"}, "table inet lab { chain input { type filter hook input priority 0;\niifname direct drop\n}\n}\n"}}},
        {"firewall-drops-little",
         "b's firewall drops only what comes to a port that nobody uses",
         "",
         "",
         "names.silent",
         {firewall("iifname direct tcp dport 9999 drop")}},
        {"way-back",
         "b's way to a's direct address leads over the house",
         "reachability",
         "names.answers-return-elsewhere",
         "",
         {{"b", {"ip", "route", "add", "10.10.10.11/32", "dev", "house"}, {}}}},
        {"way-back-of-another",
         "b's way to an address that nobody has leads over the house",
         "",
         "",
         "names.answers-return-elsewhere",
         {{"b", {"ip", "route", "add", "10.10.10.99/32", "dev", "house"}, {}}}},
    };
}

}  // namespace

std::vector<Fault> name_faults() {
    std::vector<Fault> all = of_names();
    const std::vector<Fault> more = of_reachability();
    all.insert(all.end(), more.begin(), more.end());
    return all;
}

}  // namespace diag::lab
