#include "probe/address_owners.hpp"

#include <chrono>

#include <diag/verdict.hpp>

#include "catch.hpp"
#include "probe/netlink.hpp"
#include "probe/testing_net.hpp"
#include "probe/testing_skip.hpp"

using namespace diag::probe;
using diag::probe::testing::must;
using diag::probe::testing::NetLab;
using diag::probe::testing::skipped;

namespace {

std::vector<std::string> owners(const std::string& address) {
    const auto found = address_owners(*Address::parse(address), interface("wire").index, std::chrono::milliseconds(200));
    REQUIRE(found);
    return *found;
}

using Macs = std::vector<std::string>;

}  // namespace

TEST_CASE("the owner of an address on the link is found by its MAC, a second one too, and nobody is nobody") {
    if (skipped(NetLab::missing())) return;
    NetLab lab;
    lab.over_there("ip link set wire address 02:00:00:00:00:02");
    CHECK(owners("10.99.0.2") == Macs{"02:00:00:00:00:02"});
    CHECK(owners("10.99.0.77").empty());
    CHECK(owners("10.99.0.1").empty());  // this machine's own: its kernel does not answer itself
    CHECK(owners("fd99::2") == Macs{"02:00:00:00:00:02"});
    CHECK(owners("fd99::77").empty());
    CHECK(owners("fd99::1").empty());
    lab.over_there("ip addr add 10.99.0.1/32 dev wire");
    lab.over_there("ip addr add fd99::1/128 dev wire nodad");
    CHECK(owners("10.99.0.1") == Macs{"02:00:00:00:00:02"});
    CHECK(owners("fd99::1") == Macs{"02:00:00:00:00:02"});
}

TEST_CASE("two machines that have one address both answer") {
    if (skipped(NetLab::missing())) return;
    NetLab lab;  // a macvlan stands for the second machine: a MAC of its own, the same address
    lab.over_there("ip link set wire address 02:00:00:00:00:02");
    lab.over_there("ip link add second link wire address 02:00:00:00:00:03 type macvlan mode bridge");
    lab.over_there("ip link set second up");
    const auto both = owners("10.99.0.2");
    CHECK(both.size() == 2);
    CHECK_THAT(both.at(0) + " " + both.at(1), ContainsSubstring("02:00:00:00:00:03"));
}

TEST_CASE("an interface that is gone is absent, and loopback has nobody to ask") {
    CHECK_THROWS_AS(address_owners(*Address::parse("198.51.100.77"), 0x7ffffff0U, std::chrono::milliseconds(1)), diag::Absent);
    CHECK_FALSE(address_owners(*Address::parse("127.0.0.1"), interface("lo").index, std::chrono::milliseconds(1)));
}
