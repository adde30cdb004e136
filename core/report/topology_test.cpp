#include "report/topology.hpp"

#include "catch.hpp"

namespace topology_test {

using namespace diag;
using namespace diag::report;

namespace {

const json table =
    json::parse(R"({"record":"topology","cluster_interface":"end.interface","intended_mtu":"link.mtu","ports":"look.interface",
    "absent":"look.tower","library":"site.storage","links":{"site.probe":{"forward_bits_per_second":"measured.forward"}}})");

Topology two_machines() {
    Topology topology;
    topology.machine = "node-a";
    topology.site_file = "/etc/diag/site.yaml";
    topology.on.system = "Debian";
    topology.machines = {{"node-a", "node-a.home.arpa", {"storage", "router"}}, {"node-b", "", {}}};
    topology.links = {{"house", true, {{"node-a", "eth0", "node-a", ""}, {"node-b", "eth0", "node-b", ""}}},
                      {"direct", false, {{"node-a", "eth1", "a-direct", "10.10.0.11"}, {"node-b", "eth1", "b-direct", "10.10.0.12"}}}};
    topology.site = json::parse(R"({"storage":{"path":"/models"},"links":[{"id":"house","mtu":"1500"},
        {"id":"direct","mtu":"9000","ends":{"node-a":{"interface":"eth1"}}}]})");
    topology.seen.things = {{"interface", "eth0", {{"carrier", "up", "up"}, {"speed", "", json()}}},
                            {"interface", "eth9", {{"carrier", "no", "no"}}}};
    return topology;
}

json record_of(const Topology& topology) { return topology_record(topology, table, "2026-11-30T06:15:00", "first build"); }

}  // namespace

TEST_CASE("the notebook's line says who, what was planned, what is seen; what is not known is null") {
    const json record = record_of(two_machines());
    CHECK(record["record"] == "topology");
    CHECK(record["date"] == "2026-11-30");
    CHECK(record["recorded_at"] == "2026-11-30T06:15:00+00:00");
    CHECK(record["machine"] == "node-a");
    CHECK(record["real"] == true);
    CHECK(record["roles"] == json::array({"storage", "router"}));
    CHECK(record["peers"] == json::array({"node-b"}));
    CHECK(record["cluster_interface"] == "eth1");
    CHECK(record["intended_mtu"] == 9000);
    CHECK(record["ports"] == json::parse(R"({"eth0":{"carrier":"up","speed":null},"eth9":{"carrier":"no"}})"));
    CHECK(record["absent"].is_null());
    CHECK(record["library"]["path"] == "/models");
    CHECK(record["note"] == "first build");
    CHECK(record["kernel"].is_null());
}

TEST_CASE("what was measured last stands under the far end's name, and a link that never was is null, not zero") {
    auto topology = two_machines();
    topology.measured["direct: node-a -> node-b"] = {{{"check", "site.probe"},
                                                      {"time", "2026-11-29T10:00:00.000Z"},
                                                      {"measurements", json::array({{{"name", "forward"}, {"value", 9e9}}})}}};
    const json links = record_of(topology)["links"];
    CHECK(links["b-direct"]["forward_bits_per_second"] == 9000000000);
    CHECK(links["b-direct"]["measured_at"] == "2026-11-29T10:00:00.000Z");
    CHECK(links["b-direct"]["link"] == "direct");
    CHECK(links["node-b"]["forward_bits_per_second"].is_null());
    CHECK(links["node-b"]["management"] == true);
}

TEST_CASE("an end is seen, not seen, or unknown: another machine's, or one that could not be looked at") {
    auto topology = two_machines();
    const json ends = record_of(topology)["site_links"]["house"]["ends"];
    CHECK(ends["node-a"]["state"] == "seen");
    CHECK(ends["node-a"]["properties"]["carrier"] == "up");
    CHECK(ends["node-b"]["state"] == "unknown");
    CHECK(record_of(topology)["site_links"]["direct"]["ends"]["node-a"]["state"] == "not seen");
    topology.seen.blind = {{"link", "worker.deadline", "it took too long", ""}};
    CHECK(record_of(topology)["site_links"]["direct"]["ends"]["node-a"]["state"] == "unknown");
    CHECK(record_of(topology)["site_links"]["house"]["ends"]["node-a"]["state"] == "seen");
}

TEST_CASE("a person sees the same, with the interfaces that no link names, and that it is the lab") {
    auto topology = two_machines();
    topology.seen.things[0].properties[0].text = "up\x1b[2J";
    const TextStyle plain{.utf8 = false};
    std::string text = topology_text(topology, plain);
    CHECK_THAT(text, ContainsSubstring("link house, for management"));
    CHECK_THAT(text, ContainsSubstring("(this machine)"));
    CHECK_THAT(text, ContainsSubstring("NOT SEEN: diag look shows no such interface here"));
    CHECK_THAT(text, ContainsSubstring("unknown: it belongs to node-b"));
    CHECK_THAT(text, ContainsSubstring("in no link\n   eth9  carrier no"));
    CHECK(text.find('\x1b') == std::string::npos);
    CHECK_THAT(text, !ContainsSubstring("LAB"));
    topology.lab = true;
    CHECK_THAT(topology_text(topology, plain), ContainsSubstring("LAB (not a real network)"));
    CHECK(record_of(topology)["real"] == false);
    topology.site_file.clear();
    CHECK_THAT(topology_text(topology, plain), ContainsSubstring("no site file"));
}

}  // namespace topology_test
