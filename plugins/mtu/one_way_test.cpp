#include "one_way.hpp"

#include <vector>

#include "catch.hpp"

using namespace mtu;

namespace {

// A far end that limits its errors: `tokens` at once, and one more after each rest.
struct Limited {
    int tokens = 6;
    bool carries = true;    // the large one arrives
    std::vector<int> open;  // rounds whose port somebody listens at: no answer
    int rounds = 0, rests = 0;

    OneWay ask() {
        return weigh(
            [&](int round) {
                ++rounds;
                Heard heard;
                for (const int port : open)
                    if (port == round) return heard;
                heard.large = carries && tokens-- > 0;
                heard.small = tokens-- > 0;
                return heard;
            },
            [&] { tokens = 1, ++rests; });
    }
};

}  // namespace

TEST_CASE("a host that limits its errors never makes a large packet look lost") {
    for (int tokens = 0; tokens <= 6; ++tokens) {
        Limited far;
        far.tokens = tokens;
        const OneWay way = far.ask();
        INFO(tokens);
        CHECK(way.large == std::optional(true));
        CHECK(way.small);
        CHECK(far.rests <= 1);
    }
}

TEST_CASE("a large packet that is lost is called lost, whatever is left of the limit") {
    for (int tokens = 0; tokens <= 6; ++tokens) {
        Limited far;
        far.tokens = tokens;
        far.carries = false;
        INFO(tokens);
        CHECK(far.ask().large == std::optional(false));
        if (tokens >= 2) CHECK(far.rests == 0);
    }
}

TEST_CASE("silence is not known, and a port that is open is asked past") {
    Limited silent;
    silent.open = {1, 2, 3, 4};
    CHECK_FALSE(silent.ask().large.has_value());
    CHECK(silent.rounds == 2);
    Limited one;
    one.open = {1};
    CHECK(one.ask().large == std::optional(true));
}
