#include "bulk_memory.hpp"

#include "catch.hpp"
#include "probe/testing_tree.hpp"

using namespace diag::bulk;

TEST_CASE("a load that could take a quarter of the memory is refused, with both numbers") {
    const Memory small{std::int64_t{256} << 20, std::int64_t{10} << 20};
    CHECK(refusal(small, 4).empty());
    CHECK(refusal(small, 6).empty());
    CHECK(refusal(small, 7) == "7 streams may take 70 MiB in socket buffers, and 256 MiB are available: a load may take a quarter of that");
    CHECK(refusal({std::nullopt, std::int64_t{1} << 40}, 32).empty());  // not known is no reason
}

TEST_CASE("the kernel's texts give the numbers, and what is missing in them is not known") {
    CHECK(memory_available("MemTotal:  16000 kB\nMemFree: 1 kB\nMemAvailable:   2048 kB\n") == 2048 * 1024);
    CHECK_FALSE(memory_available("MemTotal: 16000 kB\nMemAvailable: lots\n"));
    CHECK(largest_buffer("4096\t131072\t6291456\n") == 6291456);
    CHECK_FALSE(largest_buffer("4096 131072"));
    CHECK_FALSE(memory_of("/nonexistent").available);
}
