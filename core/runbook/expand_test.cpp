#include "runbook/expand.hpp"

#include "catch.hpp"
#include "runbook/support_for_tests.hpp"

namespace expand_test {

using namespace diag::runbook;
using diag::runbook::testing::catalogue;
using diag::runbook::testing::error_of;

namespace {

const std::string site_text = R"(machines:
  node-a: {name: node-a.home.arpa, roles: [storage]}
  node-b: {name: node-b.home.arpa, roles: [decode]}
  node-c: {}
links:
  - id: direct
    port: p0
    mtu: 9000
    speed: 2.5Gbit
    ends:
      node-a: {interface: eth1, name: node-a-direct, address: 10.0.0.1}
      node-b: {interface: eth2, address: 10.0.0.2}
  - id: house
    group: switch
    ends:
      node-a: {name: node-a.home.arpa}
      node-b: {name: node-b.home.arpa}
      node-c: {address: 10.1.0.3}
storage: {server: node-b, paths: [/a, /b], disks: [{name: sda, size: 2GB}, {name: sdb}]}
words: [x, x]
none: []
)";

const Site& site() {
    static const Site parsed = parse_site(site_text, "s");
    return parsed;
}

// The checkpoint's own keys and its checks, from line 4 on.
std::string runbook_text(const std::string& checkpoint) {
    return "runbook: r\nsettings: {n: 4, list: [a, b]}\ncheckpoints:\n- id: c\n" + checkpoint;
}

Plan plan(const std::string& checkpoint, const std::string& machine = "node-a", std::map<std::string, std::string> settings = {}) {
    const Runbook runbook = parse_runbook(runbook_text(checkpoint), "r");
    const auto known = catalogue();
    return make_plan({runbook, &site(), known, machine, std::move(settings)});
}

std::string error(const std::string& checkpoint, std::map<std::string, std::string> settings = {}) {
    return error_of([&] { plan(checkpoint, "node-a", settings); });
}

std::string without_site(const std::string& checkpoint) {
    return error_of([&] {
        const Runbook runbook = parse_runbook(runbook_text(checkpoint), "r");
        const auto known = catalogue();
        make_plan({runbook, nullptr, known});
    });
}

std::vector<std::string> labels(const Plan& plan) {
    std::vector<std::string> all;
    for (const auto& row : plan.checkpoints.at(0).rows) all.push_back(row.label);
    return all;
}

using Labels = std::vector<std::string>;

const PlannedCheck& first(const Plan& plan, std::size_t row = 0) { return plan.checkpoints.at(0).rows.at(row).checks.at(0); }

// The text that `expression` becomes in the first row.
std::string text(const std::string& expression, const std::string& each = "link") {
    const std::string where = each == "link" ? "direct" : "decode";
    return first(plan("  each: " + each + "\n  where: " + where + "\n  checks:\n  - net.reach: {to: \"" + expression + "\", name: n}\n"))
        .params.at("to");
}

// What goes wrong with it, behind its place.
std::string text_error(const std::string& expression, const std::string& each = "link") {
    const std::string all = error("  each: " + each + "\n  checks:\n  - net.reach: {to: \"" + expression + "\", name: n}\n");
    const std::string place = "r:7:21: ";
    return all.compare(0, place.size(), place) == 0 ? all.substr(place.size(), all.find('\n') - place.size()) : "elsewhere: " + all;
}

const std::string plain = "  checks:\n  - net.plain:\n";

}  // namespace

TEST_CASE("each: link gives a row per other end of this machine's links, seen from here") {
    const Plan all = plan("  each: link\n" + plain);
    CHECK(labels(all) == Labels{"direct: node-a -> node-b", "house: node-a -> node-b", "house: node-a -> node-c"});
    CHECK(first(all).machine == "node-a");
    CHECK(all.machines == 3);
    CHECK(all.links == 2);
    CHECK(labels(plan("  each: link\n" + plain, "node-c")) == Labels{"house: node-c -> node-a", "house: node-c -> node-b"});
}

