#include "address_clash.hpp"

#include "catch.hpp"

namespace address_clash_test {

using namespace diag::link;
using diag::probe::Address;

namespace {

OwnedAddress on(const std::string& interface, const std::string& address, bool containers = false) {
    return {interface, Address::parse(address).value(), containers};
}

}  // namespace

TEST_CASE("an address that both machines have is a clash, whichever interfaces have it") {
    const auto found =
        address_clashes({on("eth0", "10.0.0.1"), on("wire", "10.10.0.1")}, {on("eth0", "10.0.0.2"), on("eth1", "10.10.0.1")});
    REQUIRE(found.size() == 1);
    CHECK(found[0].address.text() == "10.10.0.1");
    CHECK(found[0].here == "wire");
    CHECK(found[0].there == "eth1");
    CHECK_FALSE(found[0].containers_only);
    CHECK(address_clashes({on("eth0", "fd10::1")}, {on("eth0", "fd10::1")}).size() == 1);
}

TEST_CASE("a container bridge's address at both ends is told apart from one that only one end uses for containers") {
    CHECK(address_clashes({on("docker0", "172.17.0.1", true)}, {on("docker0", "172.17.0.1", true)}).at(0).containers_only);
    CHECK_FALSE(address_clashes({on("docker0", "172.17.0.1", true)}, {on("eth0", "172.17.0.1")}).at(0).containers_only);
}

TEST_CASE("what every machine has is no clash: loopback, addresses that stay on their link, and none at all") {
    CHECK(address_clashes({on("lo", "127.0.0.1"), on("lo", "::1")}, {on("lo", "127.0.0.1"), on("lo", "::1")}).empty());
    CHECK(address_clashes({on("eth0", "169.254.3.4"), on("eth0", "fe80::1%lo")}, {on("eth0", "169.254.3.4"), on("eth0", "fe80::1%lo")})
              .empty());
    CHECK(address_clashes({on("eth0", "10.0.0.1")}, {}).empty());
}

}  // namespace address_clash_test
