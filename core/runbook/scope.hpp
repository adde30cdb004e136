// What `${...}` stands for in one row of a checkpoint.
#pragma once

#include <string>

#include "runbook/expression.hpp"
#include "runbook/runbook.hpp"
#include "runbook/site.hpp"

namespace diag::runbook {

// One of the links of a port, and its ends.
struct PortLink {
    const Link* link = nullptr;
    const End *here = nullptr, *there = nullptr;
};

// A row's view of the site; what the checkpoint's `each` does not give is nullptr.
struct Row {
    std::string label;
    const Machine* machine = nullptr;  // where its checks run
    const Machine* peer = nullptr;
    const Link* link = nullptr;
    const End *here = nullptr, *there = nullptr;
    std::vector<PortLink> port;  // in the order of the site file; the first of them is `link`
    const Node* item = nullptr;
    std::size_t turn = 0;  // of a direction or a port: rows of one link with the same turn have no machine in common
};

struct Resolved {
    enum class State { value, absent, unknown };  // unknown: nothing can be asked for it (lint)

    State state = State::value;
    Node node;
    // Where it is absent: which map of the site file has no such key, where that map stands, and a key that is near.
    Mark at;
    std::string missing, near;
};

struct Scope {
    const Site* site = nullptr;
    bool site_is_unknown = false;  // lint without a site file
    std::string each;
    Node settings;
    bool settings_are_known = true;  // else (lint) one that is not there may be
    Row row;

    // Throws RunbookError where the text can never have a value; its marks name the scalar and the site file's place.
    Resolved expand(const Node& node) const;

  private:
    Resolved expand_list(const Node& node) const;
    Resolved join(const Node& scalar, const std::vector<Piece>& parts) const;
    Resolved resolve(const Node& scalar, const Piece& piece) const;
    Resolved from_site(const Node& scalar, const Piece& piece) const;
    Resolved from_port(const Node& scalar, const Piece& piece) const;
};

}  // namespace diag::runbook
