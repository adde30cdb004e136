#include "lab/iperf.hpp"

#include <unistd.h>

#include <cstdint>
#include <vector>

#include <fmt/format.h>

#include "lab/await.hpp"
#include "lab/command.hpp"
#include "lab/listener.hpp"
#include "lab/processes.hpp"
#include "lab/service.hpp"
#include "lab/topology.hpp"

namespace diag::lab {
namespace {

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

}  // namespace

bool have_iperf() { return !find_program("iperf3").empty(); }

void start_iperf(const std::string& node) {
    const std::string name = "the iperf3 server of " + machine_of(node), path = find_program("iperf3");
    const auto free_port = [] {
        listening_socket(port);
        return base::Fd();
    };
    const auto pid = start_service(node, {name, free_port, [&](int) { become_iperf(path, {"--server"}); }});
    if (pid) await_listening(name, *pid, port);
}

void occupy_iperf(const std::string& node) {
    const std::string name = "the iperf3 client of " + machine_of(node), path = find_program("iperf3");
    const Argv options{"--client", "127.0.0.1", "--time", "86400", "--bitrate", "1M"};
    const auto pid = start_service(node, {name, [] { return base::Fd(); }, [&](int) { become_iperf(path, options); }});
    if (pid) await_connected(name, *pid, port, 2);  // control and data
}

void end_iperf(const std::string& node) { end_recorded(shown, node); }

}  // namespace diag::lab
