// Whether a machine has the memory that a load may take: so many connections with full socket buffers.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>

namespace diag::bulk {

// Bytes; nothing where the kernel's texts do not tell.
struct Memory {
    std::optional<std::int64_t> available;   // MemAvailable of /proc/meminfo
    std::optional<std::int64_t> per_stream;  // the largest send and receive buffer of tcp(7): tcp_wmem and tcp_rmem
};

std::optional<std::int64_t> memory_available(std::string_view meminfo);
std::optional<std::int64_t> largest_buffer(std::string_view tcp_mem);  // "4096 131072 6291456"

Memory memory_of(const std::filesystem::path& root);

// Why a load of so many streams is refused: it could take more than a quarter of what is available.  "" where it may run.
std::string refusal(const Memory& memory, std::int64_t streams);

}  // namespace diag::bulk
