// Many small programs at once, each without a shell, together bounded in time: for a snapshot.
#pragma once

#include <chrono>
#include <cstddef>
#include <string>
#include <vector>

namespace diag::link {

struct Wanted {
    std::string topic;  // the evidence that its output belongs to
    std::vector<std::string> argv;
    bool newest = false;  // of a long output the end is kept, and not the beginning
};

// "$ ip rule show" and its output, or in one line why there is none; one for each, in their order.
// `most` bytes of each output are kept, and what was cut is said.
std::vector<std::string> run_all(const std::vector<Wanted>& wanted, std::chrono::milliseconds each, std::chrono::milliseconds all,
                                 std::size_t most);

// At most `most` bytes, in whole lines where there are some; what was left out is said.
std::string bounded(const std::string& text, std::size_t most, bool newest);

// Passwords and tokens of mount options and URLs become "...".
std::string without_secrets(const std::string& text);

}  // namespace diag::link
