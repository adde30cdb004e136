// One input to everything that reads YAML: only RunbookError may come out.  An entry point for libFuzzer
// (clang++ -fsanitize=fuzzer,address,undefined), and for the bounded run in mutate_test.cpp.
#include <cstddef>
#include <cstdint>
#include <string>

#include "runbook/expand.hpp"
#include "runbook/lint.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size);

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    using namespace diag::runbook;
    const std::string text(reinterpret_cast<const char*>(data), size);
    static const Site site =
        parse_site("machines: {a: {}, b: {}}\nlinks: [{id: l, ends: {a: {address: 10.0.0.1}, b: {name: b}}}]\n", "site");
    try {
        const Runbook runbook = parse_runbook(text, "fuzz");
        lint({runbook}, &site, diag::host::Catalogue{});
    } catch (const RunbookError&) {
        // what a reader of junk must say
    }
    try {
        const Site parsed = parse_site(text, "fuzz");
        static const Runbook every_pair =
            parse_runbook("runbook: r\ncheckpoints: [{id: c, each: direction, owner: [\"${link.id}\"]}]\n", "r");
        make_plan({every_pair, &parsed, diag::host::Catalogue{}, parsed.machines.empty() ? "" : parsed.machines.front().key});
        this_machine(parsed, "", "a");
    } catch (const RunbookError&) {
        // as above
    }
    return 0;
}
