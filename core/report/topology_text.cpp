// topology_text(): for a person.
#include <algorithm>

#include <fmt/format.h>

#include "base/utf8.hpp"
#include "report/layout.hpp"
#include "report/topology.hpp"

namespace diag::report {
namespace {

using base::printable;
using Rows = std::vector<std::vector<std::string>>;

std::string or_dash(std::string_view text) { return text.empty() ? "-" : printable(text); }

// Columns as wide as their widest cell.
std::string aligned(const Rows& rows, std::string_view indent) {
    std::vector<std::size_t> widths;
    for (const auto& row : rows)
        for (std::size_t i = 0; i < row.size(); ++i) {
            if (widths.size() <= i) widths.push_back(0);
            widths[i] = std::max(widths[i], base::columns(row[i]));
        }
    std::string text;
    for (const auto& row : rows) {
        text += indent;
        for (std::size_t i = 0; i + 1 < row.size(); ++i) text += padded(row[i], widths[i]) + "  ";
        text += row.back() + "\n";
    }
    return text;
}

std::string described(const host::Thing& thing) {
    std::string text;
    for (const auto& p : thing.properties)
        if (!p.text.empty()) text += (text.empty() ? "" : ", ") + printable(p.name) + " " + printable(p.text);
    return text.empty() ? "seen" : text;
}

std::string sight(const EndSight& at) {
    switch (at.sight) {
        case Sight::seen:
            return described(*at.thing);
        case Sight::not_seen:
            return "NOT SEEN: " + printable(at.why);
        case Sight::unknown:
            break;
    }
    return "unknown: " + printable(at.why);
}

std::string machines(const Topology& topology) {
    Rows rows = {{"MACHINE", "NAME", "ROLES"}};
    for (const auto& machine : topology.machines) {
        const std::string roles = fmt::format("{}", fmt::join(machine.roles, ", "));
        rows.push_back(
            {printable(machine.key), or_dash(machine.name), or_dash(roles) + (machine.key == topology.machine ? "  (this machine)" : "")});
    }
    return "\n" + aligned(rows, "");
}

std::string links(const Topology& topology) {
    std::string text;
    for (const auto& link : topology.links) {
        text += fmt::format("\nlink {}{}\n", printable(link.id), link.management ? ", for management" : "");
        Rows rows;
        for (const auto& end : link.ends)
            rows.push_back(
                {printable(end.machine), or_dash(end.interface), or_dash(end.address), or_dash(end.name), sight(look_at(topology, end))});
        text += aligned(rows, "   ");
    }
    return text;
}

// Interfaces of this machine that no link of the site file names.
std::string unplanned(const Topology& topology) {
    Rows rows;
    for (const auto* thing : topology.seen.of_kind("interface")) {
        const bool planned = std::any_of(topology.links.begin(), topology.links.end(), [&](const auto& link) {
            return std::any_of(link.ends.begin(), link.ends.end(),
                               [&](const auto& end) { return end.machine == topology.machine && end.interface == thing->name; });
        });
        if (!planned) rows.push_back({printable(thing->name), described(*thing)});
    }
    return rows.empty() ? "" : "\nin no link\n" + aligned(rows, "   ");
}

}  // namespace

std::string topology_text(const Topology& topology, const TextStyle& style) {
    std::string text = printable(topology.machine);
    for (const auto& part : {topology.on.system, std::string(topology.lab ? "LAB (not a real network)" : ""),
                             topology.root.empty() ? "" : "CAPTURED TREE " + topology.root})
        if (!part.empty()) text += std::string(dot(style)) + printable(part);
    text += "\n";
    if (topology.site_file.empty())
        text += "no site file: only what this machine shows (diag init writes a first one)\n";
    else
        text += "planned in " + printable(topology.site_file) + "\n" + machines(topology) + links(topology);
    text += unplanned(topology);
    for (const auto& b : topology.seen.blind)
        text += "\n" + wrapped("could not look: ", fmt::format("{}: {} [{}]", b.plugin, b.reason, b.cause), style);
    return text;
}

}  // namespace diag::report
