// The lines of a job's channel, read into plain data; what cannot be read is told, never dropped.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "host/result.hpp"

namespace diag::host {

// The check's own error event, or the worker's load-error.
struct ChannelError {
    bool load = false;
    std::string kind, text;  // kind: memory, exception, no-such-check; for load a plugin.* code
};

struct Channel {
    Result said;                  // measurements, evidence, facts, asked, saw, notes
    std::optional<json> verdict;  // the first one, unread
    std::optional<ChannelError> error;
    std::optional<std::string> catalogue;
    std::string junk;             // what was wrong with the first line that is no event; "" where all were
    std::string bad_measurement;  // what was wrong with the first measurement that is none
};

Channel read_channel(const std::vector<std::string>& lines);

}  // namespace diag::host
