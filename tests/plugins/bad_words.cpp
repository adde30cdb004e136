// Checks whose processes behave and whose words do not.
#include <unistd.h>

#include <limits>
#include <string>
#include <string_view>

#include "bad.hpp"

using namespace diag;

namespace {

constexpr int channel = 3;

void raw(std::string_view text) {
    while (!text.empty()) {
        const ssize_t n = ::write(channel, text.data(), text.size());
        if (n <= 0) return;
        text.remove_prefix(static_cast<std::size_t>(n));
    }
}

Verdict junk(Context& c) {
    bad::before(c);
    raw("Segmentation fault (core dumped)\n\x80\x81\n");
    return pass("beside junk");
}

Verdict half_line(Context& c) {
    bad::before(c);
    raw("{\"event\":\"verd");
    ::_exit(0);
}

Verdict deep(Context& c) {
    bad::before(c);
    raw(std::string(100000, '[') + "\n");
    return pass("beside depth");
}

Verdict unknown_event(Context& c) {
    bad::before(c);
    c.send({{"event", "celebration"}});
    return pass("beside an unknown event");
}

Verdict two_verdicts(Context& c) {
    bad::before(c);
    c.send({{"event", "verdict"}, {"outcome", "fail"}, {"cause", "bad.declared"}, {"reason", "first"}, {"values", json::object()}});
    return pass("second");
}

Verdict not_a_number(Context& c) {
    bad::before(c);
    c.measure("speed", std::numeric_limits<double>::quiet_NaN(), unit::bit_per_s, at_least(1));
    return pass("beside NaN");
}

Verdict limit_no_number(Context& c) {
    bad::before(c);
    c.measure("ratio", 1, unit::fraction, at_least(std::numeric_limits<double>::quiet_NaN()));
    return pass("beside a limit of 0/0");
}

Verdict limit_no_number_exactly(Context& c) {
    bad::before(c);
    c.measure("ratio", 1, unit::fraction, exactly(std::numeric_limits<double>::quiet_NaN()));
    return pass("beside a limit of 0/0");
}

Verdict limit_infinite(Context& c) {
    bad::before(c);
    c.measure("ratio", 1, unit::fraction, at_least(std::numeric_limits<double>::infinity()));
    return pass("beside an infinite limit");
}

Verdict limit_none(Context& c) {
    bad::before(c);
    const double infinity = std::numeric_limits<double>::infinity();
    if (!c.measure("ratio", 1, unit::fraction, between(-infinity, infinity))) return fail("bad.declared", "it broke no limit");
    return pass("beside limits that are none");
}

Verdict skip_broken_limit(Context& c) {
    bad::before(c);
    c.measure("speed", 1, unit::bit_per_s, at_least(10));
    return skip("beside a broken limit");
}

Verdict no_reason(Context& c) {
    bad::before(c);
    return pass(" ");
}

Verdict wrong_accessor(Context& c) {
    bad::before(c);
    c.measure("free", 0.5, unit::fraction, at_least(static_cast<double>(c.integer("free"))));
    return pass("beside a limit of 0");
}

Verdict broken_limit(Context& c) {
    bad::before(c);
    c.measure("speed", 1, unit::bit_per_s, at_least(10));
    return pass("beside a broken limit");
}

Verdict undeclared(Context& c) {
    bad::before(c);
    return fail("bad.surprise", "with a cause that is nowhere declared");
}

Verdict no_cause(Context& c) {
    bad::before(c);
    return warn("", "without a cause");
}

Verdict escapes(Context& c) {
    bad::before(c);
    return fail("bad.declared", "\x1b[2J\x1b[31mred\x07").with("name", "a'; reboot \x1b[0m");
}

Verdict many_events(Context& c) {
    bad::before(c);
    for (int i = 0; i < 1000000; ++i) c.progress("more");
    return pass("a million lines");
}

Verdict long_line(Context& c) {
    bad::before(c);
    c.saw(std::string(std::size_t{4} << 20, 'x'));
    return pass("one long line");
}

Verdict much_evidence(Context& c) {
    for (int i = 0; i < 20; ++i) c.evidence("large", std::string(std::size_t{4} << 20, '\n'));
    return pass("beside 80 MiB");
}

Verdict invalid_utf8(Context&) {
    raw("{\"event\":\"saw\",\"text\":\"caf\xe9\"}\n");
    return pass("beside Latin-1");
}

}  // namespace

void bad::declare_words(Plugin& plugin) {
    const auto declared = [&](const char* name, const char* title, CheckFunction run) -> Check& {
        return plugin.check(name, title, std::move(run)).cause("bad.declared", mover::hardware, "It failed.", "mend {name} on {machine}");
    };
    declared("junk", "Sends what is no event", junk);
    declared("half-line", "Ends in the middle of a line", half_line);
    declared("deep", "Sends deeply nested JSON", deep);
    declared("unknown-event", "Sends an event that there is not", unknown_event);
    declared("two-verdicts", "Gives two verdicts", two_verdicts);
    declared("nan", "Measures what is no number", not_a_number);
    declared("broken-limit", "Passes beside a broken limit", broken_limit);
    declared("undeclared", "Gives a cause that it does not declare", undeclared);
    declared("no-cause", "Warns without a cause", no_cause);
    declared("escapes", "Has terminal escapes in its text", escapes);
    declared("many-events", "Sends too many events", many_events).takes(20);
    declared("long-line", "Sends one that is too long", long_line);
    declared("much-evidence", "Keeps more than is taken", much_evidence).takes(20);
    declared("limit-nan", "Measures against no number", limit_no_number);
    declared("limit-nan-exactly", "Measures against no number, on both sides", limit_no_number_exactly);
    declared("limit-infinite", "Measures against what no value reaches", limit_infinite);
    declared("limit-none", "Measures against limits that every value keeps", limit_none);
    declared("skip-broken-limit", "Is skipped beside a broken limit", skip_broken_limit);
    declared("no-reason", "Passes without a reason", no_reason);
    declared("wrong-accessor", "Reads a share as a whole number", wrong_accessor).param("free", type::fraction, "a share", "80%");
    declared("invalid-utf8", "Sends what is not UTF-8", invalid_utf8);
}
