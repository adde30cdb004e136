#include "record/reader.hpp"

#include <fcntl.h>
#include <sys/stat.h>

#include <cerrno>
#include <string_view>
#include <system_error>

#include <fmt/format.h>

#include "base/file.hpp"
#include "record/files.hpp"
#include "record/line.hpp"

namespace diag::record {
namespace {

// A journal is text about checks; evidence is elsewhere.  Beyond this something else is wrong.
constexpr std::size_t longest_journal = std::size_t{1} << 30;

std::string read_text(const std::filesystem::path& path) {
    struct stat there {};
    if (::stat(path.c_str(), &there) != 0) {
        if (errno == ENOENT) throw JournalError(path.string() + ": there is no journal here; `diag list` shows the records there are");
        throw JournalError(sentence(path, "the journal cannot be read", errno));
    }
    if (!S_ISREG(there.st_mode)) throw JournalError(path.string() + ": is no file, so no journal");
    try {
        return base::read_file(path, longest_journal);
    } catch (const std::system_error& e) {
        throw JournalError(sentence(path, "the journal cannot be read", e.code().value()));
    }
}

void refuse_newer(const json& first, const std::filesystem::path& path) {
    const auto format = first.find("format");
    if (format == first.end() || !format->is_number_integer() || *format <= journal_format) return;
    throw JournalError(fmt::format("{}: the record has format {}, and this diag reads up to {}; use the newer diag that wrote it",
                                   path.string(), format->dump(), journal_format));
}

// What is wrong with the place of a line that is valid by itself; "" where it is right.
std::string misplaced(const json& line, const std::vector<json>& before) {
    const std::uint64_t expected = before.size() + 1;
    if (line["seq"] != expected)
        return fmt::format("has seq {} where {} belongs: lines were removed, repeated or moved", line["seq"].dump(), expected);
    const std::string prev = before.empty() ? "" : before.back()["sum"].get<std::string>();
    if (line["prev"] != prev) return "does not continue the line before it (`prev`)";
    if (before.empty() && (!line.contains("format") || line["format"] != journal_format))
        return "is the first and has no `format` that this diag knows";
    return "";
}

bool any_sealed(std::string_view text) {
    while (!text.empty()) {
        const std::size_t end = text.find('\n');
        if (end == std::string_view::npos) return false;
        if (check_line(text.substr(0, end)).sealed) return true;
        text.remove_prefix(end + 1);
    }
    return false;
}

}  // namespace

JournalView read_journal(const std::filesystem::path& path) {
    const std::string content = read_text(path);
    std::string_view rest = content;
    JournalView view;
    while (!rest.empty()) {
        const std::size_t end = rest.find('\n');
        const bool ended = end != std::string_view::npos;
        CheckedLine checked = ended ? check_line(rest.substr(0, end)) : CheckedLine{nullptr, false, "has no end: its writing was cut off"};
        if (checked.sealed && view.lines.empty()) refuse_newer(checked.line, path);
        if (checked.problem.empty()) checked.problem = misplaced(checked.line, view.lines);
        if (!checked.problem.empty()) {
            const bool damaged = checked.sealed || (ended && any_sealed(rest.substr(end + 1)));
            view.state = damaged ? JournalState::damaged : JournalState::torn;
            view.torn_bytes = damaged ? 0 : rest.size();
            view.bad_line = view.lines.size() + 1;
            view.problem = checked.problem;
            return view;
        }
        view.lines.push_back(std::move(checked.line));
        view.good_bytes += end + 1;
        view.state = JournalState::whole;
        rest.remove_prefix(end + 1);
    }
    return view;
}

}  // namespace diag::record
