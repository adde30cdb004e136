#include "record/evidence.hpp"

#include <algorithm>
#include <charconv>
#include <stdexcept>
#include <system_error>

#include <fmt/format.h>

#include "base/sha256.hpp"
#include "record/files.hpp"

namespace diag::record {
namespace fs = std::filesystem;
namespace {

bool plain(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '.' || c == '_'; }

// "name", "name-2", "name-3", ...
std::string numbered(const std::string& name, int n) { return n == 1 ? name : fmt::format("{}-{}", name, n); }

int attempt_of(const std::string& name) {
    int attempt = 0;
    const auto [end, error] = std::from_chars(name.data(), name.data() + name.size(), attempt);
    return error == std::errc{} && end == name.data() + name.size() ? attempt : 0;
}

}  // namespace

std::string slug(std::string_view text, std::size_t limit) {
    std::string name;
    for (const char c : text) {
        if (name.size() == limit) break;
        if (plain(c) && !(name.empty() && c == '.'))
            name += c;
        else if (!name.empty() && name.back() != '-')
            name += '-';
    }
    if (!name.empty() && name.back() == '-') name.pop_back();
    return name.empty() ? "unnamed" : name;
}

EvidenceStore::EvidenceStore(const fs::path& folder)
    : folder_(folder), evidence_(enter_folder(open_folder(folder).get(), "evidence", folder / "evidence")) {}

base::Fd EvidenceStore::attempt_folder(const EvidencePlace& place, std::string& path) {
    if (place.attempt < 1) throw std::logic_error("attempts count from 1");
    const std::string checkpoint = slug(place.checkpoint), attempt = std::to_string(place.attempt);
    path = "evidence/" + checkpoint;
    auto above = make_folder(evidence_.get(), checkpoint, folder_ / path);
    if (!above) above = enter_folder(evidence_.get(), checkpoint, folder_ / path);
    path += "/" + attempt;
    const bool ours = made_.contains({place.checkpoint, place.attempt});
    if (ours) return enter_folder(above->get(), attempt, folder_ / path);
    auto made = make_folder(above->get(), attempt, folder_ / path);
    if (!made)
        throw RecordError(
            fmt::format("{}: holds the evidence of another attempt, which is never written to again; take a new attempt number",
                        (folder_ / path).string()));
    made_.insert({place.checkpoint, place.attempt});
    return std::move(*made);
}

base::Fd EvidenceStore::row_folder(const EvidencePlace& place, std::string& path) {
    base::Fd attempt = attempt_folder(place, path);
    if (place.row.empty()) return attempt;
    std::string& known = slugs_[path + "/" + place.row];
    if (!known.empty()) {
        path += "/" + known;
        return enter_folder(attempt.get(), known, folder_ / path);
    }
    for (int n = 1;; ++n) {
        const std::string name = numbered(slug(place.row), n);
        auto made = make_folder(attempt.get(), name, folder_ / path / name);
        if (!made) continue;
        known = name;
        path += "/" + name;
        return std::move(*made);
    }
}

StoredEvidence EvidenceStore::store(const EvidencePlace& place, std::string_view name, std::string_view text) {
    std::string path;
    const base::Fd row = row_folder(place, path);
    const std::string base_name = slug(place.check) + "-" + slug(name);
    for (int n = 1;; ++n) {
        const std::string file = numbered(base_name, n) + ".txt";
        const std::string whole = fmt::format("{}/{}", path, file);
        if (write_new(row.get(), file, text, folder_ / whole)) return {std::string(name), whole, base::sha256(text), text.size()};
    }
}

int EvidenceStore::highest_attempt(const std::string& checkpoint) const {
    const fs::path folder = folder_ / "evidence" / slug(checkpoint);
    std::error_code error;
    int highest = 0;
    for (fs::directory_iterator it(folder, error), end; !error && it != end; it.increment(error))
        highest = std::max(highest, attempt_of(it->path().filename().string()));
    if (error && error != std::errc::no_such_file_or_directory) throw RecordError(sentence(folder, "cannot be listed", error.value()));
    return highest;
}

}  // namespace diag::record
