// Entries of a site file that stand for several machines: keys that are patterns, and the members of a link.
// Values below them that are patterns expand in step, one for each machine; "{machine}" is the machine's key.
#pragma once

#include <cstddef>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "runbook/node.hpp"

namespace diag::runbook {

class Several {
  public:
    explicit Several(Findings& findings) : findings_(findings) {}

    // The entries of a map of machines, one for each machine, in the order of the file.
    std::vector<Entry> entries(const Node& map);
    // The same from `members` (a pattern or a key, or a list of these) and `end` (a map of their values; null: there are none).
    std::vector<Entry> members(const Node& members, const Node& end);

    // Whether an entry whose key stands at `key` need not be read: something is wrong with it, or with an earlier one of the
    // same pattern, and has been said.  To be asked before each entry is read, in their order.
    bool told(const Mark& key);

  private:
    class Template;
    using Place = std::pair<int, int>;

    std::vector<Node> keys(const Node& written);
    void add(const std::vector<Node>& keys, const Node& value, const std::string& what, std::vector<Entry>& found);

    Findings& findings_;
    std::size_t values_ = 0;  // made so far
    std::set<Place> wrong_;   // keys whose values are
    Place last_{};            // told() was asked about, and how many findings there were then
    std::size_t before_ = 0;
};

}  // namespace diag::runbook
