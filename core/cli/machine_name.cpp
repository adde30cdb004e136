#include "cli/machine_name.hpp"

#include <sys/utsname.h>

#include <algorithm>
#include <sstream>
#include <system_error>

#include "base/file.hpp"
#include "cli/session.hpp"

namespace diag::cli {
namespace {

constexpr std::size_t most = 64 << 10;  // bytes of a file of a few lines

// The text of a small file; "" where it cannot be had: this is a heading, not a finding.
std::string line_of(const std::filesystem::path& file) {
    try {
        std::string text = base::read_file(file, most);
        while (!text.empty() && text.back() == '\n') text.pop_back();
        return text;
    } catch (const std::system_error&) {
        return "";
    }
}

// PRETTY_NAME of os-release(5).
std::string pretty_name(const std::string& os_release) {
    std::istringstream lines(os_release);
    for (std::string line; std::getline(lines, line);) {
        if (line.rfind("PRETTY_NAME=", 0) != 0) continue;
        std::string name = line.substr(line.find('=') + 1);
        std::erase_if(name, [](char c) { return c == '"' || c == '\''; });
        return name;
    }
    return "";
}

}  // namespace

report::MachineName machine_name(const std::filesystem::path& root) {
    report::MachineName name;
    const auto at = [&](const char* path) {
        return root.empty() ? std::filesystem::path(path) : root / std::filesystem::path(path).relative_path();
    };
    std::string release = line_of(at("/etc/os-release"));
    if (release.empty()) release = line_of(at("/usr/lib/os-release"));
    name.system = pretty_name(release);
    name.kernel = line_of(at("/proc/sys/kernel/osrelease"));
    if (!root.empty()) {
        name.host = line_of(at("/etc/hostname"));
        return name;
    }
    utsname system{};
    ::uname(&system);
    name.host = host_name();
    name.arch = system.machine;
    name.lab = in_lab(std::nullopt);
    return name;
}

}  // namespace diag::cli