TEST_CASE("each: direction gives a row per ordered pair of ends, run where it starts") {
    const Plan all = plan("  each: direction\n  where: direct\n" + plain);
    CHECK(labels(all) == Labels{"direct: node-a -> node-b", "direct: node-b -> node-a"});
    CHECK(first(all, 1).machine == "node-b");
    CHECK(labels(plan("  each: direction\n" + plain, "node-c")).size() == 8);
}

TEST_CASE("each: peer and machine; a peer's checks run here, a machine's there") {
    const Plan peers = plan("  each: peer\n" + plain, "node-b");
    CHECK(labels(peers) == Labels{"node-a", "node-c"});
    CHECK(first(peers).machine == "node-b");
    const Plan machines = plan("  each: machine\n  checks:\n  - net.reach: {to: \"${machine.key}\", name: n}\n");
    CHECK(labels(machines) == Labels{"node-a", "node-b", "node-c"});
    CHECK(first(machines, 1).machine == "node-b");
    CHECK(first(machines, 1).params["to"] == "node-b");
}

TEST_CASE("each: a list of the site file, of values or of maps") {
    const Plan paths = plan("  each: storage.paths\n  checks:\n  - net.reach: {to: \"${item}\", name: n}\n");
    CHECK(labels(paths) == Labels{"/a", "/b"});
    CHECK(first(paths, 1).params["to"] == "/b");
    const Plan disks = plan("  each: storage.disks\n  checks:\n  - net.reach: {to: \"${item.name}\", name: n, mtu: \"${item.size}\"}\n");
    CHECK(labels(disks) == Labels{"sda", "sdb"});
    CHECK(first(disks, 0).params["mtu"] == 2000000000);
    CHECK(first(disks, 1).params["mtu"] == 1500);
    CHECK(labels(plan("  each: words\n" + plain)) == Labels{"x", "x (2)"});
}

TEST_CASE("each that names nothing is an error where it is near something, else a warning without rows") {
    CHECK(error("  each: lnik\n" + plain) ==
          "r:5:9: 'each' is peer, machine, link, direction, port or a list of the site file, not 'lnik'; did you mean 'link'?");
    CHECK(error("  each: storage\n" + plain) == "r:5:9: 'each: storage' must name a list; it is a map at s:19:10");
    const Plan absent = plan("  each: pumps.all\n" + plain);
    CHECK(labels(absent).empty());
    CHECK(absent.warnings == Labels{"r:5:9: warning: no rows: the site file has no list 'pumps.all'"});
    CHECK(plan("  each: none\n" + plain).warnings == Labels{"r:5:9: warning: no rows: the list at s:21:7 is empty"});
    CHECK(without_site("  each: link\n" + plain) == "r:5:9: 'each: link' needs a site file (--site)");
}

TEST_CASE("where narrows by role, link id, port or group") {
    CHECK(labels(plan("  each: link\n  where: decode\n" + plain)) == Labels{"direct: node-a -> node-b", "house: node-a -> node-b"});
    CHECK(labels(plan("  each: link\n  where: p0\n" + plain)) == Labels{"direct: node-a -> node-b"});
    CHECK(labels(plan("  each: link\n  where: switch\n" + plain)).size() == 2);
    CHECK(labels(plan("  each: machine\n  where: storage\n" + plain)) == Labels{"node-a"});
    CHECK(labels(plan("  each: peer\n  where: storage\n" + plain)).empty());
    CHECK(plan("  each: link\n  where: decod\n" + plain).warnings ==
          Labels{"r:6:10: warning: no rows: nothing here is 'decod'; did you mean 'decode'? (decode, direct, p0, house, switch)"});
    CHECK_THAT(error("  where: storage\n" + plain), ContainsSubstring("r:5:10: 'where' narrows"));
}

