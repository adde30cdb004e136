#include "search.hpp"

#include <cmath>
#include <cstdint>

#include "catch.hpp"
#include "hops.hpp"
#include "twin.hpp"

using namespace mtu;

namespace {

Found search(Twin& twin, const Sizes& sizes, Ledger& ledger) {
    ask_intended(twin, sizes, ledger);
    return narrow(twin, sizes, ledger);
}

}  // namespace

TEST_CASE("a clean path costs one volley, and no search") {
    for (const std::int64_t intended : {68, 1280, 1500, 9000, 65535}) {
        Twin twin;
        twin.mtu = intended;
        Ledger ledger;
        CHECK(search(twin, {intended, 68, 3}, ledger) == Found::intended);
        CHECK(twin.volleys == 1);
        CHECK(twin.sent <= 5);
    }
}

TEST_CASE("any MTU from 68 to 65534 is found to the byte") {
    std::size_t most_volleys = 0;
    for (std::int64_t mtu = 68; mtu < 65535; mtu += mtu % 7 + 1) {
        Twin twin;
        twin.mtu = mtu;
        Ledger ledger;
        const Found found = search(twin, {65535, 68, 3}, ledger);
        if (found != Found::exact || ledger.largest_reply() != mtu) FAIL("MTU " << mtu << ": found " << ledger.largest_reply());
        most_volleys = std::max(most_volleys, twin.volleys);
    }
    CHECK(most_volleys <= 7);
}

TEST_CASE("the boundary is confirmed: as many probes above it are lost as the check was asked to send") {
    Twin twin;
    twin.mtu = 1777;
    Ledger ledger;
    CHECK(search(twin, {9000, 68, 5}, ledger) == Found::exact);
    CHECK(ledger.of(1777).replied == 5);
    CHECK(ledger.of(1778).lost() == 5);
}

TEST_CASE("a usual 1500-byte hop between 9000-byte ends takes three volleys") {
    Twin twin;
    Ledger ledger;
    CHECK(search(twin, {9000, 68, 3}, ledger) == Found::exact);
    CHECK(ledger.largest_reply() == 1500);
    CHECK(twin.volleys == 3);
}

TEST_CASE("what a router says is tried first, and believed only where it is true") {
    for (const std::int64_t says : {1777, 1400, 5000, 0}) {
        Twin twin;
        twin.mtu = 1777;
        twin.says = says;
        Ledger ledger;
        CHECK(search(twin, {9000, 68, 3}, ledger) == Found::exact);
        CHECK(ledger.largest_reply() == 1777);
        REQUIRE(ledger.routers().size() == 1);
        CHECK(ledger.routers().front().said == says);
        if (says == 1777) CHECK(twin.volleys == 3);
    }
}

TEST_CASE("random loss is never called a smaller MTU") {
    int unclear = 0;
    for (unsigned seed = 0; seed < 400; ++seed) {
        for (const double loss : {0.02, 0.2, 0.4}) {
            Twin twin;
            twin.mtu = 9000;
            twin.loss = loss;
            twin.random.seed(seed);
            Ledger ledger;
            const Found found = search(twin, {9000, 68, 3}, ledger);
            if (found == Found::exact) FAIL("loss " << loss << ", seed " << seed << " was called an MTU of " << ledger.largest_reply());
            unclear += found != Found::intended;
        }
    }
    CHECK(unclear < 120);
}

TEST_CASE("a smaller MTU is found to the byte on a path that also loses packets, or called unclear") {
    int exact = 0;
    for (unsigned seed = 0; seed < 200; ++seed) {
        for (const double loss : {0.02, 0.2}) {
            Twin twin;
            twin.mtu = 1500;
            twin.loss = loss;
            twin.random.seed(seed);
            Ledger ledger;
            if (search(twin, {9000, 68, 3}, ledger) != Found::exact) continue;
            ++exact;
            if (ledger.largest_reply() != 1500) FAIL("loss " << loss << ", seed " << seed << ": " << ledger.largest_reply());
        }
    }
    CHECK(exact > 300);
}

TEST_CASE("nothing answered is no answer, not an MTU of zero") {
    Twin twin;
    twin.answers = false;
    Ledger ledger;
    CHECK(search(twin, {9000, 68, 3}, ledger) == Found::no_answer);
    CHECK(ledger.largest_reply() == 0);
    CHECK(twin.volleys == 2);
}

