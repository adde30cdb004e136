// Which passes of a record count again on resume: those of costly checks whose parameters, plugin, machine and facts are as they were.
#pragma once

#include "cli/runner.hpp"
#include "record/earlier.hpp"

namespace diag::cli {

class RecordReuse : public engine::Reuse {
  public:
    // `lines`: the record's journal as it was before this resume.
    RecordReuse(const std::vector<json>& lines, Session& session, WorkerRunner& runner)
        : earlier_(lines), session_(session), runner_(runner) {}
    Answer ask(const std::string& checkpoint, const std::string& row, const runbook::PlannedCheck& check) override;

  private:
    record::Earlier earlier_;
    Session& session_;
    WorkerRunner& runner_;
};

}  // namespace diag::cli
