// Which passes of a record count again on resume: those of costly checks whose parameters, machine and facts are as they were
// (the plugins of both ends are among the facts).
#pragma once

#include "cli/runner.hpp"
#include "record/earlier.hpp"

namespace diag::cli {

class RecordReuse : public engine::Reuse {
  public:
    // `earlier`: the record as it was before this resume.
    RecordReuse(record::Earlier earlier, Session& session, WorkerRunner& runner)
        : earlier_(std::move(earlier)), session_(session), runner_(runner) {}
    Answer ask(const std::string& checkpoint, const std::string& row, const runbook::PlannedCheck& check) override;

  private:
    record::Earlier earlier_;
    Session& session_;
    WorkerRunner& runner_;
};

}  // namespace diag::cli
