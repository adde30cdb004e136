#include "runbook/pairs.hpp"

#include <map>
#include <set>

#include "catch.hpp"
#include "diag/types.hpp"

namespace pairs_test {

using namespace diag::runbook;

namespace {

// All pairs {lower, higher} with their turns, after checking that both ends say the same.
std::map<std::pair<std::size_t, std::size_t>, std::size_t> all(const std::string& pairs, std::size_t ends) {
    const Pairing pairing(pairs.empty() ? Pairs{} : parse_pairs(pairs), ends);
    std::map<std::pair<std::size_t, std::size_t>, std::size_t> found;
    std::size_t told = 0;
    for (std::size_t end = 0; end < ends; ++end)
        for (const auto& partner : pairing.partners(end)) {
            const auto [entry, fresh] = found.emplace(std::minmax(end, partner.end), partner.turn);
            CHECK(entry->second == partner.turn);
            CHECK(partner.end != end);
            ++told;
        }
    CHECK(told == 2 * found.size());
    CHECK(pairing.count() == found.size());
    return found;
}

// How many turns there are; each must have every end once at most.
std::size_t turns(const std::string& pairs, std::size_t ends) {
    std::map<std::size_t, std::set<std::size_t>> busy;
    for (const auto& [pair, turn] : all(pairs, ends))
        for (const std::size_t end : {pair.first, pair.second}) CHECK(busy[turn].insert(end).second);
    return busy.size();
}

std::set<std::size_t> partner_counts(const std::string& pairs, std::size_t ends) {
    const Pairing pairing(parse_pairs(pairs), ends);
    std::set<std::size_t> counts;
    for (std::size_t end = 0; end < ends; ++end) counts.insert(pairing.partners(end).size());
    return counts;
}

std::vector<std::size_t> partners(const std::string& pairs, std::size_t ends, std::size_t end) {
    std::vector<std::size_t> found;
    for (const auto& partner : Pairing(parse_pairs(pairs), ends).partners(end)) found.push_back(partner.end);
    return found;
}

bool connected(const std::string& pairs, std::size_t ends) {
    std::set<std::size_t> seen{0};
    std::vector<std::size_t> open{0};
    while (!open.empty()) {
        const std::size_t end = open.back();
        open.pop_back();
        for (const std::size_t next : partners(pairs, ends, end))
            if (seen.insert(next).second) open.push_back(next);
    }
    return seen.size() == ends;
}

std::string error(const std::string& text) {
    try {
        parse_pairs(text);
    } catch (const diag::BadValue& e) {
        return e.what();
    }
    return "no error";
}

using Ends = std::vector<std::size_t>;
using Counts = std::set<std::size_t>;

}  // namespace

TEST_CASE("a mesh is every pair, in the turns of a round-robin tournament") {
    CHECK(all("mesh", 0).empty());
    CHECK(all("mesh", 1).empty());
    CHECK(all("mesh", 2).size() == 1);
    CHECK(turns("mesh", 8) == 7);
    CHECK(turns("mesh", 9) == 9);
    CHECK(all("mesh", 64).size() == 2016);
    CHECK(turns("mesh", 64) == 63);
}

TEST_CASE("a ring is the two neighbours of each, in two turns, or three where the ends are odd") {
    CHECK(partners("ring", 10, 0) == Ends{1, 9});
    CHECK(partners("ring", 10, 4) == Ends{3, 5});
    CHECK(all("ring", 2).size() == 1);
    CHECK(all("ring", 3).size() == 3);
    CHECK(turns("ring", 10) == 2);
    CHECK(turns("ring", 11) == 3);
}

TEST_CASE("a sample gives each end N partners, the same ones whoever asks, and reaches all") {
    CHECK(partners("sample 4", 20, 0) == Ends{1, 5, 15, 19});
    CHECK(partners("sample 3", 20, 0) == Ends{1, 10, 19});
    CHECK(partners("sample 1", 20, 3) == Ends{13});
    for (const std::size_t ends : {4U, 5U, 9U, 12U, 15U, 16U, 30U, 31U, 32U, 60U})
        for (std::size_t n = 1; n + 1 < ends; ++n) {
            const std::string sample = "sample " + std::to_string(n);
            CAPTURE(ends, n);
            CHECK(partner_counts(sample, ends) == (ends * n % 2 == 0 ? Counts{n} : Counts{n, n + 1}));
            CHECK(turns(sample, ends) <= n + n / 2 + 1);
            if (n > 1) CHECK(connected(sample, ends));
        }
    CHECK(partner_counts("sample 8", 1000) == Counts{8});
    CHECK(turns("sample 8", 1000) == 8);
}

TEST_CASE("more partners than there are make a mesh") {
    CHECK(all("sample 9", 10).size() == 45);
    CHECK(all("sample 4000000000", 3).size() == 3);
}

TEST_CASE("without a word, up to 8 ends are a mesh, and more a ring") {
    CHECK(all("", 8).size() == 28);
    CHECK(all("", 9).size() == 9);
}

TEST_CASE("another word for pairs is an error that says what there is") {
    CHECK(error("mesh") == "no error");
    CHECK(error("sample 12") == "no error");
    CHECK(error("mehs") == "expected mesh, ring or 'sample N' (N partners for each machine), not 'mehs'; did you mean 'mesh'?");
    for (const char* text :
         {"sample", "sample ", "sample 0", "sample -1", "sample 2.5", "sample 4x", "sample  4", "sample 99999999999999999999"})
        CHECK_THAT(error(text), ContainsSubstring("'sample N' (N partners for each machine), not '" + std::string(text) + "'"));
}

}  // namespace pairs_test
