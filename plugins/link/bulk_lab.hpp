// For tests only: NetLab's two namespaces with an iperf3 server at the far end, and iperf3 programs that only repeat a text.
#pragma once

#include <stdlib.h>
#include <sys/stat.h>

#include <filesystem>
#include <fstream>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "probe/subprocess.hpp"
#include "probe/testing_net.hpp"
#include "probe/testing_skip.hpp"

namespace diag::bulk::testing {

using probe::Subprocess;
using probe::testing::must;
using probe::testing::NetLab;
using probe::testing::skipped;

inline std::optional<std::string> missing() {
    if (auto why = NetLab::missing(true)) return why;
    if (probe::testing::run({"iperf3", "--version"}) != 0) return "iperf3 is not installed";
    if (probe::testing::run({"tc", "-V"}) != 0) return "tc(8) is not installed";
    return std::nullopt;
}

// Waits until the program has said `word`; returns whether it did before it ended.
inline bool says(Subprocess& program, const std::string& word) {
    while (program.so_far().out.find(word) == std::string::npos)
        if (program.wait_for(std::chrono::milliseconds(20))) break;
    return program.so_far().out.find(word) != std::string::npos;
}

struct Lab : NetLab {
    std::unique_ptr<Subprocess> server;

    explicit Lab(unsigned port = 5201) {
        must(reno);
        there();
        must(reno);
        serve(port);
        here();
    }
    // Under timeout(1): a test that is killed must not leave a server behind for ever.
    void serve(unsigned port) {
        server = std::make_unique<Subprocess>(
            probe::Command{.argv = {"timeout", "120", "iperf3", "--server", "--forceflush", "--port", std::to_string(port)},
                           .timeout = std::chrono::hours(1)});
        if (!says(*server, "listening")) throw std::runtime_error("no iperf3 server: " + server->so_far().err);
    }
    // A rate limit on what this end sends, and on what the far end sends.
    void shape(const std::string& here, const std::string& there) {
        must(limit(here));
        over_there(limit(there));
    }

  private:
    // What every kernel has and allows in a namespace; the machine's own may fill a short queue with losses (BBR).
    static constexpr auto reno = "sysctl -qw net.ipv4.tcp_congestion_control=reno";
    static std::string limit(const std::string& rate) {
        return "tc qdisc replace dev wire root tbf rate " + rate + " burst 64kb latency 30ms";
    }
};

// While one lives, `iperf3` in PATH is a program that knows its version, writes `text` and exits with 0; or another script.
class FakeIperf {
  public:
    static constexpr auto repeats = "#!/bin/sh\n[ \"$1\" != --version ] || exec echo 'iperf 3.12 (a fake)'\nexec cat \"${0%/*}/text\"\n";
    explicit FakeIperf(const std::string& text, const std::string& script = repeats) {
        std::string name = "/tmp/diag-iperf3-XXXXXX";
        folder_ = ::mkdtemp(name.data());
        std::ofstream(folder_ / "text") << text;
        std::ofstream(folder_ / "iperf3") << script;
        ::chmod((folder_ / "iperf3").c_str(), 0755);
        path_ = ::getenv("PATH");
        ::setenv("PATH", (folder_.string() + ":" + path_).c_str(), 1);
    }
    ~FakeIperf() {
        ::setenv("PATH", path_.c_str(), 1);
        std::filesystem::remove_all(folder_);
    }
    FakeIperf(const FakeIperf&) = delete;
    FakeIperf& operator=(const FakeIperf&) = delete;

  private:
    std::filesystem::path folder_;
    std::string path_;
};

}  // namespace diag::bulk::testing
