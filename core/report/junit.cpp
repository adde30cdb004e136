#include "report/junit.hpp"

#include <utility>
#include <vector>

#include <fmt/format.h>

#include <diag/units.hpp>

#include "base/utf8.hpp"
#include "report/layout.hpp"
#include "report/text.hpp"
#include "report/xml.hpp"

namespace diag::report {
namespace {

using host::Outcome;

struct Counts {
    std::size_t tests = 0, failures = 0, errors = 0, skipped = 0;
    double seconds = 0;
    void add(const Counts& other) {
        tests += other.tests;
        failures += other.failures;
        errors += other.errors;
        skipped += other.skipped;
        seconds += other.seconds;
    }
};

// A reader may print what it reads: nothing that moves a terminal gets in, also where XML would allow it.
std::string attribute(std::string_view name, std::string_view value) {
    return fmt::format(" {}=\"{}\"", name, xml_escaped(base::printable(value)));
}

std::string body(std::string_view name, std::string_view attributes, std::string_view text) {
    if (text.empty()) return fmt::format("      <{}{}/>\n", name, attributes);
    return fmt::format("      <{0}{1}>{2}</{0}>\n", name, attributes, xml_escaped(printable_lines(text)));
}

std::string attributes(const Counts& counts) {
    return fmt::format(" tests=\"{}\" failures=\"{}\" errors=\"{}\" skipped=\"{}\" time=\"{:.3f}\"", counts.tests, counts.failures,
                       counts.errors, counts.skipped, counts.seconds);
}

std::string message(const CheckView& check) {
    return attribute("message", check.text("reason")) + (check.text("cause").empty() ? "" : attribute("type", check.text("cause")));
}

// One suite as it grows.
class Suite {
  public:
    Suite(const RunView& view, const std::string& name)
        : view_(view), name_(name), class_name_((view.lab ? "lab." : "") + view.runbook + (name.empty() ? "" : "." + name)) {}

    void check(const RowView& row, const CheckView& check) {
        std::string name = check.id == check.check ? check.check : fmt::format("{} ({})", check.id, check.check);
        if (!row.row.empty()) name += " [" + row.row + "]";
        const auto seconds = check.verdict.find("seconds");
        const double took = seconds != check.verdict.end() && seconds->is_number() ? seconds->get<double>() : 0;
        counts_.seconds += took;
        add(name, fmt::format(" time=\"{:.3f}\"", took), outcome(check));
    }
    void skipped(const std::string& name, const std::string& why) {
        ++counts_.skipped;
        add(name, "", body("skipped", attribute("message", why), ""));
    }
    void error(const std::string& name, const std::string& why) { add(name, "", unfinished(why)); }

    bool empty() const { return counts_.tests == 0; }
    const Counts& counts() const { return counts_; }

    std::string text(const std::string& time) const {
        std::string open = attribute("name", name_.empty() ? view_.runbook : name_) + attributes(counts_);
        if (time.size() >= 19) open += attribute("timestamp", time.substr(0, 19));  // the form allows no zone; it is UTC
        const auto host = view_.run.find("host");
        if (host != view_.run.end() && host->is_string()) open += attribute("hostname", host->get<std::string>());
        return fmt::format("  <testsuite{}>\n{}{}  </testsuite>\n", open, properties(), cases_);
    }

  private:
    std::string properties() const {
        std::string text;
        const auto add = [&](std::string_view name, const std::string& value) {
            if (!value.empty()) text += fmt::format("      <property name=\"{}\"{}/>\n", name, attribute("value", value));
        };
        add("record", view_.record);
        add("machine", view_.machine);
        add("lab", view_.lab ? "true" : "false");
        add("state", view_.state);
        for (const auto& change : view_.changed) add("changed", change);
        return "    <properties>\n" + text + "    </properties>\n";
    }
    static std::string reuse(const CheckView& check) {
        if (!check.reused()) return "";
        return fmt::format("\nreused: measured {} ago", units::show_duration(check.verdict["reused"].value("age", 0.0)));
    }
    std::string unfinished(const std::string& why) {
        ++counts_.errors;
        return body("error", attribute("message", why), "");
    }
    std::string outcome(const CheckView& check) {
        const TextStyle plain{false, true, false, 120};
        if (!check.outcome) return unfinished("no verdict: the run is " + view_.state);
        switch (*check.outcome) {
            case Outcome::fail:
                ++counts_.failures;
                return body("failure", message(check), explanation(check, view_.machine, plain));
            case Outcome::not_run:
                ++counts_.errors;
                return body("error", message(check), explanation(check, view_.machine, plain));
            case Outcome::skip:
                ++counts_.skipped;
                return body("skipped", attribute("message", check.text("reason")), "");
            case Outcome::warn:
                return body("system-out", "", "WARNING" + explanation(check, view_.machine, plain));
            case Outcome::pass:
                break;
        }
        return body("system-out", "", check.text("reason") + reuse(check));
    }
    void add(const std::string& name, const std::string& time, const std::string& content) {
        ++counts_.tests;
        cases_ += fmt::format("    <testcase{}{}{}>\n{}    </testcase>\n", attribute("classname", class_name_), attribute("name", name),
                              time, content);
    }

    const RunView& view_;
    std::string name_, class_name_, cases_;
    Counts counts_;
};

std::string pause_text(const RunView& view) {
    std::string text = "paused: the owner has to move";
    for (const auto& step : view.owner_steps) text += "; " + step;
    return text + (view.reboot ? "; reboot this machine" : "");
}

Suite suite_of(const RunView& view, const CheckpointView& checkpoint) {
    Suite suite(view, checkpoint.id);
    const std::string name = checkpoint.title.empty() ? checkpoint.id : checkpoint.title;
    for (const auto& row : checkpoint.rows)
        for (const auto& check : row.checks) suite.check(row, check);
    if (view.state == "paused" && view.paused_at == checkpoint.id)
        suite.skipped(name, pause_text(view));
    else if (!checkpoint.reached())
        suite.skipped(name, "not reached");
    else if (suite.empty())
        suite.skipped(name, !checkpoint.no_rows.empty() ? checkpoint.no_rows : checkpoint.outcome ? "no rows" : "nothing was asked yet");
    return suite;
}

}  // namespace

std::string junit(const RunView& view) {
    std::vector<std::pair<Suite, std::string>> suites;
    for (const auto& checkpoint : view.checkpoints) suites.emplace_back(suite_of(view, checkpoint), checkpoint.time);
    if (view.state == "interrupted" || view.state == "running") {  // whatever passed until then, this is no green run
        suites.emplace_back(Suite(view, ""), "");
        suites.back().first.error("the run",
                                  view.signal == 0 ? "the run is " + view.state : fmt::format("interrupted by signal {}", view.signal));
    }
    Counts all;
    std::string text;
    for (const auto& [suite, time] : suites) {
        all.add(suite.counts());
        text += suite.text(time);
    }
    const std::string name = view.runbook + (view.lab ? " (LAB, not a real network)" : "");
    return fmt::format("<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites{}{}>\n{}</testsuites>\n", attribute("name", name),
                       attributes(all), text);
}

}  // namespace diag::report
