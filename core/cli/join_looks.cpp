#include "cli/join_looks.hpp"

#include <algorithm>
#include <map>
#include <set>
#include <tuple>

#include <fmt/format.h>

namespace diag::cli {
namespace {

class Joiner {
  public:
    explicit Joiner(const std::vector<MachineLook>& machines) : machines_(machines) {
        collect();
        listen();
    }

    JoinedLooks join() {
        std::set<std::string> done;
        for (const auto& end : ends_)
            if (done.insert(end.at.network).second) in_network(end.at.network);
        return std::move(found_);
    }

  private:
    using Group = std::vector<const SegmentEnd*>;

    std::string called(const SegmentEnd& end) const { return machines_[end.machine].key + " " + end.at.interface; }
    std::string called(const Group& ends) const {
        std::vector<std::string> names;
        for (const auto* end : ends) names.push_back(called(*end));
        return enumerated(names);
    }

    // Each interface once in a network, with its first address there; an address that two machines have leads to neither.
    void collect() {
        std::set<std::string> twice;
        for (std::size_t i = 0; i < machines_.size(); ++i)
            for (const auto& at : endpoints_of(machines_[i]))
                if (const auto [first, fresh] = owners_.try_emplace(at.address, i); !fresh && first->second != i) twice.insert(at.address);
        std::set<std::tuple<std::size_t, std::string, std::string>> known;
        for (std::size_t i = 0; i < machines_.size(); ++i)
            for (auto& at : endpoints_of(machines_[i]))
                if (!twice.contains(at.address) && known.insert({i, at.interface, at.network}).second) ends_.push_back({i, std::move(at)});
        for (const auto& address : twice) found_.left_out.push_back(fmt::format("{} is an address of two machines", address));
    }

    void listen() {
        for (std::size_t i = 0; i < machines_.size(); ++i)
            for (const auto& heard : heard_by(machines_[i])) {
                const auto owner = owners_.find(heard.address);
                if (owner == owners_.end() || owner->second == i) continue;
                asked_.insert({i, heard.interface, owner->second});
                for (const auto& identity : heard.identities) hears_.insert({i, heard.interface, owner->second, identity});
            }
    }
    bool hears(const SegmentEnd& one, const SegmentEnd& other) const {
        return hears_.contains({one.machine, one.at.interface, other.machine, other.at.identity});
    }
    bool joined(const SegmentEnd& one, const SegmentEnd& other) const {
        return one.machine != other.machine && (hears(one, other) || hears(other, one));
    }
    bool asked(const SegmentEnd& one, const SegmentEnd& other) const {
        return asked_.contains({one.machine, one.at.interface, other.machine}) ||
               asked_.contains({other.machine, other.at.interface, one.machine});
    }

    void in_network(const std::string& network) {
        Group left;
        for (const auto& end : ends_)
            if (end.at.network == network) left.push_back(&end);
        Group alone;
        while (!left.empty()) {
            Group group = connected(left);
            without_doubles(group);
            while (group.size() > 1) take_clique(group, network);
            alone.insert(alone.end(), group.begin(), group.end());
        }
        tell_alone(alone, network);
    }

    // Everything that is joined with the first of `left`, directly or by others; taken out of `left`.
    Group connected(Group& left) const {
        Group group{left.front()};
        left.erase(left.begin());
        for (std::size_t i = 0; i < group.size(); ++i)
            std::erase_if(left, [&](const SegmentEnd* end) {
                if (!joined(*group[i], *end)) return false;
                group.push_back(end);
                return true;
            });
        std::ranges::sort(group, [](const SegmentEnd* a, const SegmentEnd* b) { return a->machine < b->machine; });
        return group;
    }

