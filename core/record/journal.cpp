#include "record/journal.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <stdexcept>
#include <system_error>

#include <fmt/format.h>

#include "base/file.hpp"
#include "record/files.hpp"
#include "record/line.hpp"
#include "record/stamp.hpp"

namespace diag::record {
namespace fs = std::filesystem;
namespace {

bool is_utf8(const json& event) {
    try {
        static_cast<void>(event.dump());
        return true;
    } catch (const json::type_error&) {
        return false;
    }
}

std::string read_tail(int fd, std::uint64_t from, std::uint64_t bytes, const fs::path& path) {
    std::string tail(bytes, '\0');
    for (std::size_t done = 0; done < tail.size();) {
        const ssize_t n = ::pread(fd, tail.data() + done, tail.size() - done, static_cast<off_t>(from + done));
        if (n < 0 && errno == EINTR) continue;
        if (n < 0) throw JournalError(sentence(path, "its torn end cannot be read", errno));
        if (n == 0) throw JournalError(path.string() + ": became shorter while it was read; is another program at work on it?");
        done += static_cast<std::size_t>(n);
    }
    return tail;
}

}  // namespace

Journal Journal::create(const fs::path& path) {
    if (!write_new(open_folder(path.parent_path()).get(), path.filename().string(), "", path))
        throw JournalError(path.string() + ": exists already; a journal is never begun twice");
    return open(path);
}

Journal Journal::open(const fs::path& path) {
    JournalView view = read_journal(path);
    if (view.state == JournalState::damaged)
        throw JournalError(fmt::format("{}: line {} {}; the record is damaged and cannot go on. Start a new run; `diag verify` tells more",
                                       path.string(), view.bad_line, view.problem));
    base::Fd fd(::open(path.c_str(), O_RDWR | O_APPEND | O_NOFOLLOW | O_CLOEXEC));
    if (!fd) throw JournalError(sentence(path, "the journal cannot be written", errno));
    Journal journal(path, std::move(fd));
    journal.size_ = view.good_bytes;
    journal.seq_ = view.lines.size();
    if (!view.lines.empty()) journal.prev_ = view.lines.back()["sum"];
    if (view.state == JournalState::torn) journal.cut_torn_tail(view);
    journal.lines_ = std::move(view.lines);
    return journal;
}

// Saved before it is cut: a crash in between saves it twice, and loses nothing.
void Journal::cut_torn_tail(const JournalView& view) {
    const std::string tail = read_tail(fd_.get(), size_, view.torn_bytes, path_);
    const fs::path folder = path_.parent_path();
    const base::Fd folder_fd = open_folder(folder);
    for (int n = 1;; ++n) {
        torn_ = Torn{"torn-" + std::to_string(n), view.torn_bytes};
        if (write_new(folder_fd.get(), torn_->file, tail, folder / torn_->file)) break;
    }
    cut_back("its torn end could not be cut");
}

void Journal::cut_back(const std::string& why) {
    broken_ = ::ftruncate(fd_.get(), static_cast<off_t>(size_)) != 0 || ::fdatasync(fd_.get()) != 0;
    if (broken_) throw JournalError(sentence(path_, why, errno));
}

json Journal::append(json event) {
    if (!event.is_object() || !event.contains("event") || !event["event"].is_string())
        throw std::logic_error("a journal event is an object with a text `event`");
    if (!is_utf8(event)) {
        event = json::parse(event.dump(-1, ' ', false, json::error_handler_t::replace));
        event["repaired"] = true;
    }
    event["seq"] = seq_ + 1;
    event["time"] = utc_now();
    event["boottime"] = boottime_now();
    event["boot"] = boot_identity();
    event["prev"] = prev_;
    if (seq_ == 0) event["format"] = journal_format;
    const std::string line = seal(event);
    // Nothing is written that could not be read back (nesting, numbers that JSON has not).
    CheckedLine checked = check_line(line);
    if (!checked.problem.empty()) throw std::logic_error("this event would make a journal line that " + checked.problem);
    write_line(line + "\n");
    ++seq_;
    size_ += line.size() + 1;
    prev_ = checked.line["sum"];
    return std::move(checked.line);
}

void Journal::write_line(const std::string& line) {
    // The place after a line that could not be taken back must not be written to: that would be damage.
    if (broken_) cut_back("a line that failed could not be cut off again");
    try {
        base::write_all(fd_.get(), line, path_);
        if (::fdatasync(fd_.get()) != 0) base::throw_errno(path_.string());
    } catch (const std::system_error& e) {
        cut_back("a line could not be written, nor cut off again");
        throw JournalError(sentence(path_, "the journal could not be written; it ends with its last whole line", e.code().value()));
    }
}

}  // namespace diag::record
