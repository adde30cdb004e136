// `${...}` in the texts of a runbook: finding the references, and which of them a runbook makes at all.
// What they stand for is scope.hpp's.
#pragma once

#include <string>
#include <vector>

#include "runbook/runbook.hpp"

namespace diag::runbook {

using Path = std::vector<std::string>;  // "link.here.name" is {"link", "here", "name"}

struct Piece {
    std::string text;  // literal text, `$$` resolved; or the reference as it is written
    Path path;         // empty: literal
};

// Splits a scalar.  Throws RunbookError where `${` has no end or no path in it, and at a lone `$`.
std::vector<Piece> pieces(const Node& scalar);

// "a.b" is {"a", "b"}; empty where `text` is not words joined by dots.
Path split_path(const std::string& text);

// Every reference of the runbook's parameters, `on` and owner steps.  What cannot be split is left out: the plan says so.
std::vector<Path> references(const Runbook& runbook);

}  // namespace diag::runbook