    // A machine that is there with two interfaces could be meant with either.
    void without_doubles(Group& group) {
        std::map<std::size_t, Group> by_machine;
        for (const auto* end : group) by_machine[end->machine].push_back(end);
        for (const auto& [machine, ends] : by_machine) {
            if (ends.size() < 2) continue;
            found_.left_out.push_back(
                fmt::format("{} are both in {} and reach the same others: which of them is meant is not to be told; "
                            "give each its own prefix, or write the link by hand",
                            called(ends), ends.front()->at.network));
            std::erase_if(group, [&, own = machine](const SegmentEnd* end) { return end->machine == own; });
        }
    }

    // The first of the group, and in their order all that see everyone taken before; taken out of it.
    void take_clique(Group& group, const std::string& network) {
        Group clique, rest;
        for (const auto* end : group)
            (std::ranges::all_of(clique, [&](const SegmentEnd* other) { return joined(*end, *other); }) ? clique : rest).push_back(end);
        for (const auto* end : rest) {
            Group unheard;
            for (const auto* other : clique)
                if (!joined(*end, *other)) unheard.push_back(other);
            found_.left_out.push_back(fmt::format("in {} {} sees some of the others, but not {}: it is no end of their link", network,
                                                  called(*end), called(unheard)));
        }
        group = rest;
        if (clique.size() > 1) add(clique, network);
    }

    // A second network on the same wire is no second link: the one with more ends stands, of equals the first.
    void add(const Group& ends, const std::string& network) {
        std::set<std::string> names;
        Segment segment{network, {}};
        for (const auto* end : ends) {
            names.insert(called(*end));
            segment.ends.push_back(*end);
        }
        for (std::size_t i = 0; i < taken_.size(); ++i) {
            if (std::ranges::includes(taken_[i], names)) return;
            if (!std::ranges::includes(names, taken_[i])) continue;
            taken_.erase(taken_.begin() + static_cast<std::ptrdiff_t>(i));
            found_.segments.erase(found_.segments.begin() + static_cast<std::ptrdiff_t>(i--));
        }
        taken_.push_back(std::move(names));
        found_.segments.push_back(std::move(segment));
    }

    void tell_alone(const Group& alone, const std::string& network) {
        for (const auto* end : alone) {
            if (in_a_segment(*end)) continue;
            Group silent, unasked;
            for (const auto& other : ends_)
                if (other.machine != end->machine && other.at.network == network && !joined(*end, other))
                    (asked(*end, other) ? silent : unasked).push_back(&other);
            const std::string who = fmt::format("{} ({})", called(*end), end->at.address);
            if (silent.empty() && unasked.empty())
                found_.left_out.push_back(fmt::format("{}: none of the others has an address in {}", who, network));
            else if (silent.empty())
                found_.left_out.push_back(fmt::format("{}: {} could not be asked for there", who, called(unasked)));
            else
                found_.left_out.push_back(
                    fmt::format("{}: {} did not answer there, though in the same network {}", who, called(silent), network));
        }
    }
    bool in_a_segment(const SegmentEnd& end) const {
        return std::ranges::any_of(taken_, [&](const auto& names) { return names.contains(called(end)); });
    }

    const std::vector<MachineLook>& machines_;
    std::vector<SegmentEnd> ends_;
    std::map<std::string, std::size_t> owners_;  // address -> machine
    std::set<std::tuple<std::size_t, std::string, std::size_t>> asked_;
    std::set<std::tuple<std::size_t, std::string, std::size_t, std::string>> hears_;  // machine, interface, whose address, identity
    std::vector<std::set<std::string>> taken_;                                        // the ends of each segment
    JoinedLooks found_;
};

}  // namespace

JoinedLooks join_looks(const std::vector<MachineLook>& machines) { return Joiner(machines).join(); }

std::string enumerated(const std::vector<std::string>& words) {
    std::string text;
    for (std::size_t i = 0; i < words.size(); ++i) text += (i == 0 ? "" : i + 1 == words.size() ? " and " : ", ") + words[i];
    return text;
}

}  // namespace diag::cli
