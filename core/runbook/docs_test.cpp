// The examples of docs/runbook.md and docs/site-file.md are what people copy: they must work, together.
#include <fstream>
#include <iterator>
#include <regex>

#include "catch.hpp"
#include "runbook/expand.hpp"
#include "runbook/lint.hpp"

namespace docs_test {

using namespace diag::runbook;

namespace {

// A YAML block of a page, from 0.
std::string example(const std::string& page, int number = 0) {
    std::ifstream file(std::string(DIAG_SOURCE_DIR) + "/docs/" + page);
    REQUIRE(file);
    const std::string text{std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
    std::size_t start = text.find("```yaml\n");
    for (; number > 0 && start != std::string::npos; --number) start = text.find("```yaml\n", start + 8);
    REQUIRE(start != std::string::npos);
    return text.substr(start + 8, text.find("```\n", start + 8) - start - 8);
}

// Plugins that offer just what the runbook asks for: the page is tested, not the plugins.
diag::host::Catalogue all_that_is_asked_for(const Runbook& runbook) {
    diag::host::Catalogue catalogue;
    for (const auto& checkpoint : runbook.checkpoints)
        for (const auto& item : checkpoint.checks) {
            diag::host::CheckInfo info;
            info.plugin = item.name.substr(0, item.name.find('.'));
            info.name = item.name.substr(item.name.find('.') + 1);
            for (const auto& key : item.params.keys())
                info.params.push_back({key, diag::type::text, "", diag::host::WhenMissing::optional, nullptr});
            if (catalogue.check(item.name) != nullptr) continue;
            catalogue.plugins.push_back({info.plugin, "", "", "", {info}});
        }
    return catalogue;
}

}  // namespace

TEST_CASE("the examples in the documentation make a plan") {
    const Runbook runbook = parse_runbook(example("runbook.md"), "runbook.md");
    const Site site = parse_site(example("site-file.md"), "site-file.md");
    const auto catalogue = all_that_is_asked_for(runbook);
    const Plan plan = make_plan({runbook, &site, catalogue, this_machine(site, "", "node-a")});
    REQUIRE(plan.checkpoints.size() == 3);
    CHECK(plan.warnings.empty());
    CHECK(plan.checkpoints[0].rows.at(1).label == "house: node-a -> node-b");
    CHECK(plan.checkpoints[0].rows.at(0).checks.at(0).params["name"] == "node-b-direct.home.arpa");
    CHECK(plan.checkpoints[1].owner.at(0) == "Enable SR-IOV in the firmware setup of node-a.home.arpa.");
    CHECK(plan.checkpoints[2].rows.at(0).checks.at(0).params["mtu"] == "9000");
    CHECK(plan.checkpoints[2].rows.size() == 1);
    for (const auto& finding : lint({runbook}, &site, catalogue)) CHECK(finding.severity == Severity::warning);
}

TEST_CASE("the example of many machines is a site file, and the other example's runbook makes a plan with it") {
    const Site site = parse_site(example("site-file.md", 1), "site-file.md");
    REQUIRE(site.machines.size() == 401);
    CHECK(site.machine("gpu007")->node.find("bmc")->text == "10.9.0.7");
    CHECK(site.links.at(0).ends.size() == 401);
    CHECK(site.links.at(0).end("gpu201")->address == "10.0.1.1");
    CHECK(site.links.at(0).end("gpu201")->interface == "eth0");
    CHECK(site.links.at(0).end("head")->interface == "eth2");
    CHECK(site.links.at(1).end("head")->name == "head.cluster.example");
    const Runbook runbook = parse_runbook(example("runbook.md"), "runbook.md");
    const auto catalogue = all_that_is_asked_for(runbook);
    CHECK(make_plan({runbook, &site, catalogue, "gpu001"}).checkpoints.at(0).rows.size() == 8 + 2);
}

}  // namespace docs_test
