// Which pairs of a link's ends are measured, and in which order no end stands in two of them at once.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace diag::runbook {

struct Pairs {
    enum class Kind { automatic, mesh, ring, sample };  // automatic: a mesh of a few ends, a ring of more

    Kind kind = Kind::automatic;
    std::size_t partners = 0;  // of each end, for sample
};

// "mesh", "ring" or "sample N".  Throws BadValue with what was expected.
Pairs parse_pairs(std::string_view text);

inline constexpr std::size_t mesh_up_to = 8;  // ends of a link that nobody has chosen `pairs` for

// The pairs among `ends` ends, told by their numbers: the same for everyone who asks.  In a ring each end has its two
// neighbours; in a sample N partners at even distances, the neighbours first, so that it is connected from N = 2 on.
class Pairing {
  public:
    Pairing(const Pairs& pairs, std::size_t ends);

    struct Partner {
        std::size_t end;
        std::size_t turn;  // pairs of one turn have no end in common
    };
    std::vector<Partner> partners(std::size_t end) const;  // in the order of the ends
    std::size_t count() const;                             // of pairs
    bool is_mesh() const { return mesh_; }

  private:
    // The pairs of ends `distance` apart, around the circle of all: cycles, walked by every other pair.
    struct Distance {
        std::size_t distance, turn;  // turn: its first
        std::size_t cycles, length;  // how many cycles, and the ends of each
        std::size_t inverse;         // of distance / cycles, modulo length
        bool matching = false;       // not whole cycles, but one partner for each (where the number of ends is odd: two for one)
    };
    void add(std::size_t distance, bool matching = false);
    std::size_t turn(const Distance& at, std::size_t lower) const;
    std::size_t mesh_turn(std::size_t a, std::size_t b) const;
    void around(std::size_t end, const Distance& at, std::vector<Partner>& found) const;

    std::size_t ends_;
    bool mesh_ = false;
    std::vector<Distance> distances_;
    std::size_t turns_ = 0;
};

}  // namespace diag::runbook
