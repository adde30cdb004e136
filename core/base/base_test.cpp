#include "base/json.hpp"
#include "base/nearest.hpp"
#include "base/sha256.hpp"
#include "base/ssh_command.hpp"
#include "base/trust.hpp"
#include "base/utf8.hpp"

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <stdexcept>

#include <sys/stat.h>
#include <unistd.h>

#include "catch.hpp"

using namespace diag::base;
namespace fs = std::filesystem;

TEST_CASE("control characters never reach a terminal raw") {
    CHECK(printable("a\x1b[31mb") == "a\\x1b[31mb");
    CHECK(printable("line\nnext\r\t") == "line\\x0anext\\x0d\\x09");
    CHECK(printable("\xc2\x9b") == "\\u{009b}");      // C1 CSI, one code point
    CHECK(printable("\xe2\x80\xae") == "\\u{202e}");  // right-to-left override
    CHECK(printable("caf\xc3\xa9 \xe2\x9c\x93") == "caf\xc3\xa9 \xe2\x9c\x93");
    CHECK(printable("\xff\x80") == "\\xff\\x80");
}

TEST_CASE("invalid UTF-8 is replaced, and that is said") {
    bool replaced = false;
    CHECK(clean_utf8("ok \xc3\xa9", &replaced) == "ok \xc3\xa9");
    CHECK_FALSE(replaced);
    CHECK(clean_utf8("\xc3(", &replaced) == "\xef\xbf\xbd(");
    CHECK(replaced);
    CHECK(clean_utf8("\xc0\xaf\xed\xa0\x80").find('\xc0') == std::string::npos);  // overlong, surrogate
}

TEST_CASE("deep JSON is refused before it can overflow a stack") {
    CHECK_NOTHROW(parse_json(std::string(30, '[') + std::string(30, ']')));
    CHECK_THROWS_AS(parse_json(std::string(100000, '[')), BadJson);
    CHECK_THROWS_AS(parse_json("{\"a\":"), BadJson);
    CHECK(parse_json("{\"a\":\"\xff\"}")["a"] == "\xef\xbf\xbd");
}

TEST_CASE("the nearest name is suggested only where it is near") {
    CHECK(nearest("interfcae", {"interface", "mtu"}) == "interface");
    CHECK(nearest("bringpu", {"bringup"}) == "bringup");
    CHECK_FALSE(nearest("zebra", {"interface", "mtu"}));
    CHECK(did_you_mean("x", {}).empty());
}

TEST_CASE("SHA-256 of the test vector in FIPS 180-2") {
    CHECK(sha256("abc") == "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
}

TEST_CASE("a file that others can write is not trusted, and the reason names it") {
    const fs::path folder = fs::temp_directory_path() / ("diag-trust-" + std::to_string(::getpid()));
    fs::create_directory(folder);
    const fs::path file = folder / "plugin.so";
    std::ofstream(file) << "x";
    const uid_t me = ::getuid() == 0 ? 12345 : ::getuid();  // judged as a user: root's own files are fine
    ::chmod(folder.c_str(), 0755);
    ::chmod(file.c_str(), 0644);
    CHECK_FALSE(distrust(file, me));
    ::chmod(file.c_str(), 0646);
    CHECK_THAT(*distrust(file, me), ContainsSubstring("anyone can write"));
    ::chmod(file.c_str(), 0644);
    ::chmod(folder.c_str(), 0777);
    CHECK_THAT(*distrust(file, me), ContainsSubstring("anyone can write " + folder.string()));
    ::chmod(folder.c_str(), 0755);
    CHECK(distrust(file, 0));  // below /tmp: never good enough for root
    CHECK_THAT(*distrust(folder / "absent", me), ContainsSubstring("No such file"));
    fs::remove_all(folder);
}

TEST_CASE("a place for what is root's own may be below a sticky folder, and not in one that others own or can write") {
    if (::geteuid() != 0) return;
    const fs::path folder = fs::temp_directory_path() / ("diag-place-" + std::to_string(::getpid()));
    fs::create_directory(folder);
    ::chmod(folder.c_str(), 0755);
    CHECK_FALSE(distrust_place(folder, 0));
    CHECK_FALSE(distrust_place(folder / "to/be/made", 0));
    CHECK_FALSE(distrust_place(fs::temp_directory_path() / "diag-not-there", 0));
    CHECK_THAT(*distrust_place(fs::temp_directory_path(), 0), ContainsSubstring("anyone can write"));
    ::chmod(folder.c_str(), 0775);
    CHECK_FALSE(distrust_place(folder, 0));  // root's own group
    REQUIRE(::chown(folder.c_str(), 0, 65534) == 0);
    CHECK_THAT(*distrust_place(folder / "to/be/made", 0), ContainsSubstring("group 65534 can write"));
    REQUIRE(::chown(folder.c_str(), 65534, 65534) == 0);
    CHECK_THAT(*distrust_place(folder, 0), ContainsSubstring("belongs to user 65534"));
    ::chmod(folder.c_str(), 0755);
    CHECK_FALSE(distrust_place(folder, 65534));  // for that user it is the right place
    fs::remove_all(folder);
}

TEST_CASE("no name from a file becomes an option of ssh, and no option of ssh is relaxed") {
    ::unsetenv("SUDO_UID");
    const auto words = ssh_command({"node-b.home.arpa", "ops", "/etc/diag/ssh_config"}, "diag-worker", {"-v"});
    CHECK(words.front() == "ssh");
    CHECK(std::vector<std::string>(words.end() - 4, words.end()) ==
          std::vector<std::string>{"-v", "--", "node-b.home.arpa", "diag-worker"});
    CHECK(std::find(words.begin(), words.end(), "StrictHostKeyChecking=yes") != words.end());
    CHECK(std::find(words.begin(), words.end(), "BatchMode=yes") != words.end());
    CHECK_THROWS_AS(ssh_command({"-oProxyCommand=x", "", ""}, ""), std::invalid_argument);
    CHECK_THROWS_AS(ssh_command({"", "", ""}, ""), std::invalid_argument);
    CHECK_THROWS_AS(ssh_command({"node-b", "-l", ""}, ""), std::invalid_argument);
}

TEST_CASE("under sudo, ssh is the caller's; a caller that does not exist is nobody") {
    if (::geteuid() != 0) return;
    ::setenv("SUDO_UID", "4294967200", 1);
    CHECK(invoking_user().name.empty());
    ::setenv("SUDO_UID", "1", 1);  // daemon, on every Debian
    CHECK(invoking_user().name == "daemon");
    const auto words = ssh_command({"node-b", "", "~/.ssh/config"}, "");
    CHECK(words.front() == "setpriv");
    CHECK(std::find(words.begin(), words.end(), invoking_user().home + "/.ssh/config") != words.end());
    ::unsetenv("SUDO_UID");
}
