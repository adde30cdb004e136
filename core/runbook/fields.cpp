#include "runbook/fields.hpp"

#include <algorithm>

#include "base/nearest.hpp"
#include "diag/types.hpp"

namespace diag::runbook {
namespace {

const Node nothing{};
const Node empty_map{Node::Kind::map, "", false, {}, {}, {}};

bool is_letter_or_digit(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9'); }

}  // namespace

Fields::Fields(const Node& node, std::string what, Findings& findings)
    : node_(node.is_map() ? node : empty_map), what_(std::move(what)), findings_(findings) {
    if (!node.is_map() && !node.is_null()) findings.error(node.mark, what_ + " must be a map (key: value), not " + node.shown());
}

const Node* Fields::get(std::string_view key) {
    known_.emplace_back(key);
    const Node* value = node_.find(key);
    if (value == nullptr || !value->is_null()) return value;
    findings_.error(value->mark, "'" + std::string(key) + "' has no value; give one, or leave the key out");
    return nullptr;
}

const Node& Fields::require(std::string_view key, std::string_view why) {
    const Node* value = get(key);
    if (value != nullptr) return *value;
    if (node_.find(key) == nullptr) findings_.error(node_.mark, what_ + " needs '" + std::string(key) + "': " + std::string(why));
    return nothing;
}

const Node& Fields::expect(std::string_view key, std::string_view why) {
    const Node* value = get(key);
    if (value == nullptr && node_.find(key) == nullptr) missing_.emplace_back(key, why);
    return value != nullptr ? *value : nothing;
}

std::string Fields::text(std::string_view key) {
    const Node* value = get(key);
    if (value == nullptr) return "";
    if (!value->is_scalar()) findings_.error(value->mark, "'" + std::string(key) + "' must be one value, not " + value->shown());
    if (value->is_scalar() && value->text.empty()) findings_.error(value->mark, "'" + std::string(key) + "' is empty");
    return value->text;
}

bool Fields::boolean(std::string_view key) {
    const Node* value = get(key);
    if (value == nullptr) return false;
    if (value->is_scalar() && (value->text == "true" || value->text == "false")) return value->text == "true";
    findings_.error(value->mark, "'" + std::string(key) + "' must be true or false, not " + value->shown());
    return false;
}

std::optional<double> Fields::seconds(std::string_view key) {
    const Node* value = get(key);
    if (value == nullptr) return std::nullopt;
    try {
        const double given = units::parse_duration(value->text);
        if (given > 0) return given;
        findings_.error(value->mark, "'" + std::string(key) + "' must be more than 0");
    } catch (const BadValue& e) {
        findings_.error(value->mark, "'" + std::string(key) + "': " + e.what() + ", not " + value->shown());
    }
    return std::nullopt;
}

std::vector<std::string> Fields::words(std::string_view key) {
    const Node* value = get(key);
    if (value == nullptr) return {};
    if (!value->is_list()) findings_.error(value->mark, "'" + std::string(key) + "' must be a list such as [a, b], not " + value->shown());
    std::vector<std::string> words;
    for (const auto& item : value->list) {
        if (!item.is_scalar())
            findings_.error(item.mark, "'" + std::string(key) + "' must be a list of words; one of them is " + item.shown());
        words.push_back(item.text);
    }
    return words;
}

void Fields::refuse_others() {
    for (const auto& [key, value] : node_.map) {
        if (std::find(known_.begin(), known_.end(), key.text) != known_.end()) continue;
        const auto near = base::nearest(key.text, known_);
        if (near) meant_.push_back(*near);
        const std::string known = near ? base::did_you_mean(key.text, known_) : "; it has " + listed(known_);
        findings_.error(key.mark, what_ + " has no key '" + key.text + "'" + known);
    }
    for (const auto& [key, why] : missing_)
        if (!misspelt(key) && &node_ != &empty_map) findings_.error(node_.mark, what_ + " needs '" + key + "': " + why);
}

bool Fields::misspelt(std::string_view key) const { return std::find(meant_.begin(), meant_.end(), key) != meant_.end(); }

bool is_name(std::string_view text) {
    if (text.empty() || text.size() > 128 || !is_letter_or_digit(text[0])) return false;
    return std::all_of(text.begin(), text.end(), [](char c) { return is_letter_or_digit(c) || c == '.' || c == '_' || c == '-'; });
}

std::string listed(const std::vector<std::string>& names) {
    constexpr std::size_t shown = 12;
    std::string text;
    for (std::size_t i = 0; i < std::min(names.size(), shown); ++i) text += (i == 0 ? "" : ", ") + names[i];
    return names.size() > shown ? text + ", ..." : text;
}

}  // namespace diag::runbook
