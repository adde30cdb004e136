// diag topology: what is known of the machines and their links, on stdout and, with --labbook, as a line of a notebook.
#include <algorithm>
#include <ctime>
#include <iostream>

#include <fmt/chrono.h>

#include "base/utf8.hpp"
#include "cli/labbook.hpp"
#include "cli/machine_name.hpp"
#include "cli/session.hpp"
#include "cli/sheet.hpp"
#include "cli/show.hpp"
#include "record/error.hpp"
#include "record/records.hpp"
#include "report/topology.hpp"

namespace diag::cli {
namespace {

constexpr std::size_t most_records = 20;  // a link that was not measured in as many runs counts as not measured

void take_site(report::Topology& topology, const runbook::Site& site) {
    topology.site_file = site.file;
    topology.site = to_json(site.root);
    topology.links = sheet_links(site);
    for (const auto& machine : site.machines) topology.machines.push_back({machine.key, machine.name, machine.roles});
}

// The newest verdict of each check stands; a skip measured nothing.
void take_verdicts(report::Topology& topology, const report::RunView& view) {
    for (const auto& checkpoint : view.checkpoints)
        for (const auto& row : checkpoint.rows)
            for (const auto& check : row.checks) {
                if (!check.outcome || check.verdict.value("measurements", json::array()).empty()) continue;
                auto& known = topology.measured[row.row];
                const bool newer =
                    std::any_of(known.begin(), known.end(), [&](const auto& v) { return v.value("check", "") == check.check; });
                if (!newer) known.push_back(check.verdict);
            }
}

// Of this machine, of the same network (the lab or a real one), live.
void take_records(report::Topology& topology, const std::filesystem::path& state) {
    auto records = record::list_records(state);
    if (records.size() > most_records) records.resize(most_records);
    for (const auto& summary : records) {
        try {
            const auto view = view_of(summary.folder, record::read_journal(summary.folder / "journal.jsonl").lines);
            if (view.machine == topology.machine && view.lab == topology.lab && view.root == topology.root) take_verdicts(topology, view);
        } catch (const record::JournalError& e) {
            std::cerr << fmt::format("record {} is passed over: {}\n", base::printable(summary.id), base::printable(e.what()));
        }
    }
}

report::Topology find_topology(const Common& common) {
    report::Topology topology;
    const auto site = load_site(common);
    topology.on = machine_name(common.root);
    topology.root = common.root;
    topology.lab = in_lab(site);
    topology.machine = this_machine(site, common);
    if (topology.machine.empty()) topology.machine = topology.on.host;
    if (site) take_site(topology, *site);
    Session session = open_session(common);
    host::RunOptions options;
    options.timeout = 1;  // of slack; a look is quick, or it is told as blind
    options.root = common.root;
    topology.seen = host::look(*session.worker, session.catalogue, options);
    take_records(topology, common.state_dir());
    return topology;
}

}  // namespace

int topology_command(const Arguments& arguments) {
    CommandLine line(command_named("topology"), Takes::site | Takes::machine | Takes::state | Takes::plugins | Takes::root | Takes::format);
    std::string labbook, note;
    line.add_options()("labbook", po::value(&labbook)->value_name("FILE"), "appends it to this notebook, as one JSON line")(
        "note", po::value(&note)->value_name("TEXT"), "a few words of yours that go with the line");
    if (!line.parse(arguments)) return 0;
    require_labbook(labbook);
    const auto topology = find_topology(line.common);
    const std::string now = fmt::format("{:%Y-%m-%dT%H:%M:%S}", fmt::gmtime(std::time(nullptr)));
    const json record = report::topology_record(topology, labbook_table().value("topology", json::object()), now, note);
    if (line.common.format == "json")
        std::cout << record.dump(2, ' ', false, json::error_handler_t::replace) << "\n";
    else
        std::cout << report::topology_text(topology, line.common.style());
    append_to_labbook(labbook, {record});
    return topology.seen.blind.empty() ? 0 : 3;  // it only shows; but what could not be looked at was not shown
}

}  // namespace diag::cli
