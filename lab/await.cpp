#include "lab/await.hpp"

#include <chrono>
#include <filesystem>
#include <sstream>
#include <thread>

#include <fmt/format.h>

#include "base/file.hpp"
#include "lab/command.hpp"
#include "lab/processes.hpp"

namespace diag::lab {
namespace {

using namespace std::chrono_literals;

// TCP sockets in the process's network that have this state and port (proc_net_tcp: local and remote address, state, in hex).
int sockets(pid_t pid, std::uint16_t port, bool remote, const std::string& state) {
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

void await_listening(const std::string& name, pid_t pid, std::uint16_t port) {
    await(name, pid, [&] { return sockets(pid, port, false, "0A") > 0; });
}

void await_connected(const std::string& name, pid_t pid, std::uint16_t port, int connections) {
    await(name, pid, [&] { return sockets(pid, port, true, "01") >= connections; });
}

}  // namespace diag::lab