TEST_CASE("references give what the site file and the settings say") {
    CHECK(text("${link.id}") == "direct");
    CHECK(text("${link.here.machine}") == "node-a");
    CHECK(text("${link.there.machine}") == "node-b");
    CHECK(text("${link.here.name}") == "node-a-direct");
    CHECK(text("${link.there.address}") == "10.0.0.2");
    CHECK(text("${link.ends.node-b.interface}") == "eth2");
    CHECK(text("${peer.key}/${peer.name}") == "node-b/node-b.home.arpa");
    CHECK(text("${machine.name}") == "node-a.home.arpa");
    CHECK(text("${site.storage.server}") == "node-b");
    CHECK(text("${settings.n}") == "4");
    CHECK(text("${peer.name}", "peer") == "node-b.home.arpa");
}

TEST_CASE("a reference inside text is text; $$ is a dollar") {
    CHECK(text("mtu ${link.mtu}, ${link.speed}") == "mtu 9000, 2.5Gbit");
    CHECK(text("$${link.mtu} costs 5$$") == "${link.mtu} costs 5$");
    CHECK(text_error("${link.mtu") == "'${link.mtu' has no closing '}'");
    CHECK(text_error("${}") == "'${}' is no reference; write words joined by dots, such as ${link.mtu}");
    CHECK(text_error("${link mtu}") == "'${link mtu}' is no reference; write words joined by dots, such as ${link.mtu}");
    CHECK(text_error("5$") == "a lone '$' in '5$'; write $$ for a dollar, ${...} for a reference");
    CHECK(text_error("x ${settings.list}") == "${settings.list} is a list (r:2:24), and cannot stand inside a text");
}

TEST_CASE("a reference that can never have a value is an error with the nearest name") {
    CHECK(text_error("${lnik.mtu}") ==
          "${lnik.mtu}: there is no 'lnik'; did you mean 'link'? (link, port, peer, machine, site, settings, item)");
    CHECK(text_error("${link.mtu}", "peer") == "${link.mtu}: 'link' has a value only where 'each' is link or direction");
    CHECK(text_error("${peer.name}", "machine") == "${peer.name}: 'peer' has a value only where 'each' is peer, link, direction or port");
    CHECK(text_error("${item}") == "${item}: 'item' has a value only where 'each' is a list of the site file");
    CHECK(text_error("${settings.m}").find("${settings.m}: the runbook has no setting 'm'; did you mean 'n'?") == 0);
    CHECK(text_error("${link.mtu.x}") == "${link.mtu.x}: 'mtu' of link 'direct' is '9000', which has no parts (s:8:10)");
    CHECK(without_site("  checks:\n  - net.reach: {to: \"${machine.name}\", name: n}\n") ==
          "r:6:21: ${machine.name} needs a site file (--site)");
}

TEST_CASE("alone, a reference keeps its type: a list stays a list, a number its spelling") {
    const std::string list = "  checks:\n  - net.types: {a-list: \"${settings.list}\", a-rate: \"${site.links_rate}\"}\n";
    CHECK(first(plan(list)).params == diag::json{{"a-list", {"a", "b"}}});
    CHECK(first(plan(list, "node-a", {{"list", "x,y,z"}})).params["a-list"] == diag::json{"x", "y", "z"});
    const std::string rate =
        "  each: link\n  where: direct\n  checks:\n  - net.types: {a-rate: \"${link.speed}\", a-bytes: \"${link.mtu}\"}\n";
    CHECK(first(plan(rate)).params == diag::json{{"a-rate", 2500000000}, {"a-bytes", 9000}});
}

