#include "probe/traffic.hpp"

#include <sys/socket.h>

#include "base/fd.hpp"
#include "catch.hpp"
#include "probe/address.hpp"
#include "probe/testing_net.hpp"
#include "probe/testing_skip.hpp"

using namespace diag::probe;

TEST_CASE("Bytes are counted on the interface that carried them, and on no other") {
    if (testing::skipped(testing::NetLab::missing())) return;
    testing::NetLab lab;
    const auto before = traffic();
    const diag::base::Fd fd(::socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0));
    const auto to = Address::parse("10.99.0.2")->with_port(9);
    const std::string data(1000, 'x');
    for (int i = 0; i < 10; ++i) REQUIRE(::sendto(fd.get(), data.data(), data.size(), 0, to.get(), to.size()) == 1000);
    std::uint64_t wire = 0, lo = 0;
    for (const auto& carried : difference(before, traffic())) (carried.name == "wire" ? wire : lo) += carried.sent;
    CHECK(wire >= 10 * 1000);
    CHECK(lo < 1000);
}

TEST_CASE("A counter that was set back, and an interface that came or went, carried nothing that is known") {
    const std::vector<Traffic> before{{1, "lo", 10, 10}, {2, "eth0", 100, 100}, {3, "gone", 1, 1}};
    const std::vector<Traffic> after{{1, "lo", 15, 17}, {2, "eth0", 5, 200}, {4, "new", 9, 9}};
    const auto carried = difference(before, after);
    REQUIRE(carried.size() == 1);
    CHECK(carried[0].name == "lo");
    CHECK(carried[0].received == 5);
    CHECK(carried[0].sent == 7);
}
