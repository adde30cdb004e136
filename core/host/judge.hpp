// The rules that turn what came of one job into a Result.  Pure: no process, no clock, no file.
#pragma once

#include <string>
#include <vector>

#include "host/catalogue.hpp"
#include "host/result.hpp"

namespace diag::host {

// Everything that the worker passed on about one job; nothing in it is trusted.
struct Observed {
    std::vector<std::string> lines;  // from the job's channel, unread
    std::string out, err;            // its stdout and stderr
    json end = json::object();       // the worker's end event (worker/job.hpp)
};

// `params` as the check received them; they fill the placeholders of the remedy.
Result judge(const CheckInfo& check, const json& params, const Observed& observed);

// Whether this code of host_causes() is a failure and no open question: what is wrong, and how to mend it, is known.
bool is_verdict(const std::string& code);

// A not_run (or that failure) with one of host_causes(), for what never reached a worker's end event.
Result not_run(const CheckInfo& check, const std::string& code, const std::string& reason);

}  // namespace diag::host
