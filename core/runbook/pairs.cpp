#include "runbook/pairs.hpp"

#include <algorithm>
#include <charconv>
#include <numeric>
#include <utility>

#include "base/nearest.hpp"
#include "diag/types.hpp"

namespace diag::runbook {
namespace {

// x with value * x = 1 modulo `modulus`; the two have no common divisor.
std::size_t inverse_of(std::size_t value, std::size_t modulus) {
    long long a = static_cast<long long>(value), b = static_cast<long long>(modulus), x = 1, y = 0;
    while (b != 0) {
        const long long quotient = a / b;
        a = std::exchange(b, a - quotient * b);
        x = std::exchange(y, x - quotient * y);
    }
    const auto whole = static_cast<long long>(modulus);
    return static_cast<std::size_t>((x % whole + whole) % whole);
}

}  // namespace

Pairs parse_pairs(std::string_view text) {
    if (text == "mesh") return {Pairs::Kind::mesh, 0};
    if (text == "ring") return {Pairs::Kind::ring, 0};
    constexpr std::string_view sample = "sample ";
    std::size_t partners = 0;
    if (text.starts_with(sample)) {
        const char* end = text.data() + text.size();
        const auto [stop, problem] = std::from_chars(text.data() + sample.size(), end, partners);
        if (problem == std::errc() && stop == end && partners > 0) return {Pairs::Kind::sample, partners};
    }
    throw BadValue("expected mesh, ring or 'sample N' (N partners for each machine), not '" + std::string(text) + "'" +
                   (text.starts_with("sample") ? "" : base::did_you_mean(text, {"mesh", "ring", "sample"})));
}

Pairing::Pairing(const Pairs& pairs, std::size_t ends) : ends_(ends) {
    const std::size_t wanted = pairs.kind == Pairs::Kind::sample ? pairs.partners : 2;
    const bool few = pairs.kind == Pairs::Kind::automatic && ends <= mesh_up_to;
    mesh_ = pairs.kind == Pairs::Kind::mesh || few || wanted + 1 >= ends;
    if (mesh_) return;
    // Distances 1, ... at even steps up to half of the circle; an odd one out is opposite.
    const std::size_t whole = wanted / 2, half = ends / 2, odd = wanted % 2;
    const std::size_t room = ends % 2 == 0 ? half - 1 : half - odd;
    for (std::size_t i = 0; i < whole; ++i) add(1 + i * room / whole);
    if (odd == 1) add(half, true);
}

void Pairing::add(std::size_t distance, bool matching) {
    const std::size_t cycles = std::gcd(ends_, distance), length = ends_ / cycles;
    // A distance is less than ends_, and so is their divisor.  NOLINTNEXTLINE(clang-analyzer-core.DivideZero)
    distances_.push_back({distance, turns_, cycles, length, inverse_of(distance / cycles % length, length), matching});
    turns_ += matching || length % 2 == 0 ? 2 : 3;
}

// Of the pair that goes from `lower` to the end `distance` further on.
std::size_t Pairing::turn(const Distance& at, std::size_t lower) const {
    if (at.matching) return at.turn + (ends_ % 2 == 1 && lower == ends_ / 2 ? 1 : 0);
    const std::size_t step = lower / at.cycles * at.inverse % at.length;  // where in its cycle it stands
    return at.turn + (at.length % 2 == 1 && step + 1 == at.length ? 2 : step % 2);
}

// The round-robin tournament: the last of an even number stays, the others turn around it; of an odd number one pauses.
std::size_t Pairing::mesh_turn(std::size_t a, std::size_t b) const {
    const std::size_t circle = (ends_ - 1) | 1;  // the odd one of ends_ - 1 and ends_
    if (b == circle) return 2 * a % circle;
    if (a == circle) return 2 * b % circle;
    return (a + b) % circle;
}

void Pairing::around(std::size_t end, const Distance& at, std::vector<Partner>& found) const {
    // Distances are only made between three ends and more.  NOLINTNEXTLINE(clang-analyzer-core.DivideZero)
    const std::size_t up = (end + at.distance) % ends_, down = (end + ends_ - at.distance) % ends_;
    if (!at.matching) {
        found.push_back({up, turn(at, end)});
        found.push_back({down, turn(at, down)});
        return;
    }
    if (end + at.distance < ends_) found.push_back({end + at.distance, turn(at, end)});
    if (end >= at.distance) found.push_back({end - at.distance, turn(at, end - at.distance)});
}

std::vector<Pairing::Partner> Pairing::partners(std::size_t end) const {
    std::vector<Partner> found;
    if (mesh_)
        for (std::size_t other = 0; other < ends_; ++other)
            if (other != end) found.push_back({other, mesh_turn(end, other)});
    for (const auto& at : distances_) around(end, at, found);
    std::sort(found.begin(), found.end(), [](const Partner& a, const Partner& b) { return a.end < b.end; });
    return found;
}

std::size_t Pairing::count() const {
    if (mesh_) return ends_ < 2 ? 0 : ends_ * (ends_ - 1) / 2;
    std::size_t pairs = 0;
    for (const auto& at : distances_) pairs += at.matching ? ends_ - at.distance : ends_;
    return pairs;
}

}  // namespace diag::runbook
