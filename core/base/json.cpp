#include "base/json.hpp"

#include "base/utf8.hpp"

namespace diag::base {

json parse_json(std::string_view text, int depth, bool* replaced) {
    const auto bounded = [depth](int level, json::parse_event_t event, json&) {
        if (level >= depth && (event == json::parse_event_t::object_start || event == json::parse_event_t::array_start))
            throw BadJson("nested more than " + std::to_string(depth) + " deep");
        return true;
    };
    try {
        return json::parse(clean_utf8(text, replaced), bounded);
    } catch (const json::exception& e) {
        throw BadJson(e.what());
    }
}

}  // namespace diag::base
