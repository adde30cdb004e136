// What a record says of its run, read again for a resume: runbook, site file, settings; and what has changed since.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "cli/execution.hpp"

namespace diag::cli {

// What is not given now is as it was: the captured tree (another one is a UsageError) and the folders of the plugins.
void take_up(const std::vector<json>& lines, Common& common);

class Resumption {
  public:
    // `lines`: the record's journal.  Throws UsageError where this record cannot be gone on with here: it is of
    // another machine, of a single check, of the lab (or not), or its runbook cannot be read.
    Resumption(const std::vector<json>& lines, const Common& common);

    runbook::Plan plan(const host::Catalogue& catalogue) const;
    // The `resume` event, with `changed`: a sentence for everything that is not as it was.
    json event(const runbook::Plan& plan, const host::Catalogue& catalogue, const Common& common) const;
    const std::vector<std::string>& only() const { return only_; }
    const std::optional<runbook::Site>& site() const { return site_; }

  private:
    // The file at its recorded path, else the record's copy of it.
    std::string text_of(const char* what, const json& recorded);
    void read_site(const Common& common);

    json before_;     // the last `run` or `resume` event
    json last_line_;  // of the journal
    std::vector<std::string> changed_;
    std::map<std::string, std::string> settings_;
    std::vector<std::string> only_;
    std::optional<runbook::Runbook> runbook_;
    std::optional<runbook::Site> site_;
    std::string machine_;
};

}  // namespace diag::cli
