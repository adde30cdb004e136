#include <unistd.h>

#include <algorithm>
#include <cstring>
#include <map>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "base/program.hpp"
#include "base/trust.hpp"
#include "base/utf8.hpp"
#include "exec.hpp"
#include "perfdata.hpp"
#include "probe/subprocess.hpp"

namespace diag::exec {
namespace {

enum Status { ok = 0, warning = 1, critical = 2, unknown = 3 };

std::string joined(const std::vector<std::string>& words) { return base::printable(fmt::format("{}", fmt::join(words, " "))); }

// As root only what nobody else could have written is run: a runbook's trust must not stop at the program that it names.
void insist_on_trust(const std::string& name) {
    if (::geteuid() != 0) return;
    const auto path = base::find_program(name);
    if (!path) return;  // said when it is run
    if (const auto reason = base::distrust(*path, 0))
        throw Unknown(fmt::format("{} is not run as root: {}", base::printable(*path), base::printable(*reason)));
}

probe::Finished run_program(const Context& c, const std::vector<std::string>& argv) {
    if (argv.empty() || argv[0].empty()) throw BadValue("parameter 'command': the program's name or path is expected");
    const bool relative = argv[0].find('/') != std::string::npos && !argv[0].starts_with('/');
    if (relative) throw BadValue("parameter 'command': a plain name, or an absolute path, is expected");
    insist_on_trust(argv[0]);
    const auto timeout = std::chrono::ceil<std::chrono::milliseconds>(c.duration("timeout"));
    try {
        return probe::run({.argv = argv, .timeout = timeout, .most_output = std::size_t{256} << 10, .environment = {}});
    } catch (const Absent& e) {
        throw Unknown(e.what());
    } catch (const Unreadable& e) {
        throw Unknown(e.what());
    }
}

// What was written, for the record.
void keep(Context& c, const probe::Finished& done) {
    const auto text = [&](const std::string& written) {
        bool replaced = false;
        std::string clean = base::clean_utf8(written, &replaced);
        if (replaced) clean += "\n(bytes that are no UTF-8 were replaced)\n";
        return clean;
    };
    if (!done.out.empty()) c.evidence("output", text(done.out));
    if (!done.err.empty()) c.evidence("errors", text(done.err));
    if (done.cut) c.evidence("cut", "it wrote more than 256 KiB; the rest was dropped\n");
}

// The range that belongs to the status: what was crossed, or what was kept to.
const std::optional<Range>& range_for(const Value& value, int status) {
    const bool by_critical = status == critical ? value.critical.has_value() : !value.warning;
    return by_critical ? value.critical : value.warning;
}

// Measurements with the limits that a minimum and a maximum can say; the rest, in sentences.
std::vector<std::string> measure(Context& c, const Perfdata& data, int status) {
    std::vector<std::string> said = data.problems;
    std::map<std::string, int> seen;
    for (const Value& value : data.values) {
        const int number = ++seen[value.label];
        const std::string name = number == 1 ? value.label : fmt::format("{} #{}", value.label, number);
        const auto& range = range_for(value, status);
        const auto limit = range ? range->limit() : std::nullopt;
        if (range && !limit) said.push_back(fmt::format("'{}' must not be in {}", name, range->written.substr(1)));
        c.measure(name, value.value, value.unit, limit.value_or(no_limit));
    }
    return said;
}

// Exit status 0 beside values that its own ranges call an alert.
std::string contradictions(const Perfdata& data) {
    std::string text;
    for (const Value& value : data.values)
        for (const auto& [range, word] : {std::pair(&value.critical, "critical"), std::pair(&value.warning, "warning")}) {
            if (!*range || !(*range)->alerts(value.value)) continue;
            text += fmt::format("{}'{}' is {}{}, and its {} range is {}", text.empty() ? "" : "; ", value.label, value.value,
                                value.unit.empty() ? "" : " " + value.unit, word, (*range)->written);
            break;
        }
    return text;
}

// What was written, without a last word that may lack its end.
std::string whole_words(const probe::Finished& done) {
    const auto last = done.out.find_last_of(" \t\n|");
    return !done.cut ? done.out : last == std::string::npos ? "" : done.out.substr(0, last + 1);
}

// The first of what is a person's to read; all of it is evidence.
std::string shortened(const std::string& text) {
    constexpr std::size_t most = 1000;
    if (text.size() <= most) return text;
    std::size_t end = most;
    while ((text[end] & 0xc0) == 0x80) --end;  // not in the middle of a character
    return fmt::format("{} ... ({} bytes in all, in the evidence)", text.substr(0, end), text.size());
}

std::string counted(std::size_t values) { return values == 0 ? "no values" : values == 1 ? "1 value" : fmt::format("{} values", values); }

std::string listed(const std::vector<std::string>& sentences) {
    constexpr std::size_t most = 5;
    const auto end = sentences.begin() + static_cast<std::ptrdiff_t>(std::min(most, sentences.size()));
    return fmt::format("{}{}", fmt::join(sentences.begin(), end, "; "),
                       sentences.size() > most ? fmt::format("; and {} more", sentences.size() - most) : "");
}

std::string first_line(const std::string& text) { return base::printable(text.substr(0, std::min(text.find('\n'), std::size_t{200}))); }

// An end that the rules do not know: no answer.
void insist_on_an_answer(const probe::Finished& done, const std::string& what, const std::string& text) {
    const std::string said = !text.empty() ? text : first_line(done.err);
    const std::string words = said.empty() ? "; it said nothing" : "; it said: " + said;
    if (done.timed_out) throw Unknown(fmt::format("{} did not end in time, and was killed{}", what, words));
    if (done.signal != 0)
        throw Unknown(fmt::format("{} was ended by signal {} ({}){}", what, done.signal, ::strsignal(done.signal), words));
    if (done.status == unknown) throw Unknown(fmt::format("{} says UNKNOWN (exit status 3){}", what, words));
    if (done.status > unknown)
        throw Unknown(fmt::format("{} ended with exit status {}, which the plugin rules do not know (0 to 3){}", what, done.status, words));
}

Verdict run(Context& c) {
    const auto argv = c.list("command");
    c.asked(joined(argv));
    const probe::Finished done = run_program(c, argv);
    const std::string what = base::printable(argv[0]);
    const Output output = split_output(whole_words(done));
    keep(c, done);
    std::string reason = shortened(base::printable(output.text));
    insist_on_an_answer(done, what, reason);
    const Perfdata data = parse_perfdata(output.perfdata);
    c.saw(fmt::format("exit status {}, {}", done.status, counted(data.values.size())));
    auto said = measure(c, data, done.status);
    if (done.cut) said.insert(said.begin(), "it wrote more than 256 KiB, and the rest was not read");
    if (reason.empty()) reason = fmt::format("{} gave no text, and exit status {}", what, done.status);
    if (!said.empty()) reason += fmt::format(" ({})", listed(said));
    if (done.status == critical) return fail("exec.critical", "{}", reason).with("program", argv[0]);
    if (done.status == warning) return warn("exec.warning", "{}", reason).with("program", argv[0]);
    if (const std::string against = contradictions(data); !against.empty())
        return warn("exec.contradiction", "{} says OK (exit status 0), and {}: {}", what, against, reason).with("program", argv[0]);
    return pass("{}", reason);
}

}  // namespace

void declare_run(Plugin& plugin) {
    plugin.check("run", "A program that follows the rules for Nagios plugins says that all is well", run)
        .param("command", type::list, "the program, by name or absolute path, and its arguments; no shell reads them")
        .param("timeout", type::duration, "after which it is killed, and has given no answer", "10s")
        .within(0.001, 86400)
        .cause("exec.critical", mover::owner, "The program says CRITICAL (exit status 2).", "read its text and {program} --help")
        .cause("exec.warning", mover::owner, "The program says WARNING (exit status 1).", "read its text and {program} --help")
        .cause("exec.contradiction", mover::software,
               "The program says OK (exit status 0), and one of the values that it prints lies outside the range that it prints beside it.",
               "correct the thresholds that {program} is given, or the program")
        .takes(5)
        .takes_per("timeout", 1);
}

}  // namespace diag::exec
