// What came of one check, after the host has judged it.  Plain data; the record and the reports are made of it.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <nlohmann/json.hpp>

namespace diag::host {

using json = nlohmann::json;

enum class Outcome { pass, skip, warn, not_run, fail };  // in order of severity; pass and skip weigh the same

std::string_view to_text(Outcome outcome);
std::optional<Outcome> outcome_from(std::string_view text);

// The worse of two; pass and skip together are pass.
Outcome worse(Outcome a, Outcome b);

struct Measurement {
    std::string name;
    double value = 0;
    std::string unit;
    std::optional<double> min, max;
    bool within = true;
};

struct EvidenceText {
    std::string name, text;
};

// What a look told of one thing; properties: [{"name","text","value"}].
struct SeenThing {
    std::string kind, name;
    json properties = json::array();
};
struct SeenWrong {
    std::string cause, reason;
    json values = json::object();
};

struct Result {
    Outcome outcome = Outcome::not_run;
    std::string cause, mover, reason, next;  // cause and mover empty for pass and skip
    std::string meaning;                     // of the cause, as its check declares it
    std::string asked, saw;                  // one sentence each, may be empty
    std::vector<Measurement> measurements;
    std::vector<EvidenceText> evidence;
    json facts = json::object();
    std::vector<std::string> notes;  // what the host repaired or noticed on the way
    double seconds = 0;
    std::vector<SeenThing> things;  // of a look
    std::vector<SeenWrong> wrong;
};

// {"name","value","unit","min","max","within"}
json to_json(const Measurement& measurement);

}  // namespace diag::host
