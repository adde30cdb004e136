#include "worker/descendants.hpp"

#include <dirent.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstdlib>
#include <memory>
#include <set>
#include <sstream>
#include <system_error>

#include <fmt/format.h>

#include "base/file.hpp"

namespace diag::worker {
namespace {

// Processes come and go while they are looked at: a file that cannot be read is a process that is gone.
std::optional<std::string> slurp(const std::string& path) {
    try {
        return base::read_file(path);
    } catch (const std::system_error&) {
        return std::nullopt;
    }
}

std::vector<pid_t> numbers_in(const std::string& folder) {
    std::vector<pid_t> numbers;
    const std::unique_ptr<DIR, int (*)(DIR*)> dir(::opendir(folder.c_str()), ::closedir);
    while (const dirent* entry = dir ? ::readdir(dir.get()) : nullptr)
        if (const long number = std::strtol(entry->d_name, nullptr, 10); number > 0) numbers.push_back(static_cast<pid_t>(number));
    return numbers;
}

// /proc/PID/task/TID/children exists only in kernels with CONFIG_PROC_CHILDREN.
bool kernel_lists_children() {
    static const bool listed = ::access(fmt::format("/proc/self/task/{}/children", ::getpid()).c_str(), R_OK) == 0;
    return listed;
}

std::vector<pid_t> children_by_parent(pid_t pid) {
    std::vector<pid_t> children;
    for (const pid_t candidate : numbers_in("/proc"))
        if (const auto process = read_process(candidate); process && process->parent == pid) children.push_back(candidate);
    return children;
}

}  // namespace

std::optional<Process> read_process(pid_t pid) {
    const auto stat = slurp(fmt::format("/proc/{}/stat", pid));
    if (!stat) return std::nullopt;
    // The name stands in parentheses and may hold anything, parentheses too: the last one ends it.
    const std::size_t open = stat->find('('), close = stat->rfind(')');
    if (open == std::string::npos || close == std::string::npos) return std::nullopt;
    Process p{.pid = pid, .name = stat->substr(open + 1, close - open - 1)};
    std::istringstream fields(stat->substr(close + 1));
    pid_t group = 0;
    fields >> p.state >> p.parent >> group >> p.session;
    std::string skipped;
    for (int field = 7; field < 22; ++field) fields >> skipped;
    fields >> p.started;
    return fields ? std::optional(p) : std::nullopt;
}

std::vector<pid_t> children_of(pid_t pid) {
    if (!kernel_lists_children()) return children_by_parent(pid);
    std::vector<pid_t> children;
    for (const pid_t thread : numbers_in(fmt::format("/proc/{}/task", pid))) {
        std::istringstream list(slurp(fmt::format("/proc/{}/task/{}/children", pid, thread)).value_or(""));
        for (pid_t child = 0; list >> child;) children.push_back(child);
    }
    return children;
}

// /proc/self leads to this process as the mounted /proc numbers it: another number is that of another process namespace.
std::optional<std::string> unseen_processes() {
    std::array<char, 32> text{};
    const ssize_t n = ::readlink("/proc/self", text.data(), text.size() - 1);
    if (n < 0) return fmt::format("/proc shows no process: {}", std::generic_category().message(errno));
    if (std::atoi(text.data()) == ::getpid()) return std::nullopt;
    return fmt::format("/proc is of another process namespace: this is process {}, and there it is {}", ::getpid(), text.data());
}

void visit_descendants(const std::function<bool(pid_t)>& visit, pid_t root) {
    std::set<pid_t> seen;  // a process whose parent dies moves up to this one, and would be met again
    std::vector<pid_t> todo = children_of(root == 0 ? ::getpid() : root);
    while (!todo.empty()) {
        const pid_t pid = todo.back();
        todo.pop_back();
        if (!seen.insert(pid).second || !visit(pid)) continue;
        for (const pid_t child : children_of(pid)) todo.push_back(child);
    }
}

}  // namespace diag::worker
