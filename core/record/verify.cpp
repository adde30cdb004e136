#include "record/verify.hpp"

#include <fcntl.h>
#include <sys/stat.h>

#include <algorithm>
#include <cerrno>
#include <set>
#include <system_error>

#include <fmt/format.h>

#include "base/fd.hpp"
#include "base/sha256.hpp"
#include "base/utf8.hpp"
#include "record/files.hpp"
#include "record/lock.hpp"

namespace diag::record {
namespace fs = std::filesystem;
namespace {

struct Opened {
    base::Fd fd;
    Problem problem = Problem::evidence_escapes;  // where fd is none
    std::string why;
};

// The parts of "evidence/a/b"; empty where it is no path strictly below evidence/.
std::vector<std::string> parts_of(const std::string& path) {
    std::vector<std::string> parts;
    for (std::size_t from = 0; from <= path.size();) {
        const std::size_t end = std::min(path.find('/', from), path.size());
        parts.push_back(path.substr(from, end - from));
        const std::string& part = parts.back();
        if (part.empty() || part == "." || part == ".." || part.find('\0') != std::string::npos) return {};
        from = end + 1;
    }
    return parts.size() >= 2 && parts.front() == "evidence" ? parts : std::vector<std::string>{};
}

// Part by part from the record's folder, so that no symbolic link leads out of it.
Opened open_evidence(const fs::path& folder, const std::string& path) {
    const auto parts = parts_of(path);
    if (parts.empty()) return {{}, Problem::evidence_escapes, "names a path that is not below evidence/"};
    base::Fd at = open_folder(folder);
    for (std::size_t i = 0; i < parts.size(); ++i) {
        const bool is_last = i + 1 == parts.size();
        struct stat there {};
        if (::fstatat(at.get(), parts[i].c_str(), &there, AT_SYMLINK_NOFOLLOW) != 0) {
            const bool absent = errno == ENOENT || errno == ENAMETOOLONG;
            return {{}, absent ? Problem::evidence_missing : Problem::evidence_unreadable, std::generic_category().message(errno)};
        }
        if (S_ISLNK(there.st_mode)) return {{}, Problem::evidence_escapes, "leads through the symbolic link " + parts[i]};
        if (is_last ? !S_ISREG(there.st_mode) : !S_ISDIR(there.st_mode))
            return {{}, Problem::evidence_missing, parts[i] + (is_last ? " is no file" : " is no folder")};
        const int flags = O_RDONLY | O_NOFOLLOW | O_CLOEXEC | O_NONBLOCK | (is_last ? 0 : O_DIRECTORY);
        base::Fd next(::openat(at.get(), parts[i].c_str(), flags));
        if (!next) return {{}, Problem::evidence_unreadable, std::generic_category().message(errno)};
        at = std::move(next);
    }
    return {std::move(at), {}, ""};
}

bool keeps_evidence(const json& line) { return (line["event"] == "verdict" || line["event"] == "snapshot") && line.contains("evidence"); }

class Verifier {
  public:
    explicit Verifier(const fs::path& folder) : folder_(folder) {}

    Verification run() {
        result_.running = Lock::holder(folder_).has_value();  // before reading: a run that ends meanwhile leaves no false finding
        const JournalView view = read_journal(folder_ / "journal.jsonl");
        result_.lines = view.lines.size();
        journal_findings(view);
        for (std::size_t i = 0; i < view.lines.size(); ++i)
            if (keeps_evidence(view.lines[i])) verdict(i + 1, view.lines[i]["evidence"]);
        // Lines behind a bad one are not believed, so nobody knows then what they named.
        if (view.state != JournalState::damaged && !result_.running) unnamed();
        return std::move(result_);
    }

  private:
    void add(Problem problem, std::size_t line, const std::string& path, const std::string& text) {
        result_.findings.push_back({problem, line, path, text});
    }

    void journal_findings(const JournalView& view) {
        const std::string journal = "journal.jsonl";
        if (view.state == JournalState::empty) add(Problem::journal_empty, 0, journal, "the journal is empty: nothing was ever recorded");
        if (view.state == JournalState::damaged)
            add(Problem::journal_damaged, view.bad_line, journal, fmt::format("line {} {}", view.bad_line, view.problem));
        if (view.state == JournalState::torn && !result_.running)
            add(Problem::journal_torn, view.bad_line, journal,
                fmt::format("line {} {}; {} bytes follow the last valid line, `diag resume` saves and cuts them", view.bad_line,
                            view.problem, view.torn_bytes));
    }

    void verdict(std::size_t line, const json& evidence) {
        const auto text_in = [](const json& item, const char* key) { return item.contains(key) && item[key].is_string(); };
        if (!evidence.is_array()) return add(Problem::evidence_malformed, line, "", fmt::format("line {}: `evidence` is no list", line));
        for (const auto& item : evidence) {
            if (item.is_object() && text_in(item, "path") && text_in(item, "sha256"))
                file(line, item["path"], item["sha256"]);
            else
                add(Problem::evidence_malformed, line, "", fmt::format("line {}: an item of `evidence` has no path and sha256", line));
        }
    }

    void file(std::size_t line, const std::string& path, const std::string& sha256) {
        named_.insert(path);
        const std::string shown = base::printable(path);
        const Opened opened = open_evidence(folder_, path);
        if (!opened.fd) return add(opened.problem, line, path, fmt::format("{} (line {}): {}", shown, line, opened.why));
        try {
            if (base::sha256_file(fmt::format("/proc/self/fd/{}", opened.fd.get())) == sha256)
                ++result_.evidence_files;
            else
                add(Problem::evidence_altered, line, path, fmt::format("{} (line {}): its digest is not the recorded one", shown, line));
        } catch (const std::system_error& e) {
            add(Problem::evidence_unreadable, line, path, fmt::format("{} (line {}): {}", shown, line, e.code().message()));
        }
    }

    void unnamed() {
        std::error_code error;
        for (fs::recursive_directory_iterator it(folder_, error), end; !error && it != end; it.increment(error)) {
            const std::string path = it->path().lexically_relative(folder_).string();
            const bool own = path == "journal.jsonl" || path == "lock" || path.starts_with("torn-") || named_.contains(path);
            if (!own && it->symlink_status().type() != fs::file_type::directory)
                add(Problem::unnamed_file, 0, path,
                    base::printable(path) + ": no verdict names this file; a run that was cut off may have left it");
        }
        if (error) add(Problem::evidence_unreadable, 0, "", sentence(folder_, "cannot be listed", error.value()));
    }

    fs::path folder_;
    Verification result_;
    std::set<std::string> named_;
};

}  // namespace

std::string_view to_text(Problem problem) {
    switch (problem) {
        case Problem::journal_empty:
            return "journal empty";
        case Problem::journal_torn:
            return "journal torn";
        case Problem::journal_damaged:
            return "journal damaged";
        case Problem::evidence_malformed:
            return "evidence malformed";
        case Problem::evidence_escapes:
            return "evidence outside the record";
        case Problem::evidence_missing:
            return "evidence missing";
        case Problem::evidence_unreadable:
            return "evidence unreadable";
        case Problem::evidence_altered:
            return "evidence altered";
        case Problem::unnamed_file:
            return "unnamed file";
    }
    return "";
}

bool Verification::intact() const {
    return std::none_of(findings.begin(), findings.end(), [](const Finding& f) { return f.damage(); });
}

Verification verify_record(const fs::path& folder) { return Verifier(folder).run(); }

}  // namespace diag::record
