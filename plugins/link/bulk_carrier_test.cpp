// Carrier that came and went during a load, by the kernel's count.
#include "bulk_carrier.hpp"

#include "bulk_lab.hpp"
#include "catch.hpp"

using namespace diag;
using namespace diag::bulk;

namespace {

probe::Interface seen(unsigned index, bool carrier, std::uint32_t changes) {
    probe::Interface i;
    i.index = index;
    i.name = "direct";
    i.carrier = carrier;
    i.carrier_changes = changes;
    return i;
}

}  // namespace

TEST_CASE("going and coming back is one loss; the same count, another interface, or one that had none before is none") {
    CHECK_FALSE(carrier_loss(seen(2, true, 7), seen(2, true, 7)));
    CHECK_FALSE(carrier_loss(seen(2, true, 7), seen(3, true, 9)));
    CHECK_FALSE(carrier_loss(seen(2, false, 7), seen(2, true, 8)));
    const auto back = carrier_loss(seen(2, true, 7), seen(2, true, 9)), gone = carrier_loss(seen(2, true, 7), seen(2, false, 8));
    REQUIRE((back && gone));
    CHECK(words_of(*back) == "direct lost its carrier 1 time during the test");
    CHECK(words_of(*gone) == "direct lost its carrier 1 time during the test, and has none now");
    auto thrice = *carrier_loss(seen(2, true, 7), seen(2, false, 12));
    thrice.machine = "node-b";
    CHECK(words_of(thrice) == "direct of node-b lost its carrier 3 times during the test, and has none now");
    auto uncounted = seen(2, false, 7);
    uncounted.carrier_changes.reset();
    CHECK(words_of(*carrier_loss(seen(2, true, 7), uncounted)) == "direct has lost its carrier during the test");
}

TEST_CASE("a cable that is pulled and put back is seen, and one that stays is not; one that is not there is not known") {
    if (bulk::testing::skipped(bulk::testing::missing())) return;
    probe::testing::NetLab lab;
    const CarrierWatch watch("node-a", {"wire", "lo", "no-such"});
    CHECK(watch.losses().empty());
    lab.over_there("ip link set wire down");
    CHECK(watch.losses().at("wire").gone);
    lab.over_there("ip link set wire up");
    for (int tries = 0; tries < 100 && watch.losses().at("wire").gone; ++tries) ::usleep(20'000);
    const auto losses = watch.losses();
    REQUIRE(losses.size() == 1);
    CHECK(losses.at("wire").times == 1);
    CHECK_FALSE(losses.at("wire").gone);
    CHECK(losses.at("wire").machine == "node-a");
}
