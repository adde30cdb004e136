#include "bulk_report.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <utility>

#include <diag/verdict.hpp>

#include "base/json.hpp"
#include "base/utf8.hpp"

namespace diag::bulk {
namespace {

using base::json;

// The JSON object at the front of `text`, by its braces; empty where it has no end.
std::string_view object_at_front(std::string_view text) {
    int depth = 0;
    bool quoted = false;
    for (std::size_t i = 0; i < text.size(); ++i) {
        const char c = text[i];
        if (quoted && c == '\\')
            ++i;
        else if (c == '"')
            quoted = !quoted;
        else if (!quoted && (c == '{' || c == '}') && (depth += c == '{' ? 1 : -1) == 0)
            return text.substr(0, i + 1);
    }
    return {};
}

// --json-stream tells the same in pieces: {"event":"end","data":{...}}.
void fold(const json& event, json& document) {
    const json data = event.value("data", json());
    const std::string kind = event["event"].is_string() ? event["event"].get<std::string>() : "";
    if (kind == "interval")
        document["intervals"].push_back(data);
    else if (kind == "start" || kind == "end" || kind == "error")
        document[kind] = data;
}

bool of_iperf(const json& object) {
    static constexpr std::array keys{"start", "intervals", "end", "error"};
    return std::any_of(keys.begin(), keys.end(), [&](const char* key) { return object.contains(key); });
}

// iperf3's document among whatever else was written.
json document_in(std::string_view output) {
    json document = json::object();
    for (auto at = output.find('{'); at != std::string_view::npos; at = output.find('{', at)) {
        const std::string_view text = object_at_front(output.substr(at));
        json object;
        try {
            if (!text.empty()) object = base::parse_json(text);
        } catch (const base::BadJson&) {  // braces of some other text
        }
        if (object.is_object() && object.contains("event"))
            fold(object, document);
        else if (object.is_object() && of_iperf(object))
            return object;
        at += object.is_object() ? text.size() : 1;
    }
    return document;
}

// A member that may be missing, or of another type in another version.
json member(const json& object, const char* key) { return object.is_object() ? object.value(key, json()) : json(); }

std::optional<double> number(const json& object, const char* key) {
    const json value = member(object, key);
    return value.is_number() ? std::optional(value.get<double>()) : std::nullopt;
}

std::string text(const json& object, const char* key) {
    const json value = member(object, key);
    return value.is_string() ? value.get<std::string>() : "";
}

void read_sums(const json& end, Report& report) {
    const json sent = member(end, "sum_sent"), received = member(end, "sum_received");
    const auto sent_rate = number(sent, "bits_per_second"), received_rate = number(received, "bits_per_second");
    // A negative one, or one that no port has (100 Tbit/s), is none.
    const auto believable = [](const std::optional<double>& rate) { return rate && *rate >= 0 && *rate <= 1e14; };
    report.summed = believable(sent_rate) && believable(received_rate);
    if (!report.summed) return;
    report.sent = *sent_rate;
    report.received = *received_rate;
    report.bytes = number(sent, "bytes").value_or(0);
    report.retransmits = number(sent, "retransmits");
    // The difference of two unsigned counters: below zero it reads 1.8e19.
    if (report.retransmits && *report.retransmits > report.bytes) report.retransmits.reset();
    const json cpu = member(end, "cpu_utilization_percent");
    report.cpu_here = number(cpu, "host_total");
    report.cpu_there = number(cpu, "remote_total");
}

void read_intervals(const json& intervals, Report& report) {
    if (!intervals.is_array()) return;
    for (const auto& each : intervals) {
        const json sum = member(each, "sum");
        const auto rate = number(sum, "bits_per_second");
        if (rate) report.intervals.push_back({number(sum, "seconds").value_or(0), *rate});
    }
}

// Behind an error the last interval is told twice.
bool last_is_told_twice(const json& intervals) {
    return intervals.is_array() && intervals.size() > 1 && intervals[intervals.size() - 1] == intervals[intervals.size() - 2];
}

std::string version_of(const json& start) {
    const std::string words = text(start, "version");  // "iperf 3.12", "iperf 3.19.1+"
    return words.starts_with("iperf ") ? words.substr(6) : words;
}

}  // namespace

End end_of(const std::string& error) {
    static constexpr std::array<std::pair<const char*, End>, 15> words{{{"Connection refused", End::refused},
                                                                        {"server is busy", End::busy},
                                                                        {"Network is unreachable", End::unroutable},
                                                                        {"No route to host", End::unroutable},
                                                                        {"client has terminated", End::terminated},
                                                                        {"timed out", End::unanswered},
                                                                        {"closed unexpectedly", End::broken},
                                                                        {"server has terminated", End::broken},
                                                                        {"Broken pipe", End::broken},
                                                                        {"Connection reset", End::broken},
                                                                        {"unable to receive control message", End::broken},
                                                                        {"unable to send control message", End::broken},
                                                                        {"unable to receive results", End::broken},
                                                                        {"unable to read from stream socket", End::broken},
                                                                        {"unable to write to stream socket", End::broken}}};
    if (error.empty()) return End::finished;
    for (const auto& [word, end] : words)
        if (error.find(word) != std::string::npos) return end;
    return End::other;
}

Report parse_report(std::string_view output) {
    const json document = document_in(output);
    if (document.empty()) {
        const std::string begin = base::printable(output.substr(0, 120));
        throw Unknown(output.empty() ? "iperf3 said nothing" : fmt::format("what iperf3 wrote is no report of it: {}", begin));
    }
    Report report;
    const json error = member(document, "error");
    report.error = error.is_null() ? "" : error.is_string() ? error.get<std::string>() : error.dump();
    report.end = end_of(report.error);
    report.version = version_of(member(document, "start"));
    report.segment = std::max(1.0, number(member(document, "start"), "tcp_mss_default").value_or(report.segment));
    read_sums(member(document, "end"), report);
    const json intervals = member(document, "intervals");
    read_intervals(intervals, report);
    if (report.end != End::finished && last_is_told_twice(intervals) && !report.intervals.empty()) report.intervals.pop_back();
    // A connection that stood and was lost by its own timeout did not fail to be answered.
    if (report.end == End::unanswered && !report.intervals.empty()) report.end = End::broken;
    return report;
}

std::optional<double> Report::lost_share() const {
    if (!retransmits || bytes <= 0) return std::nullopt;
    return *retransmits / std::max(1.0, bytes / segment);
}

double Report::silent_at_the_end() const {
    double silent = 0;
    for (auto it = intervals.rbegin(); it != intervals.rend() && it->bits_per_second <= 0; ++it) silent += it->seconds;
    return silent;
}

bool Report::stalled() const { return end == End::terminated || (end == End::finished && summed && received <= 0); }

bool single_threaded(const std::string& version) {
    const auto dot = version.find('.');
    unsigned major = 0, minor = 0;
    std::from_chars(version.data(), version.data() + version.size(), major);
    if (dot != std::string::npos) std::from_chars(version.data() + dot + 1, version.data() + version.size(), minor);
    return major < 3 || (major == 3 && minor < 16);  // 3.16 has a thread per stream
}

}  // namespace diag::bulk
