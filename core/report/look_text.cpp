#include "report/look_text.hpp"

#include <algorithm>
#include <cctype>

#include <fmt/format.h>

#include "base/utf8.hpp"
#include "report/layout.hpp"

namespace diag::report {
namespace {

using base::printable;
using host::Thing;

std::string upper(std::string text) {
    std::transform(text.begin(), text.end(), text.begin(), [](unsigned char c) { return static_cast<char>(std::toupper(c)); });
    return text;
}

void mention(std::vector<std::string>& names, const std::string& name) {
    if (std::find(names.begin(), names.end(), name) == names.end()) names.push_back(name);
}

// Every property once; one that an earlier thing lacks stands before what comes behind it here, else at the end.
std::vector<std::string> columns_of(const std::vector<const Thing*>& things) {
    std::vector<std::string> columns;
    for (const Thing* thing : things) {
        auto before = columns.end();
        for (auto p = thing->properties.rbegin(); p != thing->properties.rend(); ++p) {
            const auto known = std::find(columns.begin(), columns.end(), p->name);
            before = known != columns.end() ? known : columns.insert(before, p->name);
        }
    }
    return columns;
}

// One kind of thing as a table; what a thing does not have is "-".
std::string table(const std::vector<const Thing*>& things) {
    const std::vector<std::string> columns = columns_of(things);
    std::vector<std::vector<std::string>> lines(1, {upper(printable(things.front()->kind))});
    for (const auto& column : columns) lines[0].push_back(upper(printable(column)));
    for (const Thing* thing : things) {
        std::vector<std::string> line{printable(thing->name)};
        for (const auto& column : columns) {
            const auto* p = thing->property(column);
            line.push_back(p != nullptr && !p->text.empty() ? printable(p->text) : "-");
        }
        lines.push_back(std::move(line));
    }
    std::string text;
    for (const auto& line : lines) {
        for (std::size_t i = 0; i + 1 < line.size(); ++i) {
            std::size_t width = 0;
            for (const auto& other : lines) width = std::max(width, other[i].size());
            text += padded(line[i], width) + "  ";
        }
        text += line.back() + "\n";
    }
    return text;
}

std::string of_machine(const host::Seen& seen, const TextStyle& style) {
    std::string text;
    for (const Thing* machine : seen.of_kind("machine"))
        for (const auto& p : machine->properties) text += wrapped(fmt::format("{:<12} ", printable(p.name)), p.text, style);
    return text;
}

std::string tables(const host::Seen& seen) {
    std::vector<std::string> kinds;
    for (const auto& thing : seen.things)
        if (thing.kind != "machine") mention(kinds, thing.kind);
    std::string text;
    for (const auto& kind : kinds) text += "\n" + table(seen.of_kind(kind));
    return text;
}

std::string wrong(const host::Seen& seen, const TextStyle& style) {
    if (seen.things.empty() && seen.wrong.empty() && seen.blind.empty()) return "\nno plugin looked: none that is loaded offers a look\n";
    if (seen.wrong.empty()) return seen.blind.empty() ? "\nnothing looks wrong\n" : "";
    const std::size_t count = seen.wrong.size();
    std::string text = fmt::format("\n{} thing{} wrong\n", count, count == 1 ? " looks" : "s look");
    for (const auto& w : seen.wrong) {
        text += wrapped(fmt::format("   {:<10}", "cause"), w.cause + ": " + w.reason, style);
        text += wrapped(fmt::format("   {:<10}", "who"), w.mover, style);
        text += wrapped(fmt::format("   {:<10}", "next"), w.next, style);
    }
    return text + wrapped("   ", "diag explain CAUSE says more.", style);
}

std::string blind(const host::Seen& seen, const TextStyle& style) {
    std::string text;
    for (const auto& b : seen.blind) {
        text += "\n" + wrapped("could not look: ", fmt::format("{}: {} [{}]", b.plugin, b.reason, b.cause), style);
        if (!b.next.empty()) text += wrapped(fmt::format("   {:<10}", "next"), b.next, style);
    }
    return text;
}

}  // namespace

std::string look_text(const MachineName& machine, const host::Seen& seen, const TextStyle& style) {
    std::string head;
    for (const auto& part : {machine.host, machine.system, machine.kernel.empty() ? "" : "kernel " + machine.kernel, machine.arch,
                             std::string(machine.lab ? "LAB (not a real network)" : "")})
        if (!part.empty()) head += (head.empty() ? "" : std::string(dot(style))) + printable(part);
    const std::string text = head + "\n" + of_machine(seen, style) + tables(seen) + wrong(seen, style) + blind(seen, style);
    return text.substr(std::min(text.size(), text.find_first_not_of('\n')));  // a captured tree may not say whose it is
}

json look_document(const MachineName& machine, const host::Seen& seen) {
    json doc = {{"host", machine.host}, {"system", machine.system}, {"kernel", machine.kernel}, {"arch", machine.arch},
                {"lab", machine.lab},   {"things", json::array()},  {"wrong", json::array()},   {"blind", json::array()}};
    for (const auto& thing : seen.things) {
        json properties = json::object();
        for (const auto& p : thing.properties) properties[p.name] = p.value;
        doc["things"].push_back({{"kind", thing.kind}, {"name", thing.name}, {"properties", properties}});
    }
    for (const auto& w : seen.wrong)
        doc["wrong"].push_back(
            {{"plugin", w.plugin}, {"cause", w.cause}, {"mover", w.mover}, {"meaning", w.meaning}, {"reason", w.reason}, {"next", w.next}});
    for (const auto& b : seen.blind)
        doc["blind"].push_back({{"plugin", b.plugin}, {"cause", b.cause}, {"reason", b.reason}, {"next", b.next}});
    return doc;
}

}  // namespace diag::report
