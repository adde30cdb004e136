#include "lab/processes.hpp"

#include <fcntl.h>
#include <signal.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cctype>
#include <chrono>
#include <filesystem>
#include <fstream>
#include <set>
#include <sstream>
#include <stdexcept>
#include <system_error>
#include <thread>
#include <utility>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "base/fd.hpp"
#include "base/file.hpp"
#include "lab/namespaces.hpp"
#include "lab/state.hpp"

namespace diag::lab {
namespace {

using Identity = std::pair<dev_t, ino_t>;

// Empty where there is no such namespace.  One whose `ip netns add` was killed half way is a plain file, which no process is in.
std::set<Identity> network_of(const std::string& name) {
    struct stat at {};
    if (::stat((std::string(namespace_folder) + "/" + name).c_str(), &at) != 0) return {};
    return {{at.st_dev, at.st_ino}};
}

std::set<Identity> lab_networks() {
    std::set<Identity> networks;
    for (const std::string& name : lab_namespaces()) networks.merge(network_of(name));
    return networks;
}

bool in_one_of(const std::set<Identity>& networks, const std::string& pid) {
    struct stat at {};
    // A process that has ended meanwhile, or is a zombie, has no network.
    return ::stat(fmt::format("/proc/{}/ns/net", pid).c_str(), &at) == 0 && networks.count({at.st_dev, at.st_ino}) != 0;
}

std::set<pid_t> pids_in(const std::set<Identity>& networks) {
    std::set<pid_t> pids;
    for (const auto& entry : std::filesystem::directory_iterator("/proc")) {
        const std::string name = entry.path().filename();
        if (std::isdigit(static_cast<unsigned char>(name[0])) != 0 && in_one_of(networks, name)) pids.insert(std::stoi(name));
    }
    return pids;
}

bool recorded(const Process& which) {
    const auto now = process(which.pid);
    return now && now->start == which.start;
}

// Whether its argv[0] is `name`, or the kernel's name for it (sshd writes a title over its argv); not before it has become that
// program.
bool called(pid_t pid, const std::string& name) {
    std::ifstream cmdline(fmt::format("/proc/{}/cmdline", pid)), comm(fmt::format("/proc/{}/comm", pid));
    std::string first, kernels;
    return (std::getline(cmdline, first, '\0') && first == name) || (std::getline(comm, kernels) && kernels == name);
}

// Signals `pid` only while it is still meant: the descriptor holds the process that `meant` was asked about.
template <typename Meant>
void signal_one(pid_t pid, int number, Meant meant) {
    const base::Fd handle(static_cast<int>(::syscall(SYS_pidfd_open, pid, 0)));
    if (!handle || !meant()) return;  // ended meanwhile
    ::syscall(SYS_pidfd_send_signal, handle.get(), number, nullptr, 0);
}

// One round over all that is left; returns who that was.
std::set<pid_t> signal_all(const std::set<Identity>& networks, int number) {
    std::set<pid_t> left = pids_in(networks);
    for (const pid_t pid : left) signal_one(pid, number, [&] { return in_one_of(networks, std::to_string(pid)); });
    for (const Process& one : recorded_processes()) {
        if (!left.insert(one.pid).second) continue;
        signal_one(one.pid, number, [&] { return recorded(one); });
    }
    return left;
}

}  // namespace

std::optional<Process> process(pid_t pid) {
    const std::string path = fmt::format("/proc/{}/stat", pid);
    if (!std::filesystem::exists(path)) return std::nullopt;
    std::string line;
    try {
        line = base::read_file(path, 4096);
    } catch (const std::system_error& e) {
        if (e.code().value() == ESRCH || e.code().value() == ENOENT) return std::nullopt;  // ended between the two
        throw;
    }
    // Field 2, the name, may hold blanks and brackets; field 3 is the state and field 22 the start time (proc(5)).
    std::istringstream fields(line.substr(line.rfind(')') + 1));
    std::string state, skipped;
    fields >> state;
    for (int field = 4; field < 22; ++field) fields >> skipped;
    Process found{pid, 0};
    if (!(fields >> found.start)) throw std::runtime_error(path + ": not as proc(5) has it");
    if (state == "Z" || state == "X") return std::nullopt;
    return found;
}

std::vector<Process> recorded_processes() {
    std::vector<Process> alive;
    if (!std::filesystem::exists(pids_path)) return alive;
    std::istringstream lines(base::read_file(pids_path, 1 << 20));
    Process one;
    while (lines >> one.pid >> one.start)
        if (recorded(one)) alive.push_back(one);
    return alive;
}

void record_process(const Process& one) {
    const base::Fd fd(::open(pids_path, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC | O_NOFOLLOW, 0644));
    if (!fd) base::throw_errno(pids_path);
    base::write_all(fd.get(), fmt::format("{} {}\n", one.pid, one.start), pids_path);
}

bool signal_recorded(const std::string& name, const std::string& node, int number) {
    const std::set<Identity> networks = node.empty() ? lab_networks() : network_of(namespace_of(node));
    const auto meant = [&](const Process& one) {
        return recorded(one) && called(one.pid, name) && in_one_of(networks, std::to_string(one.pid));
    };
    bool any = false;
    for (const Process& one : recorded_processes()) {
        if (!meant(one)) continue;
        any = true;
        signal_one(one.pid, number, [&] { return meant(one); });
    }
    return any;
}

void end_recorded(const std::string& name, const std::string& node) {
    using namespace std::chrono_literals;
    const auto begin = std::chrono::steady_clock::now();
    while (signal_recorded(name, node, SIGKILL)) {
        if (std::chrono::steady_clock::now() - begin > 5s) throw std::runtime_error(name + " does not end");
        std::this_thread::sleep_for(5ms);
    }
}

bool inside_the_lab() { return in_one_of(lab_networks(), "self"); }

void end_processes() {
    using namespace std::chrono_literals;
    const std::set<Identity> networks = lab_networks();
    const auto begin = std::chrono::steady_clock::now();
    for (;;) {
        const auto waited = std::chrono::steady_clock::now() - begin;
        const std::set<pid_t> left = signal_all(networks, waited < 2s ? SIGTERM : SIGKILL);
        if (left.empty()) return;
        if (waited > 5s) throw std::runtime_error(fmt::format("processes in the lab that do not end: {}", fmt::join(left, ", ")));
        std::this_thread::sleep_for(20ms);
    }
}

}  // namespace diag::lab
