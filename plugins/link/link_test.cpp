// The plugin as a host sees it, on real interfaces: namespaces that the test makes.
#include <fcntl.h>
#include <unistd.h>

#include <fstream>
#include <map>

#include <diag/testing.hpp>

#include "base/fd.hpp"
#include "catch.hpp"
#include "probe/netlink.hpp"
#include "probe/testing_net.hpp"
#include "probe/testing_skip.hpp"

namespace link_test {

extern "C" const diag_abi* diag_plugin_v1();

using diag::json;
using diag::probe::testing::must;
using diag::probe::testing::NetLab;
using diag::probe::testing::skipped;
using diag::testing::Answer;

static Answer ask(const std::string& check, json params) { return diag::testing::ask(*diag_plugin_v1(), check, std::move(params)); }
static Answer state(const std::string& interface) { return ask("state", {{"interface", interface}}); }
static Answer routes() { return ask("routes", {{"interface", "wire"}, {"address", "10.99.0.1"}, {"peer", "10.99.0.2"}}); }

static void sysctl(const std::string& name, const std::string& value) {
    std::ofstream("/proc/sys/net/ipv4/conf/" + name + "/rp_filter") << value;
}

// A second cable with both ends here, and an address on its near end.
static void second_cable(const std::string& address) {
    must("ip link add second type veth peer name second-far");
    must("ip link set second-far up");
    must("ip link set second up");
    must("ip addr add " + address + " dev second");
}

TEST_CASE("every cause is declared with a meaning, a mover and a remedy, and nothing is needed to ask") {
    const json catalogue = json::parse(diag_plugin_v1()->describe());
    for (const auto& check : catalogue["checks"]) {
        if (check["name"] != "state" && check["name"] != "routes") continue;
        CHECK(check["needs"].empty());
        CHECK(check["causes"].size() >= 8);
        for (const auto& cause : check["causes"]) {
            CHECK(cause["code"].get<std::string>().starts_with("link."));
            CHECK_FALSE(cause["meaning"].get<std::string>().empty());
            CHECK_FALSE(cause["remedy"].get<std::string>().empty());
        }
    }
}

TEST_CASE("a code that several checks can name has one meaning, one mover and one remedy in all of them, and in the look") {
    const json catalogue = json::parse(diag_plugin_v1()->describe());
    std::map<std::string, json> known;
    std::vector<json> entries = catalogue["checks"];
    entries.push_back(catalogue["look"]);
    for (const auto& entry : entries)
        for (const auto& cause : entry["causes"]) {
            INFO(cause["code"].get<std::string>());
            CHECK(known.emplace(cause["code"], cause).first->second == cause);
        }
    CHECK(known.size() > 30);
}

TEST_CASE("a cable that is whole, one whose far end is down, and an interface that is switched off") {
    if (skipped(NetLab::missing())) return;
    NetLab lab;
    const Answer whole = state("wire");
    INFO(whole.reason());
    CHECK(whole.outcome() == "pass");
    CHECK_THAT(whole.reason(), ContainsSubstring("its speed is not judged: a veth interface"));
    CHECK(whole.measured("mtu") == 1500);
    const Answer with_speed = ask("state", {{"interface", "wire"}, {"speed", 200'000'000'000}});
    CHECK(with_speed.outcome() == "skip");
    CHECK(with_speed.reason() == "it has carrier; its speed is not judged: a veth interface reports an invented one");
    lab.over_there("ip link set wire down");
    CHECK(state("wire").cause() == "link.no-carrier");
    must("ip link set wire down");
    CHECK(state("wire").cause() == "link.down");
    must("ip link set wire up");
    lab.over_there("ip link set wire up");
    CHECK(state("wire").outcome() == "pass");
    CHECK(state("wyre").cause() == "link.absent");
    CHECK_THAT(state("wyre").reason(), ContainsSubstring("wire (carrier)"));
    must("ip link property add dev wire altname the-other-name-of-it");
    CHECK_THAT(state("the-other-name-of-it").reason(), ContainsSubstring("is another name of it"));
}

TEST_CASE("the cable is in the interface that has no address") {
    if (skipped(NetLab::missing())) return;
    NetLab lab;
    const diag::base::Fd home(::open("/proc/self/ns/net", O_RDONLY | O_CLOEXEC));
    lab.over_there("ip link add spare-far type veth peer name spare netns /proc/" + std::to_string(::getpid()) + "/fd/" +
                   std::to_string(home.get()));
    must("ip link set spare up");
    lab.over_there("ip link set wire down");
    CHECK(state("wire").cause() == "link.no-carrier");
    lab.over_there("ip link set spare-far up");
    CHECK(state("wire").cause() == "link.carrier-elsewhere");
    must("ip addr add 10.97.0.1/24 dev spare");
    CHECK(state("wire").cause() == "link.no-carrier");
    must("ip link add one type veth peer name two");  // a cable within the machine is no cable to a far end
    must("ip link set one up");
    must("ip link set two up");
    CHECK(state("wire").cause() == "link.no-carrier");
}

TEST_CASE("a second interface in the same prefix, and one in another") {
    if (skipped(NetLab::missing())) return;
    NetLab lab;
    CHECK(routes().outcome() == "pass");
    second_cable("10.98.0.1/24");
    CHECK(routes().outcome() == "pass");
    must("ip addr add 10.99.0.77/24 dev second");
    const Answer answer = routes();
    CHECK(answer.cause() == "link.same-prefix");
    CHECK(answer.verdict["values"]["other"] == "second");
    must("ip rule add from 10.99.0.77 lookup 77");
    must("ip route add 10.99.0.0/24 dev second table 77");
    CHECK(routes().outcome() == "pass");  // kept apart by source
}

TEST_CASE("one prefix that rules by source keep apart hides no other") {
    if (skipped(NetLab::missing())) return;
    NetLab lab;
    second_cable("10.99.0.77/24");
    must("ip rule add from 10.99.0.77 lookup 77");
    must("ip route add 10.99.0.0/24 dev second table 77");
    must("ip link add third type veth peer name third-far");
    must("ip link set third up");
    must("ip addr add 10.96.0.3/24 dev third");
    CHECK(routes().outcome() == "pass");
    CHECK_THAT(routes().reason(), ContainsSubstring("10.99.0.0/24 with second"));
    must("ip addr add 10.96.0.1/24 dev wire");
    const Answer answer = routes();
    CHECK(answer.cause() == "link.same-prefix");
    CHECK(answer.verdict["values"]["other"] == "third");
}

TEST_CASE("strict filtering drops what comes over a link whose way back leads elsewhere; loose filtering does not") {
    if (skipped(NetLab::missing())) return;
    NetLab lab;
    second_cable("10.98.0.1/24");
    sysctl("all", "0");
    sysctl("wire", "1");
    CHECK(routes().outcome() == "pass");
    must("ip route add 10.99.0.2/32 dev second");
    CHECK(routes().cause() == "link.rp-filter");
    sysctl("wire", "2");
    CHECK(routes().cause() == "link.route-elsewhere");
    must("ip route del 10.99.0.2/32 dev second");
    must("ip route add unreachable 10.99.0.2/32");
    CHECK(routes().cause() == "link.no-route");
}

TEST_CASE("a rule by source address is seen also where the site file gives no address of this end") {
    if (skipped(NetLab::missing())) return;
    NetLab lab;
    second_cable("10.98.0.1/24");
    const json peer_alone = {{"interface", "wire"}, {"peer", "10.99.0.2"}};
    must("ip route add table 77 blackhole default");
    must("ip rule add from 10.98.0.1 lookup 77");
    CHECK(ask("routes", peer_alone).outcome() == "pass");  // it is for another address
    must("ip rule add from 10.99.0.1 lookup 77");
    CHECK(ask("routes", peer_alone).cause() == "link.no-route");
    must("ip route replace table 77 default via 10.98.0.9 dev second");
    CHECK(ask("routes", peer_alone).cause() == "link.route-elsewhere");
}

TEST_CASE("a far end's address in the network of another cable is told as one, and a route that leads away as a route") {
    if (skipped(NetLab::missing())) return;
    NetLab lab;
    second_cable("10.98.0.1/24");
    const json slip = {{"interface", "wire"}, {"address", "10.99.0.1"}, {"peer", "10.98.0.2"}};
    CHECK(ask("routes", slip).cause() == "link.peer-other-network");
    must("ip route add 10.98.0.2/32 dev wire");
    CHECK(ask("routes", slip).outcome() == "pass");
    sysctl("all", "0");
    sysctl("wire", "0");
    must("ip route add 10.99.0.2/32 dev second");
    CHECK(routes().cause() == "link.route-elsewhere");
}

TEST_CASE("a container bridge in the link's prefix, and the link's own bridge") {
    if (skipped(NetLab::missing())) return;
    NetLab lab;
    must("ip link add docker0 type bridge");
    must("ip link set docker0 up");
    must("ip addr add 172.17.0.1/16 dev docker0");
    CHECK(routes().outcome() == "pass");
    must("ip addr add 10.99.0.1/16 dev docker0");
    CHECK(routes().cause() == "link.container-bridge");
    must("ip addr flush dev docker0");
    must("ip addr flush dev wire");
    must("ip link set wire master docker0");
    must("ip addr add 10.99.0.1/24 dev docker0");
    const Answer bridged = routes();
    INFO(bridged.reason());
    CHECK(bridged.outcome() == "pass");
}

}  // namespace link_test
