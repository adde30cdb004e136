#include "record/record.hpp"

#include <sys/random.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <system_error>

#include <fmt/format.h>

#include "record/files.hpp"
#include "record/records.hpp"
#include "record/stamp.hpp"

namespace diag::record {
namespace fs = std::filesystem;
namespace {

void check_runbook_name(const std::string& name) {
    const auto allowed = [](char c) { return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '-'; };
    const bool right = !name.empty() && name.size() <= 64 && name.front() != '-' && std::all_of(name.begin(), name.end(), allowed);
    if (!right)
        throw RecordError("a record is named after its runbook, and that name must be 1 to 64 of a-z, 0-9 and '-', not beginning with '-'");
}

std::string new_id(const std::string& runbook) {
    std::array<unsigned char, 2> random{};
    if (::getrandom(random.data(), random.size(), 0) != static_cast<ssize_t>(random.size()))
        throw RecordError("no random bytes from the kernel: " + std::generic_category().message(errno));
    return fmt::format("{}-{}-{:02x}{:02x}", runbook, compact_utc_now(), random[0], random[1]);
}

fs::path make_record_folder(const fs::path& records, const std::string& runbook) {
    const base::Fd parent = open_folder(records);
    for (;;) {
        const std::string id = new_id(runbook);
        if (make_folder(parent.get(), id, records / id)) return records / id;
    }
}

void make_evidence_folder(const fs::path& folder) {
    static_cast<void>(make_folder(open_folder(folder).get(), "evidence", folder / "evidence"));  // may be there already
}

std::uint64_t bytes_below(const fs::path& folder) {
    std::uint64_t bytes = 0;
    std::error_code error;
    for (fs::recursive_directory_iterator it(folder, error), end; !error && it != end; it.increment(error))
        if (it->is_regular_file(error) && !it->is_symlink(error)) bytes += it->file_size(error);
    if (error) throw RecordError(sentence(folder, "cannot be listed", error.value()));
    return bytes;
}

}  // namespace

Record::Record(fs::path folder, Lock lock, Journal journal, std::uint64_t size_cap)
    : folder_(std::move(folder)),
      lock_(std::move(lock)),
      journal_(std::move(journal)),
      evidence_(folder_),
      size_cap_(size_cap),
      evidence_bytes_(bytes_below(folder_ / "evidence")) {
    for (const auto& line : journal_.opened_lines()) note_attempt(line);
}

Record Record::create(const fs::path& state, const std::string& runbook, const json& first_event, std::uint64_t size_cap) {
    check_runbook_name(runbook);
    const fs::path records = fs::absolute(state) / "records";
    make_folders(records);
    const fs::path folder = make_record_folder(records, runbook);
    try {
        Lock lock = Lock::take(folder);
        make_evidence_folder(folder);
        Record record(folder, std::move(lock), Journal::create(folder / "journal.jsonl"), size_cap);
        record.append(first_event);
        set_last(state, record.id());
        return record;
    } catch (...) {  // whatever it was, it goes on up; only the half-made record does not stay
        std::error_code ignored;
        fs::remove_all(folder, ignored);  // what remains is listed as a record without a journal
        throw;
    }
}

Record Record::open(const fs::path& given, std::uint64_t size_cap) {
    std::error_code error;
    const fs::path folder = fs::canonical(given, error);
    if (error) throw RecordError(sentence(given, "the record cannot be opened", error.value()));
    const fs::path journal_path = folder / "journal.jsonl";
    static_cast<void>(read_journal(journal_path));  // no lock is left in a folder that is no record
    Lock lock = Lock::take(folder);
    Journal journal = Journal::open(journal_path);
    if (journal.opened_lines().empty())
        throw JournalError(journal_path.string() + ": has no whole line, so there is no run to go on with; start a new one");
    make_evidence_folder(folder);
    Record record(folder, std::move(lock), std::move(journal), size_cap);
    if (const auto& torn = record.torn()) record.append({{"event", "torn"}, {"file", torn->file}, {"bytes", torn->bytes}});
    if (folder.parent_path().filename() == "records") set_last(folder.parent_path().parent_path(), record.id());
    return record;
}

json Record::append(const json& event) {
    json line = journal_.append(event);
    note_attempt(line);
    return line;
}

void Record::note_attempt(const json& line) {
    const auto checkpoint = line.find("checkpoint"), attempt = line.find("attempt");
    if (checkpoint == line.end() || attempt == line.end() || !checkpoint->is_string() || !attempt->is_number_integer()) return;
    int& highest = attempts_[checkpoint->get<std::string>()];
    highest = std::max(highest, attempt->get<int>());
}

int Record::next_attempt(const std::string& checkpoint) const {
    const auto noted = attempts_.find(checkpoint);
    return 1 + std::max(noted == attempts_.end() ? 0 : noted->second, evidence_.highest_attempt(checkpoint));
}

StoredEvidence Record::store(const EvidencePlace& place, std::string_view name, std::string_view text) {
    if (text.size() > size_cap_ || bytes() > size_cap_ - text.size())
        throw RecordFull(fmt::format("{}: evidence of {} bytes was not kept: the record holds {} of the {} bytes it may hold",
                                     folder_.string(), text.size(), bytes(), size_cap_));
    StoredEvidence stored = evidence_.store(place, name, text);
    evidence_bytes_ += stored.bytes;
    return stored;
}

json to_json(const StoredEvidence& evidence) {
    return {{"name", evidence.name}, {"path", evidence.path}, {"sha256", evidence.sha256}, {"bytes", evidence.bytes}};
}

}  // namespace diag::record
