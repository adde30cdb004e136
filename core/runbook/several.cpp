#include "runbook/several.hpp"

#include <optional>

#include "diag/types.hpp"
#include "runbook/pattern.hpp"

namespace diag::runbook {
namespace {

constexpr std::size_t max_values = 1'000'000;  // that patterns may make of one site file: some 150 MB
constexpr std::string_view machine_word = "{machine}";

std::size_t values_in(const Node& node) {
    std::size_t count = 1;
    for (const auto& item : node.list) count += values_in(item);
    for (const auto& entry : node.map) count += 1 + values_in(entry.value);
    return count;
}

std::string with_machine(std::string text, const std::string& machine) {
    for (std::size_t at = text.find(machine_word); at != std::string::npos; at = text.find(machine_word, at + machine.size()))
        text.replace(at, machine_word.size(), machine);
    return text;
}

}  // namespace

// A value below several machines.  Its patterns are read, and their counts compared, once.
class Several::Template {
  public:
    // `what`: "'gpu[1-4]' for 4 machines".
    Template(const Node& value, std::size_t count, const std::string& what, Findings& findings) : value_(value), size_(values_in(value)) {
        read(value, count, what, findings);
    }

    std::size_t size() const { return size_; }
    Node make(std::size_t index, const std::string& machine) const {
        Node made = value_;
        std::size_t next = 0;
        fill(made, index, machine, next);
        return made;
    }

  private:
    void read(const Node& node, std::size_t count, const std::string& what, Findings& findings) {
        for (const auto& item : node.list) read(item, count, what, findings);
        for (const auto& entry : node.map) read(entry.value, count, what, findings);
        if (!node.is_scalar()) return;
        patterns_.emplace_back();
        if (!is_pattern(node.text)) return;
        try {
            const Pattern pattern(node.text);
            if (pattern.count() != count)
                findings.error(node.mark, "'" + node.text + "' stands for " + std::to_string(pattern.count()) + " texts, and " + what);
            else
                patterns_.back() = pattern;
        } catch (const BadValue& e) {
            findings.error(node.mark, "'" + node.text + "': " + e.what());
        }
    }

    void fill(Node& node, std::size_t index, const std::string& machine, std::size_t& next) const {
        for (auto& item : node.list) fill(item, index, machine, next);
        for (auto& entry : node.map) fill(entry.value, index, machine, next);
        if (!node.is_scalar()) return;
        const auto& pattern = patterns_[next++];
        node.text = with_machine(pattern ? pattern->at(index) : std::move(node.text), machine);
    }

    const Node& value_;
    std::size_t size_;
    std::vector<std::optional<Pattern>> patterns_;  // of each scalar, in the order of a walk; absent: it is itself
};

// The keys that a key or a member stands for; none, with a finding, where it is no pattern.
std::vector<Node> Several::keys(const Node& written) {
    std::vector<Node> found;
    try {
        const Pattern pattern(written.text);
        for (std::size_t i = 0; i < pattern.count(); ++i) {
            found.push_back(written);
            found.back().text = pattern.at(i);
        }
    } catch (const BadValue& e) {
        findings_.error(written.mark, "'" + written.text + "': " + e.what());
    }
    return found;
}

void Several::add(const std::vector<Node>& keys, const Node& value, const std::string& what, std::vector<Entry>& found) {
    const std::size_t before = findings_.all().size();
    const Template made(value, keys.size(), what, findings_);
    const bool wrong = findings_.all().size() != before;
    values_ += made.size() * keys.size();
    if (values_ > max_values)
        throw RunbookError(value.mark, "the patterns of this file make more than " + std::to_string(max_values) + " values");
    for (std::size_t i = 0; i < keys.size(); ++i) {
        if (wrong) wrong_.insert({keys[i].mark.line, keys[i].mark.column});
        found.push_back({keys[i], wrong ? Node{} : made.make(i, keys[i].text)});
    }
}

std::vector<Entry> Several::entries(const Node& map) {
    std::vector<Entry> found;
    bool patterns = false;
    for (const auto& [key, value] : map.map) {
        if (key.text.find_first_of("[]") == std::string::npos) {
            found.push_back({key, value});
            continue;
        }
        patterns = true;
        const auto names = keys(key);
        add(names, value, "'" + key.text + "' for " + std::to_string(names.size()) + " machines", found);
    }
    if (!patterns) return found;  // the reader of YAML has refused equal keys
    std::set<std::string_view> seen;
    for (const auto& entry : found)
        if (!seen.insert(entry.key.text).second)
            findings_.error(entry.key.mark, "'" + entry.key.text + "' stands here twice: a pattern stands for it too");
    return found;
}

std::vector<Entry> Several::members(const Node& members, const Node& end) {
    std::vector<Node> names;
    const auto include = [&](const Node& member) {
        if (!member.is_scalar()) {
            findings_.error(member.mark,
                            "'members' is a pattern such as \"gpu[001-400]\", or a list of patterns and keys, not " + member.shown());
            return;
        }
        const auto more = keys(member);
        if (names.size() + more.size() > max_expanded)
            throw RunbookError(member.mark, "a link of more than " + std::to_string(max_expanded) + " machines");
        names.insert(names.end(), more.begin(), more.end());
    };
    if (members.is_list())
        for (const auto& member : members.list) include(member);
    else
        include(members);
    if (names.empty() && members.is_list() && members.list.empty()) findings_.error(members.mark, "'members' is empty");
    std::vector<Entry> found;
    add(names, end, "'members' for " + std::to_string(names.size()) + " machines", found);
    return found;
}

bool Several::told(const Mark& key) {
    const Place place{key.line, key.column};
    if (place != last_) before_ = findings_.all().size();
    const bool same = std::exchange(last_, place) == place;
    return (same && findings_.all().size() != before_) || wrong_.count(place) != 0;
}

}  // namespace diag::runbook
