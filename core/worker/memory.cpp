#include "worker/memory.hpp"

#include <algorithm>
#include <cstdlib>
#include <string>
#include <string_view>
#include <system_error>

#include <fmt/format.h>

#include "base/file.hpp"
#include "worker/descendants.hpp"

namespace diag::worker {
namespace {

// The sum of two "Name:   123 kB" lines of a file in /proc/PID; `found` says whether both stand there.
std::size_t sum_of(pid_t pid, const char* file, std::string_view first, std::string_view second, bool* found = nullptr) {
    std::string text;
    try {
        text = base::read_file(fmt::format("/proc/{}/{}", pid, file));
    } catch (const std::system_error&) {
        return 0;  // gone meanwhile, or (smaps_rollup) of another user
    }
    std::size_t bytes = 0;
    int lines = 0;
    for (const auto name : {first, second}) {
        const std::size_t at = text.find(fmt::format("\n{}:", name));
        if (at == std::string::npos) continue;
        bytes += std::strtoull(text.c_str() + at + name.size() + 2, nullptr, 10) * 1024;
        ++lines;
    }
    if (found != nullptr) *found = lines == 2;
    return bytes;
}

std::size_t quick(pid_t pid) { return sum_of(pid, "status", "RssAnon", "RssShmem"); }

}  // namespace

std::size_t descendants_memory() {
    std::size_t bytes = 0;
    visit_descendants([&](pid_t pid) {
        bytes += quick(pid);
        return true;
    });
    return bytes;
}

std::size_t descendants_memory_exact() {
    std::size_t bytes = 0;
    visit_descendants([&](pid_t pid) {
        bool found = false;
        const std::size_t exact = sum_of(pid, "smaps_rollup", "Pss_Anon", "Pss_Shmem", &found);
        bytes += found ? exact : quick(pid);
        return true;
    });
    return bytes;
}

}  // namespace diag::worker
