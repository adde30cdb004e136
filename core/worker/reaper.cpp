#include "worker/reaper.hpp"

#include <poll.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <map>
#include <system_error>

#include <fmt/format.h>

#include "base/file.hpp"

namespace diag::worker {
namespace {

using Clock = std::chrono::steady_clock;

std::string or_why_not(const std::string& path) {
    try {
        return base::read_file(path);
    } catch (const std::system_error& e) {
        return fmt::format("({})", e.what());
    }
}

Stuck describe(const Process& p) {
    const std::string folder = fmt::format("/proc/{}/", p.pid);
    return {p.pid, p.name, or_why_not(folder + "wchan"), or_why_not(folder + "stack"), or_why_not(folder + "status")};
}

}  // namespace

bool Reaper::reap(pid_t main, int* main_status, bool* main_gone) {
    // Without exceptions to make, one call collects them all, and says whether any is left.
    // __WALL: a child made by clone() without an exit signal counts too.
    for (const auto& candidates = spare_ ? children_of(::getpid()) : std::vector<pid_t>{-1}; const pid_t candidate : candidates) {
        if (spare_ && spare_(candidate)) continue;
        for (int status = 0;;) {
            const pid_t pid = ::waitpid(candidate, &status, WNOHANG | __WALL);
            if (pid < 0 && errno == ECHILD && !spare_) return false;
            if (pid <= 0) break;
            if (pid != main) continue;
            *main_status = status;
            *main_gone = true;
        }
    }
    return true;
}

std::vector<Process> Reaper::sweep(const std::function<void(const Process&)>& visit) const {
    std::vector<Process> found;
    visit_descendants([&](pid_t pid) {
        if (spare_ && spare_(pid)) return false;
        const auto process = read_process(pid);
        if (!process || !process->alive() || given_up_.contains({pid, process->started})) return true;
        visit(*process);
        found.push_back(*process);
        return true;
    });
    return found;
}

std::vector<Process> Reaper::living() const {
    return sweep([](const Process&) {});
}

bool Reaper::any_given_up() const {
    return std::ranges::any_of(given_up_, [](const Identity& one) {
        const auto process = read_process(one.first);
        return process && process->started == one.second;
    });
}

bool Reaper::unseen() { return !spare_ && reap() && living().empty() && !any_given_up(); }

std::vector<Stuck> Reaper::kill_all(std::chrono::milliseconds patience) {
    std::map<Identity, Clock::time_point> killed;  // when each was first sent SIGKILL
    int empty_sweeps = 0;
    const auto begun = Clock::now();
    // What is left by waitpid(2) and is not seen may be about to end; for ever it is only where /proc does not show it.
    const auto explained = [&] { return spare_ || any_given_up() || Clock::now() - begun > patience; };
    while (reap()) {
        // A stopped parent's list of children is complete: it is stopped before that list is read.
        const auto found = sweep([](const Process& p) { ::kill(p.pid, SIGSTOP); });
        empty_sweeps = found.empty() ? empty_sweeps + 1 : 0;
        if (empty_sweeps >= 2 && explained()) break;  // two, as one can miss a process that moves up while its parent dies
        bool news = false;
        for (const auto& p : found) {
            ::kill(p.pid, SIGKILL);
            news = killed.try_emplace({p.pid, p.started}, Clock::now()).second || news;
        }
        const auto outlived = [&](const Process& p) { return Clock::now() - killed.at({p.pid, p.started}) > patience; };
        if (!found.empty() && std::ranges::all_of(found, outlived)) {
            std::vector<Stuck> stuck;
            for (const auto& p : found) {
                stuck.push_back(describe(p));
                given_up_.insert({p.pid, p.started});
            }
            return stuck;
        }
        if (!news) ::poll(nullptr, 0, 1);  // those that were killed need a moment to die
    }
    return {};
}

}  // namespace diag::worker
