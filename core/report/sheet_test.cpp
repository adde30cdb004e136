#include "report/sheet.hpp"

#include "catch.hpp"
#include "report/safe_text.hpp"
#include "report/test_support.hpp"

namespace sheet_test {

using namespace diag;
using namespace diag::report;

namespace {

const std::vector<SheetLink> links = {
    {"direct", false, {{"node-a", "eth1", "node-a-direct", "10.10.0.11"}, {"node-b", "eth1", "node-b-direct", ""}}},
    {"house", true, {{"node-a", "eth0", "node-a", ""}, {"node-b", "", "node-b", ""}, {"node-c", "eth0", "", "10.0.0.13"}}}};

json measured(const std::string& name, double value, const std::string& unit, bool within = true) {
    return {{"name", name}, {"value", value}, {"unit", unit}, {"within", within}};
}

template <class... Ms>
json all(Ms... ms) {
    return json::array({std::move(ms)...});
}

// A run of one checkpoint with a column for each thing that the tests look at.
RunView run_of(const std::vector<json>& verdicts) {
    RunView view = run(verdicts, "pass", "passed");
    view.record = "bringup-1";
    view.columns = {{"site.probe", "Size", "measured.size"},
                    {"site.probe", "Rate", "measured.rate"},
                    {"site.probe", "Way", "fact.way"},
                    {"site.other", "Size", "measured.size"}};
    return view;
}

std::vector<std::string> fields(const Sheet& sheet) {
    std::vector<std::string> all;
    for (const auto& cell : sheet.rows.at(0).cells) all.push_back(cell.text);
    return all;
}

CellState state_of(const std::string& outcome, const json& measurements) {
    const auto sheet = make_sheet(run_of({verdict("direct: node-a -> node-b", outcome, {{"measurements", measurements}})}), links);
    return sheet.rows.at(0).cells.at(0).state;
}

}  // namespace

TEST_CASE("a directed link is a row: both ends, and what the checks measured, across checkpoints and checks") {
    const auto view = run_of({verdict("direct: node-a -> node-b", "pass",
                                      {{"measurements", all(measured("size", 9000, "bytes"), measured("rate", 3.9e9, "bit/s"))},
                                       {"facts", {{"way", "a cable"}}},
                                       {"time", "2026-11-30T06:15:00.123Z"}})});
    const auto sheet = make_sheet(view, links);
    REQUIRE(sheet.rows.size() == 1);
    CHECK(sheet.titles == std::vector<std::string>{"Size", "Rate", "Way"});
    CHECK(sheet.rows[0].here->machine == "node-a");
    CHECK(sheet.rows[0].there->machine == "node-b");
    CHECK(sheet.rows[0].time == "2026-11-30T06:15:00Z");
    CHECK(fields(sheet) == std::vector<std::string>{"9000 bytes", "3.9 Gbit/s", "a cable"});
    CHECK(sheet.unasked == 7);
}

TEST_CASE("not measured, skipped, failed, not run and zero are five different cells") {
    CHECK(state_of("pass", json::array()) == CellState::absent);
    CHECK(state_of("skip", json::array()) == CellState::skipped);
    CHECK(state_of("fail", json::array()) == CellState::failed);
    CHECK(state_of("not_run", json::array()) == CellState::not_run);
    CHECK(state_of("fail", all(measured("size", 0, "bytes"))) == CellState::value);
    const auto cells = [](const std::string& outcome, const json& m) {
        const auto view = run_of({verdict("direct: node-a -> node-b", outcome, {{"measurements", m}})});
        return sheet_csv(view, make_sheet(view, links));
    };
    CHECK_THAT(cells("pass", json::array()), ContainsSubstring("node-b-direct,,,,pass"));
    CHECK_THAT(cells("skip", json::array()), ContainsSubstring("node-b-direct,skipped,skipped,skipped,skip"));
    CHECK_THAT(cells("not_run", json::array()), ContainsSubstring("node-b-direct,\"not run\",\"not run\""));
    CHECK_THAT(cells("fail", all(measured("size", 0, "bytes"))), ContainsSubstring("node-b-direct,0,failed,failed,fail"));
}

TEST_CASE("two checks share a column by its title: a measured value comes first, different values stand side by side") {
    const auto other = [](const std::string& outcome, const json& m) {
        return verdict("direct: node-a -> node-b", outcome, {{"check", "site.other"}, {"id", "o"}, {"measurements", m}});
    };
    const auto first = [](const json& m) { return verdict("direct: node-a -> node-b", "pass", {{"measurements", m}}); };
    const auto size = [](const std::vector<json>& verdicts) { return make_sheet(run_of(verdicts), links).rows.at(0).cells.at(0); };
    CHECK(size({first(all(measured("size", 9000, "bytes"))), other("fail", all(measured("size", 1500, "bytes", false)))}).text ==
          "9000 bytes, 1500 bytes");
    CHECK(size({first(all(measured("size", 9000, "bytes"))), other("pass", all(measured("size", 9000, "bytes")))}).text == "9000 bytes");
    CHECK(size({other("skip", json::array()), first(all(measured("size", 9000, "bytes")))}).text == "9000 bytes");
    CHECK(size({first(json::array()), other("skip", json::array())}).state == CellState::skipped);
}

TEST_CASE("a text that stands for itself stands only where its check measured something") {
    auto view = run_of({verdict("direct: node-a -> node-b", "fail")});
    view.columns = {{"site.probe", "Transport", "TCP"}};
    CHECK(make_sheet(view, links).rows.at(0).cells.at(0).state == CellState::failed);
    auto measuring = run_of({verdict("direct: node-a -> node-b", "pass", {{"measurements", all(measured("size", 0, "bytes"))}})});
    measuring.columns = view.columns;
    CHECK(make_sheet(measuring, links).rows.at(0).cells.at(0).text == "TCP");
}

TEST_CASE("management and data networks stand in tables of their own, and the lab says that it is one") {
    auto view = run_of({verdict("direct: node-a -> node-b", "pass"), verdict("house: node-a -> node-c", "pass")});
    const auto sheet = make_sheet(view, links);
    const std::string text = sheet_markdown(view, sheet), csv = sheet_csv(view, sheet);
    const auto data = text.find("## Data networks"), management = text.find("## Management networks");
    REQUIRE(data != std::string::npos);
    REQUIRE(management != std::string::npos);
    CHECK(text.find("| direct |") > data);
    CHECK(text.find("| direct |") < management);
    CHECK(text.find("| house |") > management);
    CHECK_THAT(text, !ContainsSubstring("LAB"));
    CHECK_THAT(csv, ContainsSubstring("\r\nmanagement,house,node-a,eth0,node-c,eth0,10.0.0.13,"));
    CHECK_THAT(csv, ContainsSubstring("bringup-1,yes\r\n"));
    view.lab = true;
    CHECK_THAT(sheet_markdown(view, sheet), ContainsSubstring("LAB: not a real network"));
    CHECK_THAT(sheet_csv(view, sheet), ContainsSubstring("bringup-1,no\r\n"));
}

TEST_CASE("what a text from others could do to a table or a spreadsheet, it does not") {
    CHECK(markdown_text("a|b\nc`<i>\x1b[2J") == "a\\|b\\\\x0ac\\`&lt;i>\\\\x1b\\[2J");
    CHECK(csv_text("eth0") == "eth0");
    CHECK(csv_text("say \"a,b\"") == "\"say \"\"a,b\"\"\"");
    for (const char* formula : {"=1+1", "+1", "-1", "@SUM(A1)"}) CHECK(csv_text(formula).front() == '\'');
    CHECK(csv_text(" =1") == "\"' =1\"");
    CHECK(csv_text("node-a") == "node-a");
    CHECK(csv_text("a\r\n=1") == "a\\x0d\\x0a=1");
}

TEST_CASE("a number keeps its sign and goes without its unit where the whole column has one; else the unit stands with it") {
    const auto at = [](const std::string& row, double value, const std::string& unit) {
        return verdict(row, "pass", {{"measurements", all(measured("size", value, unit))}});
    };
    auto view = run_of({at("direct: node-a -> node-b", -3, "dB"), at("direct: node-b -> node-a", 2.5, "dB")});
    CHECK_THAT(sheet_csv(view, make_sheet(view, links)),
               ContainsSubstring("Size (dB)") && ContainsSubstring(",-3,") && ContainsSubstring(",2.5,"));
    view = run_of({at("direct: node-a -> node-b", 3, "dB"), at("direct: node-b -> node-a", 2, "m")});
    CHECK_THAT(sheet_csv(view, make_sheet(view, links)), ContainsSubstring("\"3 dB\"") && ContainsSubstring("\"2 m\""));
}

TEST_CASE("what the sheet leaves out it names: links that were not asked, rows about no link, checkpoints not reached, what is reused") {
    auto view = run_of(
        {verdict("node-b", "pass"), verdict("direct: node-a -> node-b", "pass", {{"reused", {{"time", "2026-11-29T10:00:00.000Z"}}}})});
    const std::string text = sheet_markdown(view, make_sheet(view, links));
    CHECK_THAT(text, ContainsSubstring("about no link: site.probe, node-b"));
    CHECK_THAT(text, ContainsSubstring("not reached: later"));
    CHECK_THAT(text, ContainsSubstring("7 directed links of the site file (direct: node-b -> node-a;"));
    CHECK_THAT(text, ContainsSubstring("reused: site.probe, direct: node-a -> node-b, measured 2026-11-29T10:00:00Z"));
    view.columns.reset();
    CHECK_THAT(sheet_markdown(view, make_sheet(view, links)), ContainsSubstring("does not say what its checks measure"));
    CHECK_THAT(sheet_markdown(view, make_sheet(view, {})), ContainsSubstring("Nothing in this run is about a link"));
}

TEST_CASE("a limit that was broken is marked, and a row that was cut off has no outcome") {
    auto view = run_of({verdict("direct: node-a -> node-b", "fail", {{"measurements", all(measured("size", 1500, "bytes", false))}})});
    CHECK_THAT(sheet_markdown(view, make_sheet(view, links)), ContainsSubstring("| 1500 bytes ! |"));
    apply(view,
          {{"event", "check"}, {"checkpoint", "frames"}, {"row", "direct: node-a -> node-b"}, {"check", "site.slow"}, {"id", "slow"}});
    CHECK(make_sheet(view, links).rows.at(0).outcome.empty());
    CHECK_THAT(sheet_markdown(view, make_sheet(view, links)), ContainsSubstring("| cut off |"));
}

TEST_CASE("the columns are the record's own; those of a resume replace those of the run") {
    RunView view;
    apply(view, {{"event", "run"}, {"runbook", {{"name", "b"}}}});
    CHECK_FALSE(view.columns);
    apply(view,
          {{"event", "resume"}, {"columns", {{{"check", "a.b"}, {"title", "T"}, {"from", "measured.x"}}}}, {"site", {{"text", "x"}}}});
    REQUIRE(view.columns);
    CHECK(view.columns->at(0).title == "T");
    CHECK(view.site["text"] == "x");
}

}  // namespace sheet_test
