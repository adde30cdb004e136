// Where the engine's events go: first into the record, then to the person who watches.
#pragma once

#include <functional>

#include "cli/progress.hpp"
#include "engine/engine.hpp"
#include "record/record.hpp"
#include "report/text.hpp"
#include "report/view.hpp"

namespace diag::cli {

using json = nlohmann::json;

class RunLog : public engine::Log {
  public:
    // `print` gets finished pieces of the text report; empty: nothing is printed on the way.
    RunLog(record::Record& record, report::RunView& view, ProgressLine& progress, const report::TextStyle& style,
           std::function<void(const std::string&)> print)
        : record_(record), view_(view), progress_(progress), style_(style), print_(std::move(print)) {}

    int next_attempt(const std::string& checkpoint) override { return record_.next_attempt(checkpoint); }
    void event(json event) override;
    json keep(const std::string& checkpoint, int attempt, const std::string& row, const std::string& check,
              const host::EvidenceText& evidence) override;

  private:
    record::Record& record_;
    report::RunView& view_;
    ProgressLine& progress_;
    report::TextStyle style_;
    std::function<void(const std::string&)> print_;
};

}  // namespace diag::cli
