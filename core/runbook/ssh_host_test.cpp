#include "catch.hpp"
#include "runbook/site.hpp"
#include "runbook/support_for_tests.hpp"

namespace ssh_host_test {

using namespace diag::runbook;
using diag::runbook::testing::error_of;

namespace {

std::string host(const std::string& machine, const std::string& links = "") {
    const Site site = parse_site("machines: {a: {" + machine + "}, b: {}}\n" + links, "s");
    return ssh_host(site, *site.machine("a"));
}

std::string error(const std::string& machine) {
    return error_of([&] { host(machine); });
}

const std::string links = R"(links:
- {id: data, ends: {a: {name: a-data}, b: {address: 10.0.0.2}}}
- {id: house, management: true, ends: {a: {address: 10.1.0.1, name: a-house}}}
)";

}  // namespace

TEST_CASE("ssh calls a machine as its key ssh says, else by its name") {
    CHECK(host("ssh: jump-a, name: a.lan", links) == "jump-a");
    CHECK(host("name: a.lan", links) == "a.lan");
    CHECK(host("ssh: \"2001:db8::7\"") == "2001:db8::7");
}

TEST_CASE("a machine without a name is called by its end of the management link, then of any, then by its key") {
    CHECK(host("", links) == "a-house");
    CHECK(host("", "links: [{id: l, management: true, ends: {a: {address: 10.1.0.1}}}]\n") == "10.1.0.1");
    CHECK(host("", "links: [{id: l, management: true, ends: {b: {name: b}}}, {id: m, ends: {a: {address: 10.1.0.1}}}]\n") == "10.1.0.1");
    CHECK(host("") == "a");
}

TEST_CASE("what ssh would take for an option, or what is no host, is refused with its place") {
    CHECK(error("ssh: -oProxyCommand=x") ==
          "s:1:21: '-oProxyCommand=x' is not whom ssh can call: a host name, an address, or a Host of ssh's configuration");
    CHECK_THAT(error("ssh: root@a"), ContainsSubstring("s:1:21: 'root@a' is not whom ssh can call"));
    CHECK_THAT(error("ssh: [a, b]"), ContainsSubstring("'ssh' must be one value, not a list"));
    CHECK_THAT(error("ssh: "), ContainsSubstring("'ssh' has no value"));
}

}  // namespace ssh_host_test
