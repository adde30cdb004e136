// The check and the look, asked on captured trees: no huge page of this machine is touched.
#include <diag/abi.h>

#include <cstdio>
#include <cstdlib>
#include <string>

#include <diag/testing.hpp>

extern "C" const diag_abi* diag_plugin_v1();  // of hugepages.cpp

static void expect(bool holds, const std::string& what) {
    if (holds) return;
    std::fprintf(stderr, "does not hold: %s\n", what.c_str());
    std::exit(1);
}

int main() {
    const std::string trees = TREES;
    const auto ask = [&](const std::string& tree, int pages) {
        return diag::testing::ask(*diag_plugin_v1(), "reserved", {{"pages", pages}}, trees + "/" + tree);
    };
    expect(ask("reserved-512", 512).outcome() == "pass", "512 of 512 are enough");
    expect(ask("reserved-512", 512).measured("total") == 512, "they are measured");
    expect(ask("reserved-512", 513).cause() == "hugepages.too-few", "512 of 513 are too few");
    expect(ask("none", 1).cause() == "hugepages.absent", "a kernel without huge pages is told from one with none reserved");
    const auto look = diag::testing::ask(*diag_plugin_v1(), "look", diag::json::object(), trees + "/reserved-512");
    expect(look.events.at(0)["properties"][0]["text"] == "512, 500 free", "the look shows them");
}
