#include "runbook/rounds.hpp"

#include <algorithm>
#include <cstdint>
#include <numeric>
#include <tuple>

namespace diag::runbook {
namespace {

// The rounds that a machine takes part in, one bit each.
using Busy = std::vector<std::uint64_t>;

class Calendar {
  public:
    explicit Calendar(const Site& site) : site_(site), busy_(site.machines.size()) {}

    // The first round that is free for all who take part; they are busy then.
    int place(const PlannedRow& planned, const Row& row) {
        const auto who = parties(planned, row);
        std::size_t word = 0;
        while (taken(who, word) == ~std::uint64_t{0}) ++word;
        const int bit = free_bit(taken(who, word));
        for (const std::size_t machine : who) {
            if (busy_[machine].size() <= word) busy_[machine].resize(word + 1);
            busy_[machine][word] |= std::uint64_t{1} << bit;
        }
        return static_cast<int>(word * 64) + bit + 1;
    }

  private:
    std::vector<std::size_t> parties(const PlannedRow& planned, const Row& row) const {
        std::vector<std::size_t> who;
        for (const Machine* machine : {row.machine, row.peer}) add(machine, who);
        for (const auto& check : planned.checks)
            if (check.machine != row.machine->key && check.machine != row.peer->key) add(site_.machine(check.machine), who);
        return who;
    }

    void add(const Machine* machine, std::vector<std::size_t>& who) const {
        if (machine == nullptr) return;  // an error that is told elsewhere
        const auto number = static_cast<std::size_t>(machine - site_.machines.data());
        if (std::find(who.begin(), who.end(), number) == who.end()) who.push_back(number);
    }

    std::uint64_t taken(const std::vector<std::size_t>& who, std::size_t word) const {
        std::uint64_t bits = 0;
        for (const std::size_t machine : who)
            if (word < busy_[machine].size()) bits |= busy_[machine][word];
        return bits;
    }

    static int free_bit(std::uint64_t bits) {
        int bit = 0;
        for (; (bits & 1) != 0; bits >>= 1) ++bit;
        return bit;
    }

    const Site& site_;
    std::vector<Busy> busy_;
};

}  // namespace

// First fit, link by link and turn by turn.  A row meets earlier ones of its machines in earlier turns only, so there are
// never more rounds than turns; and rows of other links go where both machines pause.
void give_rounds(std::vector<PlannedRow>& planned, const std::vector<Row>& rows, const Site& site) {
    std::vector<std::size_t> order(rows.size());
    std::iota(order.begin(), order.end(), std::size_t{0});
    const auto link = [&](std::size_t i) { return rows[i].link == nullptr ? 0 : rows[i].link - site.links.data(); };
    const auto key = [&](std::size_t i) { return std::make_tuple(link(i), rows[i].turn, i); };
    std::sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) { return key(a) < key(b); });
    Calendar calendar(site);
    for (const std::size_t i : order) planned[i].round = calendar.place(planned[i], rows[i]);
    std::stable_sort(planned.begin(), planned.end(), [](const PlannedRow& a, const PlannedRow& b) { return a.round < b.round; });
}

}  // namespace diag::runbook