TEST_CASE("a late answer takes back a loss") {
    Ledger ledger;
    Outcome lost, reply;
    lost.probe = {9000};
    reply.probe = {68};
    reply.kind = Kind::reply;
    ledger.add({lost, lost, reply});
    CHECK(ledger.of(9000).lost() == 2);
    Outcome late = lost;
    late.kind = Kind::reply;
    late.late = true;
    ledger.add({late});
    CHECK(ledger.of(9000).lost() == 1);
    CHECK(ledger.largest_reply() == 9000);
}

TEST_CASE("a loss that no later answer of its volley vouches for is no loss yet, and a late answer to it counts") {
    Ledger ledger;
    Outcome lost, reply;
    lost.probe = {1600};
    reply.probe = {1500};
    reply.kind = Kind::reply;
    ledger.add({reply, lost, lost});
    CHECK(ledger.smallest_silent_above(1500) == 0);
    CHECK(ledger.of(1600).lost() == 0);
    CHECK(ledger.of(1600).unheard == 2);
    Outcome late = lost;
    late.kind = Kind::reply;
    late.late = true;
    ledger.add({late});
    CHECK(ledger.of(1600).replied == 1);
    CHECK(ledger.of(1600).lost() == 0);
    CHECK(ledger.largest_reply() == 1600);
}

TEST_CASE("a limit on echo never makes a size: it is found to the byte, however little is left of the limit") {
    struct Limit {
        double per_second, burst;
    };
    for (const Limit& limit : {Limit{1, 5}, {5, 5}, {100, 5}, {1, 10}, {20, 20}}) {
        for (const std::int64_t mtu : {1400, 1500, 2000, 3333, 8999}) {
            for (double left = 1; left <= limit.burst; left += 0.5) {
                Twin twin;
                twin.mtu = mtu;
                twin.per_second = limit.per_second;
                twin.burst = limit.burst;
                twin.tokens = left;
                Ledger ledger;
                const Found found = search(twin, {9000, 68, 3}, ledger);
                INFO(limit.per_second << "/s burst " << limit.burst << ", left " << left << ", MTU " << mtu << ", rests " << twin.rests);
                CHECK(found == Found::exact);
                CHECK(ledger.largest_reply() == mtu);
                CHECK(twin.rests <= 10);
            }
        }
    }
}

TEST_CASE("where echo is answered too rarely, no size is made up") {
    Twin fast;  // an answer for every tenth probe, all along the volley
    fast.mtu = 8999;
    fast.per_second = 1000;
    fast.burst = fast.tokens = 5;
    Ledger most;
    CHECK(search(fast, {9000, 68, 3}, most) == Found::unclear);
    for (const double per_second : {0.05, 0.2}) {
        Twin twin;
        twin.mtu = 3333;
        twin.per_second = per_second;
        twin.burst = twin.tokens = 5;
        Ledger ledger;
        CHECK(search(twin, {9000, 68, 3}, ledger) == Found::limited);
        CHECK(ledger.largest_reply() <= 3333);
    }
}

TEST_CASE("a limit on echo does not hide that the intended size passes") {
    for (const double left : {1, 2, 3, 5}) {
        Twin twin;
        twin.mtu = 9000;
        twin.per_second = 1;
        twin.burst = 5;
        twin.tokens = left;
        Ledger ledger;
        CHECK(search(twin, {9000, 68, 3}, ledger) == Found::intended);
        CHECK(ledger.limited() == (left < 4));
    }
}

TEST_CASE("on a routed path the hops show where large packets stop") {
    Twin twin;
    twin.routers = 3;
    twin.narrow_behind = 2;
    Ledger ledger;
    const Trace path = trace(twin, 68, 9000, ledger);
    REQUIRE(path.hops.size() == 4);
    CHECK(path.hops.back().destination);
    CHECK(path.last_large() == 2);
    CHECK(path.hops[1].router == "10.0.2.1");
    CHECK(path.first_small() == 3);
    CHECK(twin.volleys == 2);
    CHECK(ledger.largest_reply() == 0);  // hop-limited probes say nothing about the whole path
}

TEST_CASE("a hop-limited probe lost by chance does not move the place where large packets stop") {
    int right = 0;
    for (unsigned seed = 0; seed < 100; ++seed) {
        Twin twin;
        twin.routers = 2;
        twin.narrow_behind = 2;
        twin.loss = 0.1;
        twin.random.seed(seed);
        Ledger ledger;
        right += trace(twin, 68, 9000, ledger).last_large() == 2 ? 1 : 0;
    }
    CHECK(right >= 97);  // lost twice: one in a hundred
}
