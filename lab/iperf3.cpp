#include "lab/iperf3.hpp"

#include <unistd.h>

#include <string>
#include <vector>

#include "base/fd.hpp"
#include "lab/await.hpp"
#include "lab/command.hpp"
#include "lab/listener.hpp"
#include "lab/processes.hpp"
#include "lab/service.hpp"
#include "lab/topology.hpp"

namespace diag::lab {
namespace {

const char* const occupier = "diag-lab-iperf3";

// argv[0] is `name`, so that a server is told from a client.
void become_iperf3(const std::string& path, std::string name, std::vector<std::string> words) {
    std::vector<char*> argv{name.data()};
    for (std::string& word : words) argv.push_back(word.data());
    argv.push_back(nullptr);
    char language[] = "LC_ALL=C";
    char* environment[] = {language, nullptr};
    ::execve(path.c_str(), argv.data(), environment);
}

std::string program() {
    std::string path = find_program("iperf3");
    if (path.empty()) throw CommandFailed("this needs iperf3 (apt-get install iperf3)");
    return path;
}

}  // namespace

void start_iperf3(const std::string& node) {
    const std::string path = program(), name = "the iperf3 server of " + machine_of(node);
    const auto free_port = [] {
        listening_socket(iperf3_port);  // and closed again
        return base::Fd();
    };
    const auto serve = [&](int) { become_iperf3(path, "iperf3", {"--server"}); };
    if (const auto pid = start_service(node, {name, free_port, serve})) await_listening(name, *pid, iperf3_port);
}

void occupy_iperf3(const std::string& node) {
    const std::string path = program(), name = "the iperf3 client of " + machine_of(node);
    const auto nothing = [] { return base::Fd(); };
    // Hardly any load, and an end of its own: half an hour.
    const auto test = [&](int) { become_iperf3(path, occupier, {"--client", "127.0.0.1", "--bitrate", "8K", "--time", "1800"}); };
    constexpr int control_and_stream = 2;
    await_connected(name, start_service(node, {name, nothing, test}).value(), iperf3_port, control_and_stream);
}

void release_iperf3(const std::string& node) { end_recorded(occupier, node); }

void end_iperf3() {
    release_iperf3({});
    end_recorded("iperf3", {});
}

}  // namespace diag::lab
