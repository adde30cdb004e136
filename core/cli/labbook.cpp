#include "cli/labbook.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

#include <fmt/format.h>

#include "base/fd.hpp"
#include "base/file.hpp"
#include "base/utf8.hpp"
#include "cli/options.hpp"
#include "cli/paths.hpp"
#include "report/labbook.hpp"

namespace diag::cli {
namespace {

using report::json;

base::Fd open_labbook(const std::string& file) { return base::Fd(::open(file.c_str(), O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC, 0600)); }

// An editor, or a disk that was full, may have left a last line without an end.
bool ends_in_a_line(const std::string& file) {
    struct stat found {};
    if (::stat(file.c_str(), &found) != 0 || !S_ISREG(found.st_mode) || found.st_size == 0) return true;
    const base::Fd fd(::open(file.c_str(), O_RDONLY | O_CLOEXEC));
    char last = '\n';  // where it may be written but not read, it is taken as it is
    if (fd && ::pread(fd.get(), &last, 1, found.st_size - 1) != 1) last = '\n';
    return last == '\n';
}

}  // namespace

void require_labbook(const std::string& file) {
    if (file.empty() || open_labbook(file)) return;
    throw UsageError(fmt::format("--labbook {}: {}", base::printable(file), std::strerror(errno)));
}

json to_json(const runbook::Node& node) {
    if (node.is_map()) {
        json map = json::object();
        for (const auto& [key, value] : node.map) map[key.text] = to_json(value);
        return map;
    }
    if (node.is_list()) {
        json list = json::array();
        for (const auto& item : node.list) list.push_back(to_json(item));
        return list;
    }
    return node.is_null() ? json() : json(node.text);
}

json labbook_table() {
    const auto table = prefix() / "share/diag/labbook.yaml";
    return to_json(runbook::read_yaml(base::read_file(table), table.string()));
}

void append_to_labbook(const std::string& file, const std::vector<json>& lines) {
    if (file.empty() || lines.empty()) return;
    std::string text = ends_in_a_line(file) ? "" : "\n";
    for (const auto& line : lines) text += report::labbook_text(line) + "\n";
    const base::Fd fd = open_labbook(file);
    if (!fd) base::throw_errno(file);
    base::write_all(fd.get(), text, file);
}

void write_labbook(const std::string& file, const report::RunView& view) {
    if (!file.empty()) append_to_labbook(file, report::labbook_lines(view, labbook_table()));
}

}  // namespace diag::cli
