#include "cli/run_log.hpp"

#include <algorithm>

namespace diag::cli {

void RunLog::event(json event) {
    const json written = record_.append(event);
    report::apply(view_, written);
    const std::string kind = written["event"];
    if (kind == "check") {
        const std::string row = written["row"], checkpoint = written["checkpoint"];
        progress_.begin(checkpoint, row, written["check"]);
    }
    if (kind == "verdict") progress_.end();
    if (kind != "checkpoint-end") return;
    progress_.clear();
    const auto done = std::find_if(view_.checkpoints.begin(), view_.checkpoints.end(),
                                   [&](const auto& c) { return c.id == written["checkpoint"].get<std::string>(); });
    if (print_ && done != view_.checkpoints.end()) print_(report::checkpoint_text(*done, style_));
}

json RunLog::keep(const std::string& checkpoint, int attempt, const std::string& row, const std::string& check,
                  const host::EvidenceText& evidence) {
    try {
        return record::to_json(record_.store({checkpoint, attempt, row, check}, evidence.name, evidence.text));
    } catch (const record::RecordFull& e) {  // the verdict stands, and says what it had to leave out
        return "evidence '" + evidence.name + "' was not kept: " + e.what();
    }
}

}  // namespace diag::cli
