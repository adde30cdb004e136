// diag show, list, verify, prune: looking at records, and removing old ones.
#include <algorithm>
#include <iostream>
#include <optional>

#include <fmt/format.h>

#include <diag/units.hpp>

#include "base/utf8.hpp"
#include "cli/paths.hpp"
#include "cli/sheet.hpp"
#include "cli/show.hpp"
#include "record/lock.hpp"
#include "record/records.hpp"
#include "record/verify.hpp"
#include "report/junit.hpp"
#include "report/layout.hpp"
#include "report/text.hpp"

namespace diag::cli {
namespace {

using base::printable;
using json = nlohmann::json;

void warn_unless_whole(const record::JournalView& journal) {
    if (journal.state == record::JournalState::torn)
        std::cerr << fmt::format("the journal ends in {} bytes that are no line (line {}): {}\n", journal.torn_bytes, journal.bad_line,
                                 printable(journal.problem));
    if (journal.state == record::JournalState::damaged)
        std::cerr << fmt::format("the journal is DAMAGED at line {}: {}; only what stands before it is shown\n", journal.bad_line,
                                 printable(journal.problem));
}

std::string text_of(const json& event, const char* key) {
    return event.is_object() && event.contains(key) && event[key].is_string() ? event[key].get<std::string>() : "";
}

bool was_judged(const report::RunView& view) {
    return std::ranges::any_of(view.checkpoints, [](const auto& checkpoint) { return checkpoint.outcome.has_value(); });
}

std::size_t warnings(const report::RunView& view) {
    std::size_t count = 0;
    for (const auto& checkpoint : view.checkpoints)
        for (const auto& row : checkpoint.rows)
            count += static_cast<std::size_t>(std::ranges::count(row.checks, host::Outcome::warn, &report::CheckView::outcome));
    return count;
}

// The state, and what the word `passed` would hide.
std::string state_text(const report::RunView& view) {
    if (view.state != "passed") return view.state;
    if (view.worst() == host::Outcome::skip) return "passed, all skipped";
    return warnings(view) == 0 ? view.state : view.state + ", " + report::counted(warnings(view), "warning");
}

json summary_document(const record::RecordSummary& s, const report::RunView& view) {
    return {{"record", s.id},
            {"folder", s.folder.string()},
            {"runbook", view.runbook},
            {"machine", view.machine},
            {"lab", view.lab},
            {"state", view.state},
            {"worst", was_judged(view) ? json(to_text(view.worst())) : json(nullptr)},
            {"started", text_of(s.first, "time")},
            {"bytes", s.bytes},
            {"problem", s.problem.empty() ? json(nullptr) : json(s.problem)}};
}

// Why nothing can be gone on with from this journal, as a sentence; "" where it can: a torn end is cut.
std::string damage_of(const record::JournalView& journal) {
    if (journal.state == record::JournalState::damaged) return fmt::format("line {} of the journal {}", journal.bad_line, journal.problem);
    return journal.lines.empty() ? "the journal holds no whole line" : "";
}

struct DamagedRun {
    const report::RunView& view;
    const std::filesystem::path& folder;
    std::string damage;
};

std::string damaged_text(const DamagedRun& run, const report::TextStyle& style) {
    std::string text = report::header(run.view, style);
    for (const auto& checkpoint : run.view.checkpoints) {
        if (!checkpoint.outcome) continue;
        text += report::checkpoint_text(checkpoint, style);
        for (const auto& row : checkpoint.rows)
            if (checkpoint.stopped() && row.outcome() == checkpoint.outcome)
                text += report::explanation(*row.decisive(), run.view.machine, style);
    }
    return text + fmt::format("\ndamaged: {}; only what stands before that is shown\nThen: diag verify {}\n", printable(run.damage),
                              run.folder.string());
}

// As print_run(), but that nobody takes it for a run that goes on.
void print_damaged(const DamagedRun& run, const Common& common) {
    if (common.format == "text") {
        std::cout << damaged_text(run, common.style());
    } else if (common.format == "json") {
        json document = report::document(run.view, common.fail_level());
        document["state"] = "damaged";
        document["problem"] = run.damage;
        std::cout << document.dump(2, ' ', false, json::error_handler_t::replace) << "\n";
    } else {
        print_run(run.view, run.folder, common);
    }
}

}  // namespace

report::RunView view_of(const std::filesystem::path& folder, const std::vector<json>& lines) {
    report::RunView view;
    for (const auto& event : lines) report::apply(view, event);
    view.record = folder.filename();
    if (view.state != "running") return view;
    const auto holder = record::Lock::holder(folder);
    // Nobody holds it and nothing says how it ended: it was killed, or the machine was.
    if (!holder) view.state = "interrupted";
    view.process = holder.value_or(0);
    return view;
}

void print_run(const report::RunView& view, const std::filesystem::path& folder, const Common& common) {
    if (common.format == "json")
        std::cout << report::document(view, common.fail_level()).dump(2, ' ', false, json::error_handler_t::replace) << "\n";
    else if (common.format == "junit")
        std::cout << report::junit(view);
    else if (common.format != "text")
        print_sheet(view, common);
    else
        std::cout << report::whole(view, common.style()) << "   kept in " << folder.string() << "\n";
}

int show_command(const Arguments& arguments) {
    CommandLine line(command_named("show"), Takes::state | Takes::judging | Takes::report);
    line.positional(0, 1);
    if (!line.parse(arguments)) return 0;
    const auto folder = record::find_record(line.common.state_dir(), line.words.empty() ? "" : line.words[0]);
    const auto journal = record::read_journal(folder / "journal.jsonl");
    warn_unless_whole(journal);
    auto view = view_of(folder, journal.lines);
    const std::string damage = view.state == "running" ? "" : damage_of(journal);
    if (damage.empty()) {
        print_run(view, folder, line.common);
    } else {
        view.state = "interrupted";  // for the exit status that is told: what is not known has not passed
        print_damaged({view, folder, damage}, line.common);
    }
    return 0;
}

int list_command(const Arguments& arguments) {
    CommandLine line(command_named("list"), Takes::state | Takes::format);
    if (!line.parse(arguments)) return 0;
    const auto records = record::list_records(line.common.state_dir());
    json all = json::array();
    for (const auto& s : records) {
        report::RunView view;
        std::string problem = s.problem;
        try {
            const auto journal = record::read_journal(s.folder / "journal.jsonl");
            view = view_of(s.folder, journal.lines);
            if (view.state != "running" && !damage_of(journal).empty()) view.state = "damaged";
        } catch (const record::JournalError& e) {  // listed all the same, with what is wrong
            view.state = "unknown";
            if (problem.empty()) problem = e.what();
        }
        if (line.common.format == "json")
            all.push_back(summary_document(s, view));
        else
            std::cout << fmt::format("{:<38} {:<20} {}{}{}\n", printable(s.id), state_text(view), printable(text_of(s.first, "time")),
                                     view.lab ? "  lab" : "", problem.empty() ? "" : "  " + printable(problem));
    }
    if (line.common.format == "json") std::cout << all.dump(2, ' ', false, json::error_handler_t::replace) << "\n";
    if (line.common.format == "text" && records.empty()) std::cout << "no records in " << line.common.state_dir().string() << "\n";
    return 0;
}

int verify_command(const Arguments& arguments) {
    CommandLine line(command_named("verify"), Takes::state | Takes::format);
    line.positional(0, 1);
    if (!line.parse(arguments)) return 0;
    const auto folder = record::find_record(line.common.state_dir(), line.words.empty() ? "" : line.words[0]);
    const auto verified = record::verify_record(folder);
    if (line.common.format == "json") {
        json findings = json::array();
        for (const auto& f : verified.findings)
            findings.push_back(
                {{"problem", to_text(f.problem)}, {"line", f.line}, {"path", f.path}, {"text", f.text}, {"damage", f.damage()}});
        std::cout << json{{"record", folder.filename()},
                          {"intact", verified.intact()},
                          {"lines", verified.lines},
                          {"evidence", verified.evidence_files},
                          {"findings", findings}}
                         .dump(2, ' ', false, json::error_handler_t::replace)
                  << "\n";
    } else {
        for (const auto& f : verified.findings) std::cout << (f.damage() ? "" : "note: ") << printable(f.text) << "\n";
        std::cout << fmt::format("{}: {} ({} lines, {} evidence files)\n", folder.filename().string(),
                                 verified.intact() ? "intact" : "DAMAGED", verified.lines, verified.evidence_files);
    }
    return verified.intact() ? 0 : 2;
}

int prune_command(const Arguments& arguments) {
    CommandLine line(command_named("prune"), Takes::state | Takes::format);
    record::PruneRule rule;
    std::optional<long> keep;
    std::string older;
    line.add_options()("keep", po::value<long>()->value_name("N")->notifier([&](long n) { keep = n; }),
                       "the newest N records stay in any case")("older", po::value(&older)->value_name("D"),
                                                                "of the others, only those last written longer ago than D (30d, 12h)")(
        "dry-run", po::bool_switch(&rule.dry_run), "tells what would go, and removes nothing");
    if (!line.parse(arguments)) return 0;
    if (!keep && older.empty()) throw UsageError("say what may go: --keep N, --older D, or both");
    if (keep.value_or(0) < 0) throw UsageError("--keep takes 0 or more, not " + std::to_string(*keep));
    rule.keep = static_cast<std::size_t>(keep.value_or(0));
    try {
        if (!older.empty()) rule.older_than_seconds = units::parse_duration(older);
    } catch (const BadValue& e) {
        throw UsageError(std::string("--older: ") + e.what());
    }
    const auto state = line.common.state_dir();
    const auto pruned = record::prune_records(rule.dry_run ? state : trusted_state(state), rule);
    if (line.common.format == "json") {
        std::cout << json{{"records", pruned.ids}, {"bytes", pruned.bytes}, {"dry_run", rule.dry_run}}.dump(2, ' ', false,
                                                                                                            json::error_handler_t::replace)
                  << "\n";
        return 0;
    }
    for (const auto& id : pruned.ids) std::cout << (rule.dry_run ? "would remove " : "removed ") << printable(id) << "\n";
    std::cout << fmt::format("{}, {} bytes\n", report::counted(pruned.ids.size(), "record"), pruned.bytes);
    return 0;
}

}  // namespace diag::cli
