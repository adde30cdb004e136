#include "worker/plugin_file.hpp"

#include <cstring>

#include "catch.hpp"

using namespace diag::worker;

namespace {

diag_abi sound() {
    diag_abi abi = {DIAG_ABI_MAGIC, DIAG_ABI_VERSION, sizeof(diag_abi), nullptr, nullptr};
    return abi;
}

std::string code_of(const diag_abi* abi) {
    try {
        check_abi(abi);
        return "";
    } catch (const LoadError& e) {
        return e.code;
    }
}

}  // namespace

TEST_CASE("a plugin's struct may be longer than ours, never too short for both functions") {
    diag_abi abi = sound();
    CHECK(code_of(&abi).empty());
    abi.size = 4096;
    CHECK(code_of(&abi).empty());
    abi.size = offsetof(diag_abi, run) + sizeof(diag_abi::run);
    CHECK(code_of(&abi).empty());
    --abi.size;
    CHECK(code_of(&abi) == "plugin.size");
}

TEST_CASE("magic is judged first, then version, then size") {
    diag_abi abi = sound();
    abi.size = 0;
    abi.version = DIAG_ABI_VERSION + 1;
    abi.magic[7] = 'x';
    CHECK(code_of(&abi) == "plugin.magic");
    abi.magic[7] = '\0';
    CHECK(code_of(&abi) == "plugin.newer");
    abi.version = 0;
    CHECK(code_of(&abi) == "plugin.magic");
    abi.version = DIAG_ABI_VERSION;
    CHECK(code_of(&abi) == "plugin.size");
    CHECK(code_of(nullptr) == "plugin.not-a-plugin");
}
