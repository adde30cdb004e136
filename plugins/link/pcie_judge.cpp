#include "pcie_judge.hpp"

#include <algorithm>

#include "pcie_links.hpp"

namespace diag::link {
namespace {

using Judged = std::optional<Verdict>;

struct Function {
    const Seen* seen = nullptr;
    PciePath path;

    const std::string& name() const { return seen->interface.name; }
    const probe::PcieStep& device() const { return path.back(); }
};

class PcieJudge {
  public:
    PcieJudge(const PcieQuestion& question, World& world) : question_(question), root_(world.root()), machine_(world) {}
    Finding finding();

  private:
    Verdict verdict();
    void find_functions(const Seen& seen);
    std::string none_words(const Seen& subject) const;
    void reckon();
    Judged below_expectation() const;
    Judged less_than_both_could() const;
    Judged ceiling() const;
    std::string shared_words() const;
    Verdict passed() const;
    void describe();

    bool enough() const { return !needed_ || *needed_ <= carries_; }
    std::string against() const;

    const PcieQuestion& question_;
    std::filesystem::path root_;
    Machine machine_;
    std::vector<const Seen*> hardware_;  // below the interface: itself, what a VLAN stands on, the members of a bond or bridge
    std::vector<Function> functions_;    // those of them that say how their PCI Express link runs
    std::size_t of_port_ = 1;            // functions that carry the port's traffic together
    Rate alone_, carries_;               // by these functions; with all of their port's
    std::optional<Rate> needed_;
    Finding finding_;
};

void PcieJudge::find_functions(const Seen& seen) {
    if (seen.hardware()) return hardware_.push_back(&seen);
    const std::string& kind = seen.interface.kind;
    const Seen* lower = kind == "veth" ? nullptr : machine_.find(seen.interface.lower);
    if (lower != nullptr && lower->interface.index != seen.interface.index) return find_functions(*lower);
    for (const Seen* member : machine_.members_of(seen))
        if (kind != "vrf" && member->hardware()) hardware_.push_back(member);
}

// Why there is nothing to judge; without names, so that a report can say it once for many.
std::string PcieJudge::none_words(const Seen& subject) const {
    if (subject.interface.loopback) return "loopback has no adapter";
    if (hardware_.empty()) return fmt::format("no PCI Express: it is a {} interface", subject.interface.kind);
    const Seen& seen = *hardware_.front();
    if (!seen.port) return "/sys does not show the adapter, or shows another network than this one";
    if (seen.port->bus == "pci") return fmt::format("the adapter at {} does not say how its PCI Express link runs", seen.port->pci);
    if (seen.port->bus.empty()) return "the adapter names no bus";
    return fmt::format("the adapter is on {}, not on PCI Express", seen.port->bus);
}

// What the functions carry, and what is asked of them.
void PcieJudge::reckon() {
    std::vector<PciePath> own, all;
    Rate negotiated;
    bool known = functions_.size() == hardware_.size();
    for (const auto& function : functions_) {
        own.push_back(function.path);
        const auto speed = function.seen->interface.carrier ? function.seen->port->speed.rate : std::nullopt;
        known = known && speed;
        if (speed) negotiated.bits_per_second += speed->bits_per_second;
    }
    alone_ = carried(own);
    all = own;
    if (functions_.size() == 1)  // a bond names its functions itself
        for (const Seen* other : functions_of_port(machine_, *functions_.front().seen))
            if (const auto path = pcie_path_of(*other, root_); other != functions_.front().seen && !path.empty()) all.push_back(path);
    of_port_ = all.size();
    carries_ = carried(all);
    if (functions_.size() == hardware_.size())
        needed_ = question_.speed ? question_.speed : known ? std::optional(negotiated) : std::nullopt;
    if (question_.expect && functions_.size() == hardware_.size())
        needed_ = needed_ ? std::min(*needed_, *question_.expect) : *question_.expect;
}

std::string PcieJudge::against() const {
    return needed_ ? fmt::format("; the link needs {}", units::show_rate(*needed_)) : "; the link's speed is not known";
}

Judged PcieJudge::below_expectation() const {
    for (const auto& function : functions_) {
        const auto& [now, most] = std::pair(function.device().now, function.device().most);
        const bool narrow = question_.width && now.lanes < *question_.width,
                   slow = question_.transfers && now.gigatransfers < *question_.transfers;
        if (narrow || slow)
            return fail(narrow ? "link.pcie-narrow" : "link.pcie-slow", "{} ({}) runs at {}, and could do {}; {} are planned",
                        function.name(), function.device().function, now.text(), most.text(),
                        narrow ? fmt::format("{} lanes", *question_.width) : fmt::format("{:g} GT/s", *question_.transfers))
                .with("function", function.device().function);
    }
    return std::nullopt;
}

Judged PcieJudge::less_than_both_could() const {
    for (const auto& function : functions_) {
        const auto link = held_back(function.path);
        if (!link) continue;
        const std::string cause = link->narrow ? "link.pcie-narrow" : "link.pcie-slow";
        const std::string words = fmt::format("{} ({}) runs at {}, and could do {}, as {} above it could ({}): it carries {}{}",
                                              function.name(), link->below.function, link->below.now.text(), link->below.most.text(),
                                              link->above.function, link->above.most.text(), units::show_rate(carries_), against());
        return Verdict{enough() ? Outcome::warn : Outcome::fail, cause, words}.with("function", link->below.function);
    }
    return std::nullopt;
}

// Nothing is broken, and it will never deliver what the link is rated at.
Judged PcieJudge::ceiling() const {
    if (enough()) return std::nullopt;
    const Function& function = functions_.front();
    const auto& step = slowest(function.path);
    const auto& device = function.device();
    const bool slot = step.function != device.function || (function.path.size() > 1 && device.now.rate() < device.most.rate());
    return warn("link.pcie-ceiling", "PCI Express carries {} to {}, by {} at {}{}{}{}", units::show_rate(carries_), question_.interface,
                step.now.text(), step.function, slot ? fmt::format(" ({} itself could do {})", device.function, device.most.text()) : "",
                of_port_ > 1 ? fmt::format(", all {} functions of its port together", of_port_) : "", against())
        .with("function", device.function);
}

// Whom the ceiling is shared with.
std::string PcieJudge::shared_words() const {
    std::string words;
    if (of_port_ > 1)
        words += of_port_ == 2 ? fmt::format("; {} with the other function of its port", units::show_rate(carries_))
                               : fmt::format("; {} with the other {} functions of its port", units::show_rate(carries_), of_port_ - 1);
    std::vector<std::string> names;
    for (const Seen* other : functions_.size() == 1 ? sharers(machine_, *functions_.front().seen, root_) : std::vector<const Seen*>{})
        names.push_back(other->interface.name);
    if (!names.empty()) words += "; it shares that link with " + listed(names);
    return words;
}

Verdict PcieJudge::passed() const {
    const Function& function = functions_.front();
    const auto& device = function.device();
    if ((question_.speed || question_.expect) && !needed_)
        return skip("{} of the {} adapters below {} say how PCI Express connects them: what it carries to all of them is not judged",
                    functions_.size(), hardware_.size(), question_.interface);
    std::string slot;
    if (device.now.rate() < device.most.rate()) slot = fmt::format(" (it could do {}, what is above it could not)", device.most.text());
    const std::string where = functions_.size() == 1 ? fmt::format("{} at {}", function.name(), device.function)
                                                     : fmt::format("{}, by {} adapters", question_.interface, functions_.size());
    return pass("{}: {}{}, which carries {}{}{}", where, slowest(function.path).now.text(), slot, units::show_rate(alone_), shared_words(),
                against());
}

void PcieJudge::describe() {
    const auto lanes = question_.width ? at_least(static_cast<double>(*question_.width)) : no_limit;
    const auto transfers = question_.transfers ? at_least(*question_.transfers) : no_limit;
    for (const auto& function : functions_) {
        const std::string of = functions_.size() == 1 ? "" : "_" + function.name();
        finding_.measure("lanes" + of, function.device().now.lanes, unit::count, lanes);
        finding_.measure("transfers" + of, function.device().now.gigatransfers, "GT/s", transfers);
        for (const auto& step : function.path)
            finding_.evidence +=
                fmt::format("{}: {} now {}, at most {}\n", function.name(), step.function, step.now.text(), step.most.text());
    }
    finding_.measure("carries", static_cast<double>(carries_.bits_per_second), unit::bit_per_s,
                     needed_ ? at_least(static_cast<double>(needed_->bits_per_second)) : no_limit);
    finding_.saw = fmt::format("{} at {}", functions_.front().device().now.text(), functions_.front().device().function);
}

Verdict PcieJudge::verdict() {
    const Seen& subject = machine_.find(question_.interface);
    find_functions(subject);
    for (const Seen* seen : hardware_)
        if (auto path = pcie_path_of(*seen, root_); !path.empty()) functions_.push_back({seen, std::move(path)});
    if (functions_.empty()) return skip("{}", none_words(subject));
    reckon();
    describe();
    if (auto judged = below_expectation()) return *judged;
    if (auto judged = less_than_both_could()) return *judged;
    if (auto judged = ceiling()) return *judged;
    return passed();
}

Finding PcieJudge::finding() {
    finding_.asked = "how PCI Express connects the adapter of " + question_.interface;
    finding_.verdict = verdict();
    finding_.evidence += machine_.table();
    return std::move(finding_);
}

}  // namespace

Finding judge_pcie(const PcieQuestion& question, World& world) { return PcieJudge(question, world).finding(); }

}  // namespace diag::link
