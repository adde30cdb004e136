#include "probe/files.hpp"

#include <atomic>
#include <filesystem>
#include <fstream>
#include <thread>

#include <sys/stat.h>

#include <diag/verdict.hpp>

#include "catch.hpp"

using diag::probe::read_text;
namespace fs = std::filesystem;

namespace {

struct Tree {
    fs::path root = fs::temp_directory_path() / ("diag-files-" + std::to_string(::getpid()));
    Tree() {
        fs::create_directories(root / "etc/dir");
        std::ofstream(root / "etc/hosts") << "captured\n";
        std::ofstream(root / "etc/empty");
        fs::create_symlink("/etc/hosts", root / "etc/absolute");
        fs::create_symlink("../../../../etc/hosts", root / "etc/climbing");
        fs::create_symlink("/nowhere", root / "etc/dangling");
        ::mkfifo((root / "etc/fifo").c_str(), 0600);
    }
    ~Tree() { fs::remove_all(root); }
};

}  // namespace

TEST_CASE("a captured tree answers instead of this machine, and its links stay inside") {
    const Tree tree;
    CHECK(read_text(tree.root, "/etc/hosts") == "captured\n");
    CHECK(read_text(tree.root, "/etc/absolute") == "captured\n");
    CHECK(read_text(tree.root, "/etc/climbing") == "captured\n");
}

TEST_CASE("a captured tree is read while others rename files: the kernel then asks to follow a link's .. once more") {
    const Tree tree;
    std::atomic<bool> done = false;
    std::thread renamer([&] {
        for (bool there = false; !done; there = !there)
            fs::rename(tree.root / "etc" / (there ? "other" : "empty"), tree.root / "etc" / (there ? "empty" : "other"));
    });
    int read = 0;
    std::string error;
    try {
        for (; read < 20000; ++read)
            if (read_text(tree.root, "/etc/climbing") != "captured\n") break;
    } catch (const std::exception& e) {
        error = e.what();
    }
    done = true;
    renamer.join();
    CHECK(error.empty());
    CHECK(read == 20000);
}

TEST_CASE("absent, unreadable and empty are three answers") {
    const Tree tree;
    CHECK(read_text(tree.root, "/etc/empty").empty());
    for (const auto* path : {"/etc/nothing", "/etc/dangling", "/etc/hosts/below"})
        CHECK_THROWS_AS(read_text(tree.root, path), diag::Absent);
    for (const auto* path : {"/etc/dir", "/etc/fifo"}) CHECK_THROWS_AS(read_text(tree.root, path), diag::Unreadable);
    CHECK_THROWS_AS(read_text(tree.root / "no-such-tree", "/etc/hosts"), diag::Unreadable);
}

TEST_CASE("a folder's names and a link's target are read below the tree, and what is neither is said") {
    const Tree tree;
    const auto names = diag::probe::list_folder(tree.root, "/etc");
    CHECK(std::vector<std::string>(names.begin(), names.begin() + 2) == std::vector<std::string>{"absolute", "climbing"});
    CHECK(diag::probe::list_folder(tree.root, "/etc/dir").empty());
    CHECK_THROWS_AS(diag::probe::list_folder(tree.root, "/etc/none"), diag::Absent);
    CHECK(diag::probe::read_link(tree.root, "/etc/dangling") == "/nowhere");
    CHECK_THROWS_AS(diag::probe::read_link(tree.root, "/etc/none"), diag::Absent);
    CHECK_THROWS_AS(diag::probe::read_link(tree.root, "/etc/hosts"), diag::Unreadable);
    CHECK(diag::probe::read_link("", "/proc/self") == std::to_string(::getpid()));
}

TEST_CASE("without a tree this machine is read, /proc too") {
    CHECK(read_text("", "/proc/self/stat").find(std::to_string(::getpid())) == 0);
    CHECK_THROWS_AS(read_text("", "/no/such/file"), diag::Absent);
}
