#include "report/look_text.hpp"

#include "catch.hpp"

namespace look_text_test {

using namespace diag;
using namespace diag::report;

namespace {

host::Seen seen() {
    host::Seen s;
    s.things = {{"machine", "", {{"names", "files, dns", "files, dns"}}},
                {"interface", "eth0", {{"carrier", "up", true}, {"speed", "200G", 200000000000}}},
                {"interface", "e\x1b[1m", {{"carrier", "down", false}, {"rdma", "rocep1", "rocep1"}}}};
    return s;
}

}  // namespace

TEST_CASE("things stand in one table a kind, absent properties as a dash, control characters never raw") {
    TextStyle ascii;
    ascii.utf8 = false;
    const std::string text = look_text({"node-a", "Debian", "6.1", "arm64", false}, seen(), ascii);
    CHECK_THAT(text, ContainsSubstring("node-a - Debian - kernel 6.1 - arm64\nnames        files, dns\n"));
    CHECK_THAT(text, ContainsSubstring("CARRIER  SPEED  RDMA\n"));
    CHECK_THAT(text, ContainsSubstring("up       200G   -\n"));
    CHECK(text.find('\x1b') == std::string::npos);
    CHECK_THAT(text, ContainsSubstring("nothing looks wrong"));
}

TEST_CASE("a machine that does not say what it is begins with what was seen, and not with an empty line") {
    CHECK(look_text({}, seen(), {}).starts_with("names "));
    host::Seen only_tables = seen();
    only_tables.things.erase(only_tables.things.begin());
    CHECK(look_text({}, only_tables, {}).starts_with("INTERFACE "));
    CHECK(look_text({"node-a", "", "", "", false}, only_tables, {}).starts_with("node-a\n\nINTERFACE "));
}

TEST_CASE("a column that the first things lack stands where the others have it") {
    host::Seen s;
    s.things = {{"interface", "eth0", {{"carrier", "no", {}}, {"mtu", "1500", {}}}},
                {"interface",
                 "eth1",
                 {{"port", "p0", {}}, {"carrier", "up", {}}, {"speed", "1G", {}}, {"mtu", "1500", {}}, {"rdma", "mlx5_0", {}}}}};
    CHECK_THAT(look_text({}, s, {}), ContainsSubstring("INTERFACE  PORT  CARRIER  SPEED  MTU   RDMA\n"));
}

TEST_CASE("what looks wrong and what could not be looked at are told; neither is called fine") {
    auto s = seen();
    s.blind = {{"rdma", "worker.signal", "its process was ended by SIGSEGV", ""}};
    const std::string blind = look_text({}, s, {});
    CHECK_THAT(blind, ContainsSubstring("could not look: rdma: its process was ended by SIGSEGV [worker.signal]"));
    CHECK(blind.find("nothing looks wrong") == std::string::npos);
    s.wrong = {{"link", "link.same-prefix", "configuration", "m", "eth0 and eth1 are in 10.0.0.0/24", "give each its own"}};
    CHECK_THAT(look_text({}, s, {}), ContainsSubstring("1 thing looks wrong\n   cause     link.same-prefix: eth0 and eth1"));
    const json doc = look_document({}, s);
    CHECK(doc["wrong"][0]["cause"] == "link.same-prefix");
    CHECK(doc["things"][1]["properties"]["speed"] == 200000000000);
    CHECK(doc["blind"].size() == 1);
}

TEST_CASE("where no plugin offers a look, nothing is called fine") {
    CHECK_THAT(look_text({}, {}, {}), ContainsSubstring("no plugin looked"));
}

}  // namespace look_text_test
