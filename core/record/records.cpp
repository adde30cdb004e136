#include "record/records.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <ctime>
#include <system_error>

#include <fmt/format.h>

#include "base/file.hpp"
#include "base/nearest.hpp"
#include "base/utf8.hpp"
#include "record/files.hpp"
#include "record/lock.hpp"

namespace diag::record {
namespace fs = std::filesystem;
namespace {

// prune renames to this first, so that a crash never leaves half a record under its own name.
constexpr std::string_view doomed = ".pruned-";

// <runbook>-YYYYMMDDTHHMMSSZ-hhhh.  Nothing else in records/ is taken for a record.
bool is_id(std::string_view name) {
    constexpr std::string_view shape = "-ddddddddTddddddZ-xxxx";
    if (name.size() <= shape.size() || name.size() > 64 + shape.size() || name.front() == '-' || name.front() == '.') return false;
    const std::string_view tail = name.substr(name.size() - shape.size());
    for (std::size_t i = 0; i < shape.size(); ++i) {
        const char c = tail[i];
        const bool digit = c >= '0' && c <= '9';
        if (shape[i] == 'd' ? !digit : shape[i] == 'x' ? !(digit || (c >= 'a' && c <= 'f')) : c != shape[i]) return false;
    }
    return name.find('/') == std::string_view::npos;
}

// Names of the folders in records/ that `wanted` takes.  Empty where there is no records/ at all.
template <class Wanted>
std::vector<std::string> folders(const fs::path& state, Wanted wanted) {
    std::vector<std::string> names;
    const fs::path records = state / "records";
    std::error_code error;
    for (fs::directory_iterator it(records, error), end; !error && it != end; it.increment(error)) {
        const std::string name = it->path().filename().string();
        if (wanted(name) && it->symlink_status(error).type() == fs::file_type::directory) names.push_back(name);
    }
    if (error && error != std::errc::no_such_file_or_directory) throw RecordError(sentence(records, "cannot be listed", error.value()));
    return names;
}

// What STATE/last names; nothing where no run was recorded yet.
std::optional<std::string> last_id(const fs::path& state) {
    const fs::path path = state / "last";
    std::string id;
    try {
        id = base::read_file(path, 256);
    } catch (const std::system_error& e) {
        if (e.code() == std::errc::no_such_file_or_directory) return std::nullopt;
        throw RecordError(sentence(path, "cannot be read", e.code().value()));
    }
    if (id.ends_with('\n')) id.pop_back();
    if (!is_id(id)) throw RecordError(path.string() + ": does not hold the name of a record; give one: `diag list` shows them");
    return id;
}

std::string last_id_or_say(const fs::path& state) {
    if (const auto id = last_id(state)) return *id;
    throw RecordError(state.string() + ": no run was recorded here yet; `diag run RUNBOOK` makes one, and --state names another folder");
}

double seconds_since(const timespec& then) {
    timespec now{};
    ::clock_gettime(CLOCK_REALTIME, &now);
    return static_cast<double>(now.tv_sec - then.tv_sec) + static_cast<double>(now.tv_nsec - then.tv_nsec) / 1e9;
}

// `idle_seconds` and `bytes`: of what can be seen; what cannot is said in `problem`.
void measure(RecordSummary& summary) {
    struct stat there {};
    const fs::path journal = summary.folder / "journal.jsonl";
    if (::stat(journal.c_str(), &there) == 0 || ::stat(summary.folder.c_str(), &there) == 0)
        summary.idle_seconds = seconds_since(there.st_mtim);
    std::error_code error;
    for (fs::recursive_directory_iterator it(summary.folder, error), end; !error && it != end; it.increment(error)) {
        std::error_code gone;  // a running record's files come and go
        const auto size = it->symlink_status(gone).type() == fs::file_type::regular ? it->file_size(gone) : 0;
        if (!gone) summary.bytes += size;
    }
    if (error) summary.problem = sentence(summary.folder, "cannot be listed", error.value());
}

RecordSummary summarise(const fs::path& state, const std::string& id) {
    RecordSummary summary;
    summary.id = id;
    summary.folder = state / "records" / id;
    measure(summary);
    try {
        summary.running = Lock::holder(summary.folder).has_value();
        const JournalView view = read_journal(summary.folder / "journal.jsonl");
        if (!view.lines.empty()) summary.first = view.lines.front(), summary.last = view.lines.back();
        if (view.state == JournalState::empty) summary.problem = "the journal is empty";
        if (view.state == JournalState::damaged) summary.problem = fmt::format("damaged: line {} {}", view.bad_line, view.problem);
        if (view.state == JournalState::torn && !summary.running)
            summary.problem = fmt::format("torn: line {} {}", view.bad_line, view.problem);
    } catch (const RecordError& e) {
        summary.problem = e.what();
    }
    return summary;
}

void remove_folder(const fs::path& path) {
    std::error_code error;
    fs::remove_all(path, error);
    if (error) throw RecordError(sentence(path, "could not be removed", error.value()));
}

// False where a process holds it.
bool remove_record(const fs::path& state, const std::string& id) {
    const fs::path records = state / "records", folder = records / id, grave = records / (std::string(doomed) + id);
    try {
        const Lock lock = Lock::take(folder);
        if (::rename(folder.c_str(), grave.c_str()) != 0) throw_record_error(folder, "could not be removed");
    } catch (const RecordBusy&) {
        return false;
    }
    remove_folder(grave);
    return true;
}

void forget_last(const fs::path& state, const std::vector<std::string>& removed) {
    if (removed.empty()) return;
    const auto id = last_id(state);
    const fs::path path = state / "last";
    const bool gone = id && std::find(removed.begin(), removed.end(), *id) != removed.end();
    if (gone && ::unlink(path.c_str()) != 0) throw_record_error(path, "could not be removed");
}

}  // namespace

fs::path find_record(const fs::path& state, const std::string& name) {
    if (name.find('/') != std::string::npos) {
        struct stat there {};
        if (::stat((fs::path(name) / "journal.jsonl").c_str(), &there) == 0) return name;
        throw RecordError(sentence(base::printable(name), "is no record that can be read: its journal.jsonl", errno));
    }
    const std::string id = name.empty() ? last_id_or_say(state) : name;
    const auto ids = folders(state, is_id);
    if (std::find(ids.begin(), ids.end(), id) != ids.end()) return state / "records" / id;
    if (name.empty())
        throw RecordError((state / "last").string() + ": names " + id + ", which is not there any more; `diag list` shows those that are");
    throw RecordError(fmt::format("{}: there is no record '{}'{}; `diag list` shows them all", (state / "records").string(),
                                  base::printable(id), base::did_you_mean(id, ids)));
}

std::vector<RecordSummary> list_records(const fs::path& state) {
    std::vector<RecordSummary> records;
    for (const auto& id : folders(state, is_id)) records.push_back(summarise(state, id));
    std::sort(records.begin(), records.end(), [](const auto& a, const auto& b) { return a.idle_seconds < b.idle_seconds; });
    return records;
}

Pruned prune_records(const fs::path& state, const PruneRule& rule) {
    Pruned pruned;
    const auto records = list_records(state);
    for (std::size_t i = rule.keep; i < records.size(); ++i) {
        const RecordSummary& record = records[i];
        if (record.running || record.idle_seconds < rule.older_than_seconds) continue;
        if (!rule.dry_run && !remove_record(state, record.id)) continue;
        pruned.ids.push_back(record.id);
        pruned.bytes += record.bytes;
    }
    if (rule.dry_run) return pruned;
    for (const auto& name : folders(state, [](const std::string& n) { return n.starts_with(doomed) && is_id(n.substr(doomed.size())); }))
        remove_folder(state / "records" / name);  // an earlier prune was cut short
    forget_last(state, pruned.ids);
    return pruned;
}

void set_last(const fs::path& state, const std::string& id) {
    const fs::path path = state / "last", fresh = state / (".last-" + id);
    const base::Fd folder = open_folder(state);
    if (::unlinkat(folder.get(), fresh.filename().c_str(), 0) != 0 && errno != ENOENT) throw_record_error(fresh, "could not be replaced");
    write_new(folder.get(), fresh.filename().string(), id + "\n", fresh);
    if (::rename(fresh.c_str(), path.c_str()) != 0) {
        const std::string why = sentence(path, "could not be replaced", errno);
        ::unlinkat(folder.get(), fresh.filename().c_str(), 0);
        throw RecordError(why);
    }
    if (::fsync(folder.get()) != 0) throw_record_error(state, "could not be brought to the disk");
}

}  // namespace diag::record
