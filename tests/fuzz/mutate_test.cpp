// A bounded fuzz run that every build makes: files that are nearly right, cut, spliced and altered.  The seed is fixed,
// so a failure comes again.
#include <cstdint>
#include <random>
#include <string>
#include <vector>

#include "catch.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size);

namespace {

const std::vector<std::string> seeds = {
    "runbook: r\ntitle: t\nsettings: {n: 4, l: [a, b]}\ntimeout: 10s\non_failure: stop\ncheckpoints:\n- id: a\n  each: link\n  where: x\n  "
    "pairs: ring\n"
    "  owner: [\"go to ${machine.key}\"]\n  reboot: true\n  checks:\n  - x.y: {a: \"${link.here.name}\", b: [1, \"$$\"]}\n    on: b\n    "
    "id: q\n",
    "ssh: {user: ops}\nlab: true\nmachines: &m\n  a: {name: a.lan, roles: [x]}\n  b:\nlinks:\n- id: l\n  ends:\n    a: {name: a.lan}\n"
    "    b: {address: \"fe80::1%eth0\"}\ncopy: *m\ntext: |\n  two\n  lines\nquoted: 'it''s'\n",
    "machines:\n  n[08-11]: {name: \"n[08-11].lan\", roles: [x]}\n  a: {ssh: a.lan}\nlinks:\n- id: l\n  interface: eth0\n  pairs: sample "
    "3\n"
    "  members: [\"n[08-10,11]\"]\n  end: {name: \"{machine}-l\", address: \"10.0.[0-1].[1-2]\"}\n  ends: {a: {name: a-l}}\n",
};

const std::vector<std::string> splinters = {"&m ", "*m",    "<<: ", "!!int ", "- ", ": ",    "\n",       "\t",   "\"",  "'",    "{",
                                            "}",   "[",     "]",    "${",     "$",  "---\n", "...\n",    "? ",   "|\n", ">\n",  "#",
                                            "%",   "[1-3]", "@",    "0777",   "~",  "\xff",  "\xc3\xa9", "\x1b", "\r",  "\\x00"};

std::string mutated(std::mt19937& random) {
    const auto below = [&](std::size_t n) { return static_cast<std::size_t>(random() % n); };
    std::string text = seeds[below(seeds.size())];
    for (std::size_t edits = 1 + below(6); edits > 0; --edits) {
        const std::size_t at = below(text.size() + 1);
        switch (below(4)) {
            case 0:
                text.insert(at, splinters[below(splinters.size())]);
                break;
            case 1:
                text.erase(at, 1 + below(12));
                break;
            case 2:
                text.insert(at, text.substr(below(text.size() + 1), below(40)));
                break;
            default:
                text = text.substr(0, at) + std::string(1, static_cast<char>(below(256))) + text.substr(at);
                break;
        }
    }
    return text;
}

void read(const std::string& text) { LLVMFuzzerTestOneInput(reinterpret_cast<const std::uint8_t*>(text.data()), text.size()); }

}  // namespace

TEST_CASE("no file, however broken, brings the readers down") {
    std::mt19937 random(1);
    for (int i = 0; i < 4000; ++i) {
        const std::string text = mutated(random);
        INFO(text);
        REQUIRE_NOTHROW(read(text));
    }
}

TEST_CASE("a file that was cut anywhere is read or refused, and nothing else") {
    for (const auto& seed : seeds)
        for (std::size_t length = 0; length <= seed.size(); ++length) REQUIRE_NOTHROW(read(seed.substr(0, length)));
}
