#include "lab/iperf.hpp"

#include <unistd.h>

#include <chrono>
#include <cstdint>
#include <filesystem>
#include <sstream>
#include <thread>
#include <vector>

#include <fmt/format.h>

#include "base/file.hpp"
#include "lab/command.hpp"
#include "lab/listener.hpp"
#include "lab/processes.hpp"
#include "lab/service.hpp"
#include "lab/topology.hpp"

namespace diag::lab {
namespace {

using namespace std::chrono_literals;

constexpr std::uint16_t port = 5201;          // iperf3's own default
const std::string shown = "diag-lab-iperf3";  // its argv[0]: whose it is, for ps and for end_iperf()

void become_iperf(const std::string& path, const Argv& options) {
    std::vector<char*> argv{const_cast<char*>(shown.c_str())};
    for (const std::string& word : options) argv.push_back(const_cast<char*>(word.c_str()));
    argv.push_back(nullptr);
    char language[] = "LC_ALL=C";
    char* environment[] = {language, nullptr};
    ::close(3);
    ::execve(path.c_str(), argv.data(), environment);
}

// TCP sockets in the process's network that have this state and port (proc_net_tcp: local and remote address, state, in hex).
int sockets(pid_t pid, bool remote, const std::string& state) {
    const std::string wanted = fmt::format(":{:04X}", port);
    int count = 0;
    for (const char* table : {"tcp", "tcp6"}) {
        const std::string path = fmt::format("/proc/{}/net/{}", pid, table);
        if (!std::filesystem::exists(path)) continue;
        std::istringstream lines(base::read_file(path));
        for (std::string line; std::getline(lines, line);) {
            std::istringstream words(line);
            std::string number, here, there, is;
            words >> number >> here >> there >> is;
            if (is == state && (remote ? there : here).ends_with(wanted)) ++count;
        }
    }
    return count;
}

template <typename Ready>
void await(const std::string& name, pid_t pid, Ready ready) {
    for (const auto deadline = std::chrono::steady_clock::now() + 5s; !ready();) {
        if (!process(pid) || std::chrono::steady_clock::now() > deadline) throw CommandFailed(name + " does not work");
        std::this_thread::sleep_for(5ms);
    }
}

}  // namespace

bool have_iperf() { return !find_program("iperf3").empty(); }

void start_iperf(const std::string& node) {
    const std::string name = "the iperf3 server of " + machine_of(node), path = find_program("iperf3");
    const auto free_port = [] {
        listening_socket(port);
        return base::Fd();
    };
    const auto pid = start_service(node, {name, free_port, [&](int) { become_iperf(path, {"--server"}); }});
    if (pid) await(name, *pid, [&] { return sockets(*pid, false, "0A") > 0; });
}

void occupy_iperf(const std::string& node) {
    const std::string name = "the iperf3 client of " + machine_of(node), path = find_program("iperf3");
    const Argv options{"--client", "127.0.0.1", "--time", "86400", "--bitrate", "1M"};
    const auto pid = start_service(node, {name, [] { return base::Fd(); }, [&](int) { become_iperf(path, options); }});
    if (pid) await(name, *pid, [&] { return sockets(*pid, true, "01") >= 2; });  // control and data
}

void end_iperf(const std::string& node) { end_recorded(shown, node); }

}  // namespace diag::lab
