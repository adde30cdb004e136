#include "probe/hail.hpp"

#include <sys/socket.h>

#include <diag/verdict.hpp>

#include "catch.hpp"
#include "probe/netlink.hpp"
#include "probe/testing_net.hpp"
#include "probe/testing_skip.hpp"

using namespace diag::probe;
using namespace std::chrono_literals;
using diag::probe::testing::must;
using diag::probe::testing::NetLab;
using diag::probe::testing::skipped;

namespace {

// The interfaces that hear the word there, by name.  A socket stays in the network that it was opened in.
std::vector<std::string> heard(NetLab& lab, const std::string& said, const std::string& listened_for) {
    lab.there();
    HailEar ear(listened_for);
    lab.here();
    REQUIRE(ear.problem().empty());
    REQUIRE(hail(interface("wire").index, said).empty());
    const auto indices = ear.listen(100ms);
    std::vector<std::string> names;
    lab.there();
    for (const unsigned index : indices) names.push_back(interface(index).name);
    lab.here();
    return names;
}

using Names = std::vector<std::string>;

}  // namespace

TEST_CASE("a word is heard by the interface at the other end, by what stands on it, and by no other; another word by none") {
    if (skipped(NetLab::missing())) return;
    NetLab lab;
    lab.over_there("ip link add spare type veth peer name spare-far");
    for (const char* name : {"spare", "spare-far"}) lab.over_there(std::string("ip link set up dev ") + name);
    CHECK(heard(lab, "abc", "abc") == Names{"wire"});
    CHECK(heard(lab, "abcd", "abc").empty());
    CHECK(heard(lab, "", "abc").empty());
    lab.over_there("ip link add br0 type bridge");
    lab.over_there("ip link set br0 up");
    lab.over_there("ip link set wire master br0");
    CHECK(heard(lab, "abc", "abc") == Names{"wire", "br0"});
}

TEST_CASE("a VLAN's word is heard by the adapter below and by the VLAN; without it, by the adapter alone") {
    if (skipped(NetLab::missing())) return;
    NetLab lab;
    if (diag::probe::testing::run({"ip", "link", "add", "link", "wire", "name", "wire.7", "type", "vlan", "id", "7"}) != 0) {
        WARN("skipped: this kernel has no VLANs");
        return;
    }
    must("ip link set wire.7 up");
    lab.over_there("ip link add link wire name wire.7 type vlan id 7");
    lab.over_there("ip link set wire.7 up");
    lab.there();
    HailEar ear("abc");
    lab.here();
    REQUIRE(hail(interface("wire.7").index, "abc").empty());
    CHECK(ear.listen(100ms).size() == 2);
    CHECK(heard(lab, "abc", "abc") == Names{"wire"});
}

TEST_CASE("what cannot send says why: the loopback, an interface that is switched off, one that is not there") {
    if (skipped(NetLab::missing())) return;
    NetLab lab;
    CHECK_THAT(hail(interface("lo").index, "abc"), ContainsSubstring("no Ethernet"));
    must("ip link set wire down");
    CHECK_THAT(hail(interface("wire").index, "abc"), ContainsSubstring("wire sends nothing"));
    CHECK_THROWS_AS(hail(0x7ffffff0U, "abc"), diag::Absent);
}
