#include "cli/labbook.hpp"

#include <fcntl.h>

#include <cstring>

#include <fmt/format.h>

#include "base/fd.hpp"
#include "base/file.hpp"
#include "base/utf8.hpp"
#include "cli/options.hpp"
#include "cli/paths.hpp"
#include "report/labbook.hpp"
#include "runbook/node.hpp"

namespace diag::cli {
namespace {

base::Fd open_labbook(const std::string& file) { return base::Fd(::open(file.c_str(), O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC, 0600)); }

json to_json(const runbook::Node& node) {
    if (!node.is_map()) return node.text;
    json map = json::object();
    for (const auto& [key, value] : node.map) map[key.text] = to_json(value);
    return map;
}

}  // namespace

void require_labbook(const std::string& file) {
    if (file.empty() || open_labbook(file)) return;
    throw UsageError(fmt::format("--labbook {}: {}", base::printable(file), std::strerror(errno)));
}

void write_labbook(const std::string& file, const report::RunView& view) {
    if (file.empty()) return;
    const auto table = prefix() / "share/diag/labbook.yaml";
    std::string text;
    for (const auto& line : report::labbook_lines(view, to_json(runbook::read_yaml(base::read_file(table), table.string()))))
        text += line.dump(-1, ' ', false, json::error_handler_t::replace) + "\n";
    const base::Fd fd = open_labbook(file);
    if (!fd) base::throw_errno(file);
    base::write_all(fd.get(), text, file);
}

}  // namespace diag::cli
