// Files that are no good plugin: each refused with its own code, and the good ones beside them load.
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <fstream>

#include "catch.hpp"
#include "fixture.hpp"

using namespace diag;
using namespace diag::test;
namespace fs = std::filesystem;

namespace {

std::string code_of(const host::Catalogue& catalogue, const std::string& name) {
    const auto at = std::ranges::find_if(catalogue.refusals, [&](const auto& r) { return fs::path(r.file).filename() == name; });
    return at == catalogue.refusals.end() ? "loaded" : at->code;
}

// A folder of its own; below the build, as root trusts nothing below /tmp.
struct Folder {
    fs::path path = fs::path(plugin_folder()) / ("test-" + std::to_string(::getpid()));
    Folder() { fs::create_directory(path); }
    ~Folder() { fs::remove_all(path); }
    void add(const std::string& variant, const std::string& name) const { fs::copy_file(plugin_folder() + "/abi/" + variant, path / name); }
    host::Catalogue load() const { return host::WorkerClient(worker_here).load({path.string()}); }
};

}  // namespace

TEST_CASE("a file that is no good plugin is refused for its own reason, and the good ones load") {
    host::WorkerClient client(worker_here);
    const auto catalogue = client.load({plugin_folder() + "/abi"});
    CHECK(code_of(catalogue, "magic.so") == "plugin.magic");
    CHECK(code_of(catalogue, "newer.so") == "plugin.newer");
    CHECK(code_of(catalogue, "version_zero.so") == "plugin.magic");
    CHECK(code_of(catalogue, "small.so") == "plugin.size");
    CHECK(code_of(catalogue, "no_entry.so") == "plugin.not-a-plugin");
    CHECK(code_of(catalogue, "no_symbol.so") == "plugin.not-a-plugin");
    CHECK(code_of(catalogue, "unresolved.so") == "plugin.load");
    CHECK(code_of(catalogue, "describe_crash.so") == "plugin.describe");
    CHECK(code_of(catalogue, "describe_exit.so") == "plugin.describe");
    CHECK(code_of(catalogue, "describe_garbage.so") == "plugin.catalogue");
    CHECK(code_of(catalogue, "describe_null.so") == "plugin.catalogue");
    for (const auto& refusal : catalogue.refusals) CHECK_FALSE(refusal.reason.empty());
    for (const char* plugin : {"good", "edge", "larger"}) {
        INFO(plugin);
        const auto* check = catalogue.check(std::string(plugin) + ".answer");
        REQUIRE(check != nullptr);
        const auto result = client.run(*check, catalogue.plugin_of(check->dotted())->file, json::object(), {});
        CHECK(result.outcome == host::Outcome::pass);
    }
}

TEST_CASE("two different plugins of one name are both refused, and the reason names both files") {
    const auto catalogue = host::WorkerClient(worker_here).load({plugin_folder() + "/abi"});
    CHECK(catalogue.check("twin.answer") == nullptr);
    const auto at = std::ranges::find(catalogue.refusals, std::string("plugin.duplicate"), &host::Refusal::code);
    REQUIRE(at != catalogue.refusals.end());
    CHECK_THAT(at->reason, ContainsSubstring("twin_a.so"));
    CHECK_THAT(at->reason, ContainsSubstring("twin_b.so"));
}

TEST_CASE("the same plugin in two places is one plugin") {
    const Folder folder;
    folder.add("good.so", "one.so");
    folder.add("good.so", "two.so");
    const auto catalogue = folder.load();
    CHECK(catalogue.refusals.empty());
    CHECK(catalogue.plugins.size() == 1);
}

TEST_CASE("a plugin whose describe() hangs delays the others by seconds, not for ever") {
    const auto catalogue = host::WorkerClient(worker_here).load({plugin_folder() + "/hang", plugin_folder() + "/bad"});
    CHECK(code_of(catalogue, "describe_hang.so") == "plugin.describe");
    CHECK(catalogue.check("bad.good") != nullptr);
}

TEST_CASE("a plugin that others can write is refused, by whoever could be harmed by it") {
    const Folder folder;
    folder.add("good.so", "open.so");
    folder.add("edge.so", "closed.so");
    ::chmod((folder.path / "open.so").c_str(), 0666);
    ::chmod((folder.path / "closed.so").c_str(), 0644);
    const auto catalogue = folder.load();
    CHECK(code_of(catalogue, "open.so") == "plugin.untrusted");
    CHECK(code_of(catalogue, "closed.so") == "loaded");
}

TEST_CASE("a plugin that became writable between load and run does not run") {
    const Folder folder;
    folder.add("good.so", "good.so");
    host::WorkerClient client(worker_here);
    const auto catalogue = client.load({folder.path.string()});
    REQUIRE(catalogue.check("good.answer") != nullptr);
    ::chmod((folder.path / "good.so").c_str(), 0666);
    const auto result = client.run(*catalogue.check("good.answer"), catalogue.plugins[0].file, json::object(), {});
    CHECK(result.cause == "worker.load");
    CHECK_THAT(result.reason, ContainsSubstring("plugin.untrusted"));
}

TEST_CASE("what only looks like a plugin is told apart from a folder that is not there") {
    const Folder folder;
    std::ofstream(folder.path / "text.so") << "not an object\n";
    std::ofstream(folder.path / "readme.txt") << "not even named like one\n";
    fs::create_symlink("nowhere", folder.path / "dangling.so");
    fs::create_directory(folder.path / "folder.so");
    const auto catalogue = folder.load();
    CHECK(code_of(catalogue, "text.so") == "plugin.not-a-plugin");
    CHECK(code_of(catalogue, "dangling.so") == "plugin.unreadable");
    CHECK(code_of(catalogue, "folder.so") == "plugin.not-a-plugin");
    CHECK(catalogue.refusals.size() == 3);
    const auto none = host::WorkerClient(worker_here).load({(folder.path / "absent").string(), (folder.path / "text.so").string()});
    REQUIRE(none.refusals.size() == 1);
    CHECK(none.refusals[0].code == "plugin.unreadable");
}