TEST_CASE("every type and unit arrives as the check receives it") {
    const auto params =
        first(plan("  checks:\n  - net.types: {a-text: 9000, a-integer: -3, a-number: 1.5, a-boolean: true, a-duration: 500ms, "
                   "a-rate: 25Gbit, a-bytes: 64KiB, a-fraction: 80%, a-list: [1, b], a-rate_or_fraction: 80%}\n"))
            .params;
    CHECK(params == diag::json{{"a-text", "9000"},
                               {"a-integer", -3},
                               {"a-number", 1.5},
                               {"a-boolean", true},
                               {"a-duration", 0.5},
                               {"a-rate", 25000000000},
                               {"a-bytes", 65536},
                               {"a-fraction", 0.8},
                               {"a-list", {"1", "b"}},
                               {"a-rate_or_fraction", "80%"}});
    CHECK(params["a-integer"].is_number_integer());
}

TEST_CASE("a mistyped parameter says what was expected, and where the value came from") {
    const auto mistyped = [](const std::string& param) { return error("  checks:\n  - net.types: {" + param + "}\n"); };
    CHECK(mistyped("a-bytes: 9k") == "r:6:26: 'a-bytes' of net.types: expected bytes such as 9000, 64KiB or 2GB, not '9k'");
    CHECK_THAT(mistyped("a-duration: 10"), ContainsSubstring("r:6:29: 'a-duration' of net.types: expected a duration"));
    CHECK_THAT(mistyped("a-rate: 25"), ContainsSubstring("expected a rate"));
    CHECK_THAT(mistyped("a-fraction: x"), ContainsSubstring("expected a fraction"));
    for (const char* bad : {"fast", "20", "80", "0%", "0Gbit", "120%", "80 %", "-5Gbit"})
        CHECK_THAT(mistyped(std::string("a-rate_or_fraction: ") + bad),
                   ContainsSubstring("expected a rate above 0 such as 25Gbit, or a share"));
    CHECK_THAT(mistyped("a-boolean: yes"), ContainsSubstring("expected true or false, not 'yes'"));
    CHECK_THAT(mistyped("a-integer: 1.5"), ContainsSubstring("expected a whole number"));
    CHECK_THAT(mistyped("a-number: x"), ContainsSubstring("expected a number"));
    CHECK(mistyped("a-list: x") == "r:6:25: 'a-list' of net.types: expected a list such as [x], not 'x'");
    CHECK_THAT(mistyped("a-list: [[x]]"), ContainsSubstring("expected a list of single values; one of them is a list"));
    CHECK(mistyped("a-text: [x]") == "r:6:25: 'a-text' of net.types: expected one value (text), not a list");
    CHECK_THAT(mistyped("a-text: {x: y}"), ContainsSubstring("not a map"));
    CHECK_THAT(mistyped("a-text: "), ContainsSubstring("'a-text' of net.types has no value"));
    CHECK(mistyped("a-bytes: \"${site.storage.server}\"") ==
          "r:6:26: 'a-bytes' of net.types: expected bytes such as 9000, 64KiB or 2GB, not 'node-b' (from s:19:19)");
}

TEST_CASE("unknown checks, plugins and parameters name the nearest") {
    CHECK(error("  checks:\n  - net.raech: {}\n") == "r:6:5: plugin 'net' has no check 'net.raech'; did you mean 'net.reach'?");
    CHECK(error("  checks:\n  - nett.plain: {}\n") == "r:6:5: no plugin 'nett' is loaded; did you mean 'net.plain'?");
    CHECK(error("  checks:\n  - storage.mounted: {}\n") == "r:6:5: no plugin 'storage' is loaded");
    CHECK(error("  checks:\n  - net.something-else: {}\n") ==
          "r:6:5: plugin 'net' has no check 'net.something-else'; it has net.reach, net.types, net.plain");
    CHECK(error("  checks:\n  - net.reach: {to: x, name: n, mut: 9000}\n") ==
          "r:6:33: net.reach has no parameter 'mut'; did you mean 'mtu'?");
    CHECK(error("  checks:\n  - net.plain: {abcdefg: 1}\n") == "r:6:17: net.plain has no parameter 'abcdefg'; it has none");
    CHECK(error("  checks:\n  - net.reach: {name: n}\n") == "r:6:5: net.reach needs 'to' (text: whom to ask)");
    CHECK(error("  checks:\n  - net.plain:\n  actions:\n  - mtu.set: {a: 1}\n") == "r:8:5: this build knows no action 'mtu.set'");
}

