#include "bulk_memory.hpp"

#include <sstream>

#include <fmt/format.h>

#include <diag/verdict.hpp>

#include "probe/files.hpp"

namespace diag::bulk {
namespace {

constexpr std::int64_t share = 4;  // of what is available, one part in so many

std::string text_of(const std::filesystem::path& root, const char* path) {
    try {
        return probe::read_text(root, path);
    } catch (const Absent&) {
    } catch (const Unreadable&) {
    }
    return "";
}

std::string mebibytes(std::int64_t bytes) { return fmt::format("{} MiB", bytes >> 20); }

}  // namespace

std::optional<std::int64_t> memory_available(std::string_view meminfo) {
    std::istringstream lines{std::string(meminfo)};
    for (std::string line; std::getline(lines, line);) {
        std::istringstream words(line);
        std::string name, unit;
        std::int64_t count = 0;
        if (words >> name >> count >> unit && name == "MemAvailable:" && unit == "kB") return count * 1024;
    }
    return std::nullopt;
}

std::optional<std::int64_t> largest_buffer(std::string_view tcp_mem) {
    std::istringstream words{std::string(tcp_mem)};
    std::int64_t least = 0, usual = 0, most = 0;
    return words >> least >> usual >> most ? std::optional(most) : std::nullopt;
}

Memory memory_of(const std::filesystem::path& root) {
    const auto sending = largest_buffer(text_of(root, "/proc/sys/net/ipv4/tcp_wmem"));
    const auto receiving = largest_buffer(text_of(root, "/proc/sys/net/ipv4/tcp_rmem"));
    Memory memory{memory_available(text_of(root, "/proc/meminfo")), std::nullopt};
    if (sending && receiving) memory.per_stream = *sending + *receiving;
    return memory;
}

std::string refusal(const Memory& memory, std::int64_t streams) {
    if (!memory.available || !memory.per_stream || *memory.per_stream * streams <= *memory.available / share) return "";
    return fmt::format("{} streams may take {} in socket buffers, and {} are available: a load may take a quarter of that", streams,
                       mebibytes(*memory.per_stream * streams), mebibytes(*memory.available));
}

}  // namespace diag::bulk
