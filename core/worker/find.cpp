#include "worker/find.hpp"

#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <system_error>

#include "base/sha256.hpp"
#include "base/trust.hpp"

namespace diag::worker {
namespace {

namespace fs = std::filesystem;

std::vector<fs::path> shared_objects(const fs::path& folder, std::error_code& error) {
    std::vector<fs::path> files;
    for (fs::directory_iterator at(folder, error), end; !error && at != end; at.increment(error))
        if (at->path().extension() == ".so") files.push_back(at->path());
    std::ranges::sort(files);
    return files;
}

void look_at(const fs::path& file, json& found) {
    const auto refuse = [&](const char* code, const std::string& reason) {
        found["refused"].push_back({{"file", file.string()}, {"code", code}, {"reason", reason}});
    };
    std::error_code error;
    const auto status = fs::status(file, error);
    if (status.type() == fs::file_type::not_found || (error && status.type() == fs::file_type::none))
        return refuse("plugin.unreadable", error ? error.message() : "a link that leads nowhere");
    if (!fs::is_regular_file(status)) return refuse("plugin.not-a-plugin", "it is not a file");
    if (const auto reason = base::distrust(file, ::geteuid())) return refuse("plugin.untrusted", *reason);
    try {
        found["plugins"].push_back({{"file", file.string()}, {"sha256", base::sha256_file(file)}});
    } catch (const std::system_error& e) {
        refuse("plugin.unreadable", e.what());
    }
}

}  // namespace

std::vector<std::string> default_plugin_dirs() {
    const fs::path prefix = fs::read_symlink("/proc/self/exe").parent_path().parent_path();
    std::vector<std::string> dirs = {prefix / "lib/diag/plugins", "/etc/diag/plugins"};
    const char* more = std::getenv("DIAG_PLUGINS");
    std::string rest = more != nullptr ? more : "";
    while (!rest.empty()) {
        const auto colon = rest.find(':');
        if (colon != 0) dirs.push_back(rest.substr(0, colon));
        rest = colon == std::string::npos ? "" : rest.substr(colon + 1);
    }
    return dirs;
}

json find_plugins(const std::vector<std::string>& folders) {
    json found = {{"event", "found"}, {"plugins", json::array()}, {"refused", json::array()}};
    for (const auto& folder : folders) {
        std::error_code error;
        const auto files = shared_objects(folder, error);
        if (error && error != std::errc::no_such_file_or_directory)
            found["refused"].push_back({{"file", folder}, {"code", "plugin.unreadable"}, {"reason", error.message()}});
        for (const auto& file : files) look_at(file, found);
    }
    return found;
}

}  // namespace diag::worker
