#include "snapshot.hpp"

#include <sys/mman.h>

#include <map>
#include <sstream>

#include "catch.hpp"
#include "probe/testing_tree.hpp"
#include "snapshot_run.hpp"

namespace snapshot_test {

using namespace diag;
using namespace diag::link;
using diag::probe::testing::Tree;
using std::chrono::milliseconds;

namespace {

struct Kept {
    std::map<std::string, std::string> texts;
    Verdict verdict;
    double seconds = 0;
};

Kept snapshot(const std::string& root = "") {
    const int channel = ::memfd_create("snapshot", MFD_CLOEXEC);
    REQUIRE(channel >= 0);
    Kept kept;
    const auto start = std::chrono::steady_clock::now();
    Context context({{"root", root}}, channel);
    kept.verdict = link_snapshot(context);
    kept.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
    std::string text(static_cast<std::size_t>(::lseek(channel, 0, SEEK_END)), '\0');
    REQUIRE(::pread(channel, text.data(), text.size(), 0) == static_cast<ssize_t>(text.size()));
    ::close(channel);
    std::istringstream lines(text);
    for (std::string line; std::getline(lines, line);) {
        const auto event = json::parse(line);
        kept.texts[event["name"]] = event["text"];
    }
    return kept;
}

}  // namespace

TEST_CASE("a snapshot of this machine has every topic, within its time and size, and a missing program is said") {
    const Kept kept = snapshot();
    CHECK(kept.seconds < 5);
    CHECK(kept.verdict.outcome == Outcome::pass);
    std::size_t together = 0;
    for (const char* topic : {"addresses", "links", "routes", "rules", "neighbours", "bridges", "bonds", "sysctls", "kernel-log", "rdma",
                              "mounts", "counters"}) {
        INFO(topic);
        REQUIRE(kept.texts.contains(topic));
        CHECK_FALSE(kept.texts.at(topic).empty());
    }
    for (const auto& [topic, text] : kept.texts) together += text.size();
    CHECK(together <= (std::size_t{1} << 20) + 10000);
    CHECK_THAT(kept.texts.at("addresses"), ContainsSubstring("$ ip address show"));
    CHECK_THAT(kept.texts.at("sysctls"), ContainsSubstring("net/core/rmem_max = "));
    CHECK_THAT(kept.texts.at("sysctls"), ContainsSubstring("net/ipv4/conf/lo/rp_filter = "));
    CHECK_THAT(kept.texts.at("mounts"), ContainsSubstring("/proc"));
}

TEST_CASE("of a captured tree only its files are kept, and absent ones are absent") {
    Tree tree;
    tree.file("/proc/sys/net/core/rmem_max", "212992");
    tree.file("/proc/self/mountinfo", "36 35 0:30 / /mnt rw - cifs //nas/models rw,username=a,password=hunter2,vers=3");
    tree.file("/proc/net/bonding/bond0", "Bonding Mode: IEEE 802.3ad");
    const Kept kept = snapshot(tree.text());
    CHECK(kept.texts.size() == 4);
    CHECK_THAT(kept.texts.at("sysctls"), ContainsSubstring("net/core/rmem_max = 212992\n"));
    CHECK_THAT(kept.texts.at("sysctls"), ContainsSubstring("net/core/wmem_max = (absent)\n"));
    CHECK_THAT(kept.texts.at("bonds"), ContainsSubstring("IEEE 802.3ad"));
    CHECK_THAT(kept.texts.at("mounts"), ContainsSubstring("username=a,password=...,vers=3"));
}

TEST_CASE("secrets of options and URLs are taken out, and words that only look like them stay") {
    CHECK(without_secrets("mount -o user=a,pass=x1,ro") == "mount -o user=a,pass=...,ro");
    CHECK(without_secrets("https://me:pw@host/x?token=abc&y=1") == "https://me:...@host/x?token=...&y=1");
    CHECK(without_secrets("http://host:80/a@b compass=north bypass=1") == "http://host:80/a@b compass=north bypass=1");
    CHECK(without_secrets("password=") == "password=...");
}

TEST_CASE("a long text is cut at a line, at the end that matters less, and the cut is said") {
    const std::string lines = "first\nsecond\nthird\n";
    CHECK(bounded(lines, 100, false) == lines);
    CHECK(bounded(lines, 14, false).starts_with("first\nsecond\n"));
    CHECK_THAT(bounded(lines, 14, false), ContainsSubstring("6 more bytes were left out"));
    CHECK(bounded(lines, 14, true).ends_with("third\n"));
    CHECK_THAT(bounded(lines, 14, true), ContainsSubstring("earlier bytes were left out"));
    CHECK(bounded(std::string(100, 'x'), 10, true).ends_with("xxxxxxxxxx"));
}

TEST_CASE("programs that hang, fail or are missing are each said in their place, and hold nobody up") {
    const auto start = std::chrono::steady_clock::now();
    const auto texts = run_all({{"a", {"sleep", "20"}}, {"b", {"false"}}, {"c", {"no-such-program-here"}}, {"d", {"echo", "four"}}},
                               milliseconds(1500), milliseconds(6000), 1000);
    REQUIRE(texts.size() == 4);
    CHECK_THAT(texts[0], ContainsSubstring("took too long"));
    CHECK_THAT(texts[1], ContainsSubstring("exit status 1"));
    CHECK_THAT(texts[2], ContainsSubstring("there is no program 'no-such-program-here'"));
    CHECK(texts[3] == "$ echo four\nfour\n");
    std::vector<Wanted> many(20, {"a", {"sleep", "20"}});
    const auto over = run_all(many, milliseconds(20000), milliseconds(300), 1000);
    CHECK_THAT(over.back(), ContainsSubstring("time was over"));
    CHECK(std::chrono::steady_clock::now() - start < std::chrono::seconds(10));
}

}  // namespace snapshot_test