TEST_CASE("absent in the site file: the default, a skip, left out, or an error before anything runs") {
    const std::string where = "  each: link\n  where: direct\n  checks:\n";
    const Plan absent =
        plan(where + "  - net.reach: {to: x, name: \"${link.there.name}\", mtu: \"${link.frame}\", expect: \"${link.delivers}\"}\n");
    CHECK(first(absent).params == diag::json{{"to", "x"}, {"mtu", 1500}});
    CHECK(first(absent).skip == "the end 'node-b' of link 'direct' has no 'name' in the site file");
    CHECK(absent.warnings.empty());
    const Plan given =
        plan(where + "  - net.reach: {to: x, name: \"${link.here.name}\", mtu: \"${link.mtu}\", expect: \"${link.speed}\"}\n");
    CHECK(first(given).params == diag::json{{"to", "x"}, {"name", "node-a-direct"}, {"mtu", 9000}, {"expect", 2500000000}});
    CHECK(first(given).skip.empty());
    CHECK(
        error(where + "  - net.reach: {to: \"at ${link.there.name}\", name: n}\n") ==
        "r:8:21: net.reach needs 'to' (text: whom to ask), and the end 'node-b' of link 'direct' has no 'name' in the site file (s:12:15)");
    CHECK_THAT(error(where + "  - net.reach: {to: \"${site.store.server}\", name: n}\n"),
               ContainsSubstring("the site file has no 'store'; did you mean 'storage'? (s:1:1)"));
}

TEST_CASE("a parameter that the runbook itself leaves out is an error unless it may be missing") {
    CHECK(first(plan("  checks:\n  - net.reach: {to: x, name: n}\n")).params == diag::json{{"to", "x"}, {"name", "n"}, {"mtu", 1500}});
    CHECK(error("  checks:\n  - net.reach: {to: x}\n") == "r:6:5: net.reach needs 'name' (text: host name to resolve)");
}

TEST_CASE("a default that is taken because of a slip in a name is pointed out") {
    const std::string checks = "  each: link\n  where: direct\n  checks:\n  - net.reach: {to: x, name: n, mtu: \"${link.mut}\"}\n";
    CHECK(plan(checks).warnings == Labels{"r:8:38: warning: 'mtu' of net.reach: link 'direct' has no 'mut' in the site file; did you mean "
                                          "'mtu'? (s:6:5); its default, 1500, is used"});
}

TEST_CASE("on, id and timeout of a check; two of one name stay apart") {
    const Plan all =
        plan("  checks:\n  - {net.plain: , on: \"${site.storage.server}\", timeout: 2s}\n  - net.plain:\n  - {net.plain: , id: third}\n");
    const auto& checks = all.checkpoints.at(0).rows.at(0).checks;
    CHECK(checks.at(0).machine == "node-b");
    CHECK(checks.at(0).timeout == 2);
    CHECK(checks.at(0).id == "net.plain");
    CHECK(checks.at(1).machine == "node-a");
    CHECK(checks.at(1).timeout == 10);
    CHECK(checks.at(1).id == "net.plain-2");
    CHECK(checks.at(2).id == "third");
    CHECK(error("  checks:\n  - {net.plain: , on: nodeb}\n") ==
          "r:6:23: 'on': the site file has no machine 'nodeb'; did you mean 'node-b'?");
    CHECK_THAT(error("  checks:\n  - {net.plain: , on: \"${site.nope}\"}\n"), ContainsSubstring("'on': the site file has no 'nope'"));
}

