// The plugin as a host sees it.
#include <set>

#include <diag/testing.hpp>

#include "catch.hpp"

namespace ssh_test {

extern "C" const diag_abi* diag_plugin_v1();

using diag::json;

static diag::testing::Answer ask(const std::string& check, json params) {
    return diag::testing::ask(*diag_plugin_v1(), check, std::move(params));
}

TEST_CASE("every cause is declared once in a check, with a meaning, a mover and a remedy") {
    const json catalogue = json::parse(diag_plugin_v1()->describe());
    std::set<std::string> all;
    for (const auto& check : catalogue["checks"]) {
        std::set<std::string> own;
        CHECK(check["needs"] == json::array());  // a machine without ssh is a fail, and no check that did not run
        for (const auto& cause : check["causes"]) {
            const std::string code = cause["code"];
            CHECK(code.starts_with("ssh."));
            CHECK(own.insert(code).second);
            CHECK_FALSE(cause["meaning"].get<std::string>().empty());
            CHECK_FALSE(cause["remedy"].get<std::string>().empty());
        }
        all.merge(own);
    }
    CHECK(all.size() >= 40);
}

TEST_CASE("a host or user that ssh would read as an option is refused before anything runs") {
    CHECK(ask("login", {{"host", "-oProxyCommand=id"}}).error["kind"] == "parameter");
    CHECK(ask("login", {{"host", "127.0.0.1"}, {"user", "-l"}}).error["kind"] == "parameter");
    CHECK(ask("login", {{"host", "127.0.0.1"}, {"address", "-1"}}).error["kind"] == "parameter");
    CHECK(ask("logins", {{"hosts", {"127.0.0.1", "-G"}}}).error["kind"] == "parameter");
    CHECK(ask("keys", {{"side", "neither"}}).error["kind"] == "parameter");
}

}  // namespace ssh_test
