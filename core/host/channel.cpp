#include "host/channel.hpp"

#include <stdexcept>

#include <fmt/format.h>

#include "base/json.hpp"
#include "base/utf8.hpp"

namespace diag::host {
namespace {

// What makes a line junk, or a measurement none.
struct Junk : std::runtime_error {
    using std::runtime_error::runtime_error;
};
struct BadMeasurement : std::runtime_error {
    using std::runtime_error::runtime_error;
};

// The beginning of a line, for a message.
std::string start_of(const std::string& line) { return base::clean_utf8(std::string_view(line).substr(0, 120)); }

std::string text_of(const json& event, const char* key) {
    const auto at = event.find(key);
    if (at == event.end() || !at->is_string()) throw Junk(fmt::format("an event whose '{}' is no text", key));
    return at->get<std::string>();
}

std::optional<double> limit_of(const json& event, const char* key, const std::string& name) {
    const auto at = event.find(key);
    if (at == event.end() || at->is_null()) return std::nullopt;
    if (!at->is_number())
        throw BadMeasurement(fmt::format("the limit '{}' of '{}' is no number, but {}", key, name,
                                         at->dump(-1, ' ', false, json::error_handler_t::replace)));
    return at->get<double>();
}

Measurement measurement_of(const json& event) {
    Measurement m;
    m.name = text_of(event, "name");
    m.unit = text_of(event, "unit");
    const auto value = event.find("value");
    // NaN and infinity have no JSON spelling and arrive as null.
    if (value == event.end() || !value->is_number()) throw BadMeasurement(fmt::format("the value of '{}' is not a number", m.name));
    m.value = value->get<double>();
    m.min = limit_of(event, "min", m.name);
    m.max = limit_of(event, "max", m.name);
    if (m.min && m.max && *m.min > *m.max) throw BadMeasurement(fmt::format("no value can keep to the limits of '{}'", m.name));
    m.within = (!m.min || m.value >= *m.min) && (!m.max || m.value <= *m.max);
    return m;
}

void add_measurement(const json& event, Result& said) {
    Measurement m = measurement_of(event);
    for (const auto& earlier : said.measurements)
        if (earlier.name == m.name && earlier.unit != m.unit)
            throw BadMeasurement(fmt::format("'{}' was measured in {} and in {}", m.name, earlier.unit, m.unit));
    said.measurements.push_back(std::move(m));
}

// NaN, null and "" tell nothing that a later run could compare.
void add_fact(const json& event, Result& said) {
    const std::string name = text_of(event, "name");
    if (!event.contains("value")) throw Junk("a fact without a value");
    const json& value = event["value"];
    if (value.is_null() || (value.is_string() && value.get_ref<const std::string&>().empty()))
        said.facts.erase(name);
    else
        said.facts[name] = value;
}

SeenThing seen_thing(const json& event) {
    SeenThing thing{text_of(event, "kind"), text_of(event, "name"), json::array()};
    const auto properties = event.find("properties");
    if (properties == event.end() || !properties->is_array()) throw Junk("a thing without a list of properties");
    for (const auto& p : *properties) {
        if (!p.is_object() || !p.contains("value")) throw Junk("a property that is none");
        json site = nullptr;
        if (p.contains("site")) site = {{"key", text_of(p["site"], "key")}, {"value", text_of(p["site"], "value")}};
        thing.properties.push_back({{"name", text_of(p, "name")}, {"text", text_of(p, "text")}, {"value", p["value"]}, {"site", site}});
    }
    return thing;
}

void take(const json& event, Channel& channel) {
    const std::string kind = text_of(event, "event");
    Result& said = channel.said;
    if (kind == "measurement")
        add_measurement(event, said);
    else if (kind == "evidence")
        said.evidence.push_back({text_of(event, "name"), text_of(event, "text")});
    else if (kind == "fact")
        add_fact(event, said);
    else if (kind == "asked")
        said.asked = text_of(event, "text");
    else if (kind == "saw")
        said.saw = text_of(event, "text");
    else if (kind == "see")
        said.things.push_back(seen_thing(event));
    else if (kind == "wrong")
        said.wrong.push_back({text_of(event, "cause"), text_of(event, "reason"), event.value("values", json::object())});
    else if (kind == "progress")
        text_of(event, "text");
    else if (kind == "error")
        channel.error = {false, text_of(event, "kind"), text_of(event, "text")};
    else if (kind == "load-error")
        channel.error = {true, text_of(event, "code"), text_of(event, "text")};
    else if (kind == "catalogue")
        channel.catalogue = text_of(event, "text");
    else if (kind != "verdict")
        throw Junk(fmt::format("an event '{}', which there is not", kind));
    else if (channel.verdict)
        throw Junk("a second verdict");
    else
        channel.verdict = event;
}

void take_line(const std::string& line, Channel& channel, bool& replaced) {
    json event;
    try {
        event = base::parse_json(line, 32, &replaced);
    } catch (const base::BadJson& e) {
        throw Junk(fmt::format("a line that is not JSON ({}): {}", e.what(), start_of(line)));
    }
    if (!event.is_object()) throw Junk(fmt::format("a line that is no JSON object: {}", start_of(line)));
    take(event, channel);
}

}  // namespace

Channel read_channel(const std::vector<std::string>& lines) {
    Channel channel;
    bool replaced = false;
    for (const auto& line : lines) {
        try {
            take_line(line, channel, replaced);
        } catch (const Junk& e) {
            if (channel.junk.empty()) channel.junk = e.what();
        } catch (const BadMeasurement& e) {
            if (channel.bad_measurement.empty()) channel.bad_measurement = e.what();
        }
    }
    if (replaced) channel.said.notes.push_back("invalid UTF-8 in what the check sent was replaced");
    return channel;
}

}  // namespace diag::host
