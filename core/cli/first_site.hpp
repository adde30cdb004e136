// The first site file of a machine: from what its plugins see, or from a settings file and what they see.
#pragma once

#include <map>
#include <string>

#include "host/look.hpp"
#include "runbook/site_draft.hpp"

namespace diag::cli {

// What a look says of one thing in the words of a site file: its properties marked "PART.KEY", as KEY.
runbook::DraftMap marked(const host::Thing& thing, const std::string& part);

// This machine and, for each interface with an address, a link with this machine's end.
runbook::SiteDraft site_from_look(const host::Seen& seen, const std::string& host_name);

// `settings`: KEY -> value; `places`: KEY -> where it belongs (share/diag/env-keys.yaml).  Throws UsageError where they say nothing of a
// site.
runbook::SiteDraft site_from_env(const std::map<std::string, std::string>& settings, const std::map<std::string, std::string>& places,
                                 const host::Seen& seen, const std::string& host_name);

}  // namespace diag::cli
