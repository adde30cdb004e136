// What a recorded verdict says under a name, as tables and plugins write it: "measured.X", "param.X", "fact.X", or a text that
// stands for itself.  Not for judging: the verdict has been judged.
#pragma once

#include <string>
#include <vector>

#include "report/view.hpp"

namespace diag::report {

// A measurement's value: a whole number as one, and a rate in whole bits.
json plain_number(const json& measurement);

// Null where the verdict has no such value.
json recorded(const json& verdict, const std::string& from);

// The measurements of that name, in their order: a check that asks several addresses has several.
std::vector<json> measurements_named(const json& verdict, const std::string& name);

}  // namespace diag::report