TEST_CASE("owner steps are expanded, once for each row where they differ") {
    CHECK(plan("  owner: [\"Look at ${machine.name}.\"]\n").checkpoints.at(0).owner == Labels{"Look at node-a.home.arpa."});
    CHECK(plan("  each: peer\n  owner: [\"Plug in ${peer.key}.\", Wait.]\n").checkpoints.at(0).owner ==
          Labels{"Plug in node-b.", "Wait.", "Plug in node-c."});
    CHECK_THAT(error("  each: machine\n  owner: [\"Look at ${machine.name}.\"]\n"), ContainsSubstring("machine 'node-c' has no 'name'"));
}

TEST_CASE("a setting without a value is absent until --set gives one") {
    const auto planned = [](const std::string& params, std::map<std::string, std::string> given = {}) {
        const std::string head = "runbook: r\nsettings:\n  n: 4\n  size:\ncheckpoints:\n- id: c\n  checks:\n  - net.reach: ";
        const Runbook runbook = parse_runbook(head + params + "\n", "r");
        const auto known = catalogue();
        return make_plan({runbook, &site(), known, "node-a", std::move(given)});
    };
    const std::string params = "{to: x, name: n, mtu: \"${settings.size}\"}";
    CHECK(first(planned(params)).params["mtu"] == 1500);
    CHECK(first(planned(params, {{"size", "9000"}})).params["mtu"] == 9000);
    CHECK(first(planned("{to: x, name: \"${settings.size}\"}")).skip == "the setting 'size' has no value");
    CHECK(error_of([&] { planned("{to: \"${settings.size}\", name: n}"); }) ==
          "r:8:21: net.reach needs 'to' (text: whom to ask), and the setting 'size' has no value (r:4:3)");
}

TEST_CASE("settings are changed by --set, and only those that there are") {
    const std::string checks = "  checks:\n  - net.types: {a-integer: \"${settings.n}\"}\n";
    CHECK(first(plan(checks, "node-a", {{"n", "8"}})).params["a-integer"] == 8);
    CHECK(error(checks, {{"lits", "8"}}) == "--set lits: the runbook has no setting 'lits'; did you mean 'list'?");
    CHECK(error(checks, {{"n", "x"}}) == "r:6:28: 'a-integer' of net.types: expected a whole number, not 'x' (from --set n)");
}

TEST_CASE("one check for the command line") {
    const auto known = catalogue();
    const PlannedCheck check = plan_check(known, "net.types", {{"a-list", "a,b"}, {"a-bytes", "9000"}, {"a-text", "$HOME"}}, "node-a");
    CHECK(check.params == diag::json{{"a-list", {"a", "b"}}, {"a-bytes", 9000}, {"a-text", "$HOME"}});
    CHECK(check.machine == "node-a");
    CHECK(error_of([&] { plan_check(known, "net.raech", {}); }) == "plugin 'net' has no check 'net.raech'; did you mean 'net.reach'?");
    CHECK(error_of([&] {
              plan_check(known, "net.types", {{"a-byts", "1"}});
          }) == "net.types has no parameter 'a-byts'; did you mean 'a-bytes'?");
    CHECK_THAT(error_of([&] { plan_check(known, "net.reach", {}); }), ContainsSubstring("needs 'to'") && ContainsSubstring("needs 'name'"));
}

TEST_CASE("a value outside a parameter's bounds is an error before anything runs, wherever it was written") {
    const std::string wrong = error("  checks: [net.reach: {to: x, name: y, mtu: 40}]\n");
    CHECK_THAT(wrong, ContainsSubstring("r:5:"));
    CHECK_THAT(wrong, ContainsSubstring("'mtu' of net.reach: expected 68 to 1000000000000, not '40'"));
    CHECK(error("  checks: [net.reach: {to: x, name: y, mtu: 68}]\n") == "no error");
    CHECK(error("  checks: [net.reach: {to: x, name: y, mtu: 1000000000000}]\n") == "no error");
    CHECK_THAT(error("  checks: [net.reach: {to: x, name: y, mtu: \"${settings.n}\"}]\n"), ContainsSubstring("expected 68 to"));
}

}  // namespace expand_test
