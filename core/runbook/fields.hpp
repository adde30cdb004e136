// Reads the keys of one map, and complains of those that nobody asked for.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "runbook/node.hpp"

namespace diag::runbook {

class Fields {
  public:
    // `what` names the map in messages: "a checkpoint".  Anything but a map (or nothing) is an error, and reads as empty.
    Fields(const Node& node, std::string what, Findings& findings);

    // The value under `key`, or nullptr.  A key without a value is an error, and reads as absent.
    const Node* get(std::string_view key);
    const Node& require(std::string_view key, std::string_view why);  // a null Node where it is missing
    // The same; that it is missing is told by refuse_others(), unless a key there is this one misspelt.
    const Node& expect(std::string_view key, std::string_view why);
    std::string text(std::string_view key);  // "" where absent
    bool boolean(std::string_view key);      // false where absent
    std::optional<double> seconds(std::string_view key);
    std::vector<std::string> words(std::string_view key);  // a list of scalars
    // An error for every key that none of the above asked for, with the nearest that one did.
    void refuse_others();
    // Whether refuse_others() found a key that was probably meant to be this one.
    bool misspelt(std::string_view key) const;

    const Node& node() const { return node_; }
    Findings& findings() { return findings_; }

  private:
    const Node& node_;
    std::string what_;
    Findings& findings_;
    std::vector<std::string> known_, meant_;
    std::vector<std::pair<std::string, std::string>> missing_;  // key, why
};

// What runbooks and site files call things: a-z, A-Z, 0-9 first, then '.', '_' and '-' too.
bool is_name(std::string_view text);

// "a, b, c" for messages; a long list is cut.
std::string listed(const std::vector<std::string>& names);

}  // namespace diag::runbook
