#include "record/stamp.hpp"

#include <array>
#include <cmath>
#include <ctime>
#include <filesystem>
#include <system_error>

#include <fmt/format.h>

#include "base/file.hpp"

namespace diag::record {
namespace {

std::string utc(const char* format, const timespec& now) {
    std::tm parts{};
    ::gmtime_r(&now.tv_sec, &parts);
    std::array<char, 32> text{};
    return {text.data(), std::strftime(text.data(), text.size(), format, &parts)};
}

timespec clock(clockid_t id) {
    timespec now{};
    ::clock_gettime(id, &now);
    return now;
}

// Files that systemd (in nspawn, LXC), Docker and Podman leave for this question.
bool in_container() {
    std::error_code absent;
    for (const char* mark : {"/run/systemd/container", "/.dockerenv", "/run/.containerenv"})
        if (std::filesystem::exists(mark, absent)) return true;
    return false;
}

std::string read_boot_id() {
    if (in_container()) return "unknown";
    try {
        std::string id = base::read_file("/proc/sys/kernel/random/boot_id", 64);
        while (!id.empty() && id.back() == '\n') id.pop_back();
        return id.empty() ? "unknown" : id;
    } catch (const std::system_error&) {
        return "unknown";  // no /proc, or hidden from us: the word is the answer
    }
}

}  // namespace

std::string utc_now() {
    const timespec now = clock(CLOCK_REALTIME);
    return fmt::format("{}.{:03}Z", utc("%Y-%m-%dT%H:%M:%S", now), now.tv_nsec / 1000000);
}

std::string compact_utc_now() { return utc("%Y%m%dT%H%M%SZ", clock(CLOCK_REALTIME)); }

double seconds_since(const std::string& utc) {
    std::tm parts{};
    if (::strptime(utc.c_str(), "%Y-%m-%dT%H:%M:%S", &parts) == nullptr) return 0;
    return static_cast<double>(clock(CLOCK_REALTIME).tv_sec - ::timegm(&parts));
}

double boottime_now() {
    const timespec now = clock(CLOCK_BOOTTIME);
    return std::round(static_cast<double>(now.tv_sec) * 1e6 + static_cast<double>(now.tv_nsec) / 1e3) / 1e6;
}

const std::string& boot_identity() {
    static const std::string id = read_boot_id();
    return id;
}

}  // namespace diag::record
