#include "cli/paths.hpp"

#include <unistd.h>

#include <algorithm>

#include <fmt/format.h>

#include "base/nearest.hpp"
#include "base/trust.hpp"
#include "base/utf8.hpp"
#include "cli/options.hpp"
#include "worker/find.hpp"

namespace diag::cli {

namespace fs = std::filesystem;

fs::path prefix() { return fs::read_symlink("/proc/self/exe").parent_path().parent_path(); }

fs::path worker_program() { return prefix() / "bin/diag-worker"; }

std::vector<std::string> plugin_dirs(const std::vector<std::string>& told) { return told.empty() ? worker::default_plugin_dirs() : told; }

namespace {

// A name in a folder that cannot be looked into is not there, as far as this user is concerned.
bool exists(const std::string& path) {
    std::error_code error;
    return fs::exists(path, error);
}

}  // namespace

fs::path find_runbook(const std::string& name_or_path) {
    if (name_or_path.find('/') != std::string::npos || exists(name_or_path)) {
        std::error_code error;
        const fs::file_status found = fs::status(name_or_path, error);
        if (fs::is_regular_file(found)) return name_or_path;
        if (found.type() == fs::file_type::none) throw UsageError(fmt::format("{}: {}", base::printable(name_or_path), error.message()));
        const std::string why = !fs::exists(found)        ? "it is not there"
                                : fs::is_directory(found) ? "it is a folder"
                                                          : "it is neither a file nor a link to one";
        throw UsageError(fmt::format("{}: no runbook file: {}", base::printable(name_or_path), why));
    }
    std::vector<std::string> names;
    for (const fs::path& dir : {prefix() / "share/diag/runbooks", fs::path("/etc/diag/runbooks")}) {
        if (fs::path file = dir / (name_or_path + ".runbook"); fs::exists(file)) return file;
        std::error_code absent;  // a folder that is not there offers nothing
        for (const auto& entry : fs::directory_iterator(dir, absent))
            if (entry.path().extension() == ".runbook") names.push_back(entry.path().stem());
    }
    std::sort(names.begin(), names.end());
    throw UsageError(fmt::format("there is no runbook '{}'{} (installed: {}; or give a path with a /)", base::printable(name_or_path),
                                 base::did_you_mean(name_or_path, names), fmt::join(names, ", ")));
}

fs::path trusted(const fs::path& file) {
    if (::geteuid() != 0) return file;
    // What is judged is what is read: a link on the way could lead elsewhere a moment later.
    std::error_code dangling;
    const fs::path whole = fs::canonical(file, dangling);
    if (dangling) throw UsageError(fmt::format("{}: {}", base::printable(file.string()), dangling.message()));
    if (const auto reason = base::distrust(whole, 0))
        throw UsageError(
            fmt::format("{} is not trusted by root: {}.\nAs root only root's own files are read, below folders that nobody else can write; "
                        "copy it to /etc/diag, or run diag as yourself.",
                        file.string(), *reason));
    return whole == fs::absolute(file).lexically_normal() ? file : whole;
}

namespace {

fs::path trusted_place(const fs::path& path) {
    fs::path whole = fs::weakly_canonical(fs::absolute(path));
    const auto reason = base::distrust_place(whole, 0);
    if (!reason) return whole;
    throw UsageError(
        fmt::format("{} is not trusted by root: {}.\nAs root a record is written, and gone on with, only where nobody else can "
                    "write; name another folder with --state, or run diag as the user that it belongs to.",
                    base::printable(path.string()), base::printable(*reason)));
}

}  // namespace

fs::path trusted_state(const fs::path& state) {
    if (::geteuid() != 0) return state;
    trusted_place(state / "records");
    return trusted_place(state);
}

fs::path trusted_record(const fs::path& folder) {
    if (::geteuid() != 0) return folder;
    trusted_place(folder / "journal.jsonl");
    return trusted_place(folder);
}

}  // namespace diag::cli
