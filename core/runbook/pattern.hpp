// Host patterns as pdsh, ClusterShell and Slurm write them: "gpu[001-400,500].lan" stands for 401 texts.
// Brackets hold numbers and ranges only; what the texts are for is the caller's business.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace diag::runbook {

inline constexpr std::size_t max_expanded = 100'000;  // texts of one pattern

class Pattern {
  public:
    // Without brackets it stands for itself.  Throws BadValue with what was expected.
    explicit Pattern(std::string_view text);

    std::size_t count() const { return count_; }  // 1 at least
    // The text number `index`, from 0; of several brackets the last runs fastest.  A range keeps the digits it is written with.
    std::string at(std::size_t index) const;

  private:
    struct Range {
        std::size_t first, count, digits;  // digits: at least so many, zeros in front
    };
    struct Bracket {
        std::string before;  // the text in front of it
        std::vector<Range> ranges;
        std::size_t count = 0;
    };

    static Range range(std::string_view text);
    static Bracket bracket(std::string_view before, std::string_view inside);

    std::vector<Bracket> brackets_;
    std::string rest_;
    std::size_t count_ = 1;
};

// Whether a text has brackets with nothing but digits, ',' and '-' inside; others, as in "[2001:db8::1]:80", mean something else.
bool is_pattern(std::string_view text);

}  // namespace diag::runbook
