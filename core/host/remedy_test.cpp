#include "host/remedy.hpp"

#include "catch.hpp"

using namespace diag::host;

TEST_CASE("a remedy names the parameters and values of its verdict") {
    const json params = {{"interface", "eth0"}, {"mtu", 9000}, {"share", 0.5}, {"names", {"a", "b c"}}, {"empty", nullptr}};
    CHECK(fill_remedy("ip link set {interface} mtu {mtu}", params, {}) == "ip link set eth0 mtu 9000");
    CHECK(fill_remedy("{interface} {share} {names}", params, {{"interface", "eth1"}}) == "eth1 0.5 a 'b c'");
    CHECK(fill_remedy("ask {who} for {empty}", params, {}) == "ask <who> for <empty>");
}

TEST_CASE("braces that are no placeholder stay as they are") {
    CHECK(fill_remedy("awk '{print $1}' {} { {a b} }", {}, {}) == "awk '{print $1}' {} { {a b} }");
    CHECK(fill_remedy("{", {}, {}) == "{");
    CHECK(fill_remedy("{{name}}", {{"name", "x"}}, {}) == "{x}");
}

TEST_CASE("a value from others cannot become a second command, nor an option") {
    CHECK(shell_word("eth0.100") == "eth0.100");
    CHECK(shell_word("fe80::1%eth0") == "fe80::1%eth0");
    CHECK(shell_word("x; reboot") == "'x; reboot'");
    CHECK(shell_word("$(reboot)") == "'$(reboot)'");
    CHECK(shell_word("it's") == "'it'\\''s'");
    CHECK(shell_word("") == "''");
    CHECK(shell_word("-rf") == "'-rf'");
    CHECK(shell_word("~root") == "'~root'");
    CHECK(fill_remedy("ping {name}", {{"name", "a\n{b}"}}, {{"b", "x"}}) == "ping 'a\n{b}'");
}
