// Any text as character data of XML 1.0.  For attributes and elements; no document model.
#pragma once

#include <string>
#include <string_view>

namespace diag::report {

// Markup, quotes and carriage returns become entities; what XML 1.0 forbids (2.2: most control characters, U+FFFE,
// U+FFFF) and invalid UTF-8 become U+FFFD.  Line ends and tabs stay; of an attribute's, parsers make spaces.
std::string xml_escaped(std::string_view text);

}  // namespace diag::report
