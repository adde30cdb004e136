#include "cli/resumption.hpp"

#include <fmt/format.h>

#include "base/file.hpp"
#include "base/sha256.hpp"
#include "base/utf8.hpp"
#include "cli/paths.hpp"
#include "record/earlier.hpp"
#include "record/stamp.hpp"

namespace diag::cli {
namespace {

constexpr std::size_t most_bytes = 1 << 20;  // a runbook or site file; the reader bounds it again

json last_identity(const std::vector<json>& lines) {
    json found;
    for (const auto& line : lines)
        if (const std::string event = line.value("event", ""); event == "run" || event == "resume") found = line;
    if (!found.is_object() || !found.value("runbook", json()).contains("text"))
        throw UsageError("this record is not of a runbook, so there is nothing to resume; diag show shows it");
    return found;
}

std::map<std::string, std::string> digests(const json& plugins) {
    std::map<std::string, std::string> all;
    for (const auto& plugin : plugins) all[plugin.value("name", "")] = plugin.value("sha256", "").substr(0, 12);
    return all;
}

}  // namespace

void take_up(const std::vector<json>& lines, Common& common) {
    const json before = last_identity(lines);
    const std::string root = before.value("root", "");
    const std::string given = common.root.empty() ? root : std::filesystem::absolute(common.root).lexically_normal().string();
    if (given != root)
        throw UsageError(root.empty()
                             ? "this record is of the machine itself, not of a captured tree; leave --root out"
                             : "this record is of the captured tree " + base::printable(root) + ", not of " + base::printable(given));
    if (!root.empty() && !std::filesystem::is_directory(root))
        throw UsageError("this record is of the captured tree " + base::printable(root) + ", which is not there any more");
    common.root = root;
    if (common.plugins.empty()) common.plugins = before.value("plugin_folders", common.plugins);
}

std::string Resumption::text_of(const char* what, const json& recorded) {
    const std::string path = recorded.at("path");
    if (!std::filesystem::exists(path)) {
        changed_.push_back(fmt::format("the {} {} is not there any more; the record's copy of it is used", what, path));
        return recorded.at("text");
    }
    std::string text = base::read_file(trusted(path), most_bytes);
    if (base::sha256(text) != recorded.value("sha256", "")) changed_.push_back(fmt::format("the {} {} has changed", what, path));
    return text;
}

void Resumption::read_site(const Common& common) {
    if (!common.site.empty()) {
        site_ = load_site(common);
        if (before_["site"].is_null() || before_["site"].value("sha256", "") != base::sha256(site_->text))
            changed_.push_back("the site file given now is another one than the run's: " + site_->file);
        return;
    }
    if (before_["site"].is_null()) return;
    const std::string text = text_of("site file", before_["site"]);
    site_ = runbook::parse_site(text, before_["site"].at("path"));
}

Resumption::Resumption(const std::vector<json>& lines, const Common& common) : before_(last_identity(lines)), last_line_(lines.back()) {
    settings_ = before_.value("settings", settings_);
    only_ = before_.value("only", only_);
    const std::string text = text_of("runbook", before_["runbook"]);
    runbook_ = runbook::parse_runbook(text, before_["runbook"].at("path"));
    read_site(common);
    const std::string recorded = before_.value("machine", "");
    const bool same_host = common.machine_name().empty() && before_.value("host", "") == host_name();
    machine_ = same_host ? recorded : this_machine(site_, common);
    if (machine_ != recorded)
        throw UsageError(fmt::format("this record is of '{}', and this machine is '{}'; resume it there (or say --machine)",
                                     base::printable(recorded), base::printable(machine_)));
    if (before_.value("lab", false) != in_lab(site_))
        throw UsageError(before_.value("lab", false)
                             ? "this record is of a run in the lab; resume it there: diag lab exec NODE -- diag resume"
                             : "this record is of a run outside of the lab, and this is the lab");
}

runbook::Plan Resumption::plan(const host::Catalogue& catalogue) const {
    return runbook::make_plan({*runbook_, site_ ? &*site_ : nullptr, catalogue, machine_, settings_});
}

json Resumption::event(const runbook::Plan& plan, const host::Catalogue& catalogue, const Common& common) const {
    json now = identity({*runbook_, site_, plan, catalogue, settings_, only_, common});
    std::vector<std::string> changed = changed_;
    const auto compare = [&](const json& before, const json& after) {
        for (auto& difference : record::differences(before, after)) changed.push_back(std::move(difference));
    };
    compare(digests(before_.value("plugins", json::array())), digests(now["plugins"]));
    for (const char* key : {"diag", "host", "kernel"}) compare({{key, before_.value(key, json())}}, {{key, now[key]}});
    const std::string boot = last_line_.value("boot", "unknown");
    if (boot != "unknown" && record::boot_identity() != "unknown" && boot != record::boot_identity())
        changed.push_back("this machine has booted since");
    now["event"] = "resume";
    now["changed"] = changed;
    return now;
}

}  // namespace diag::cli
