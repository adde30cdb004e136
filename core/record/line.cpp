#include "record/line.hpp"

#include "base/json.hpp"
#include "base/sha256.hpp"

namespace diag::record {
namespace {

// The first field that is absent or of another type, as a sentence; "" where all are there.
std::string missing_field(const json& line) {
    for (const char* key : {"time", "boot", "event", "prev"})
        if (!line.contains(key) || !line[key].is_string()) return std::string("has no text `") + key + "`";
    if (!line.contains("seq") || !line["seq"].is_number_unsigned()) return "has no number `seq`";
    if (!line.contains("boottime") || !line["boottime"].is_number()) return "has no number `boottime`";
    return "";
}

}  // namespace

std::string seal(json& line) {
    line.erase("sum");
    line["sum"] = base::sha256(line.dump());
    return line.dump();
}

CheckedLine check_line(std::string_view text) {
    CheckedLine checked;
    bool replaced = false;
    try {
        checked.line = base::parse_json(text, line_depth, &replaced);
    } catch (const base::BadJson&) {
        return {nullptr, false, "is not JSON"};
    }
    if (replaced) return {nullptr, false, "is not UTF-8"};
    const json& line = checked.line;
    if (!line.is_object() || !line.contains("sum") || !line["sum"].is_string())
        return {nullptr, false, "is no journal line (it has no `sum`)"};
    json resealed = line;
    // Compared as text: another spelling of the same JSON (a space, an escape, a key twice) is an alteration too.
    if (seal(resealed) != text) return {nullptr, false, "does not match its sum: it was altered"};
    checked.sealed = true;
    checked.problem = missing_field(line);
    return checked;
}

}  // namespace diag::record
