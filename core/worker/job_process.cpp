#include "worker/job_process.hpp"

#include <dirent.h>
#include <fcntl.h>
#include <linux/close_range.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <exception>
#include <new>
#include <string>

#include "base/child.hpp"
#include "base/file.hpp"
#include "worker/plugin_file.hpp"

namespace diag::worker {
namespace {

constexpr int channel_fd = 3;
constexpr int exit_unprepared = 126;

// Says why on stderr, which the host keeps as evidence.
[[noreturn]] void give_up(const char* what) {
    std::perror(what);
    ::_exit(exit_unprepared);
}

void close_above(int last) {
    if (::syscall(SYS_close_range, last + 1, ~0U, 0) == 0) return;
    // Kernels before 5.9 have no close_range(2).
    DIR* dir = ::opendir("/proc/self/fd");
    if (dir == nullptr) give_up("/proc/self/fd");
    while (const dirent* entry = ::readdir(dir))
        if (const int fd = std::atoi(entry->d_name); fd > last && fd != ::dirfd(dir)) ::close(fd);
    ::closedir(dir);
}

void arrange_descriptors(const JobEnds& ends) {
    const int null = ::open("/dev/null", O_RDONLY | O_CLOEXEC);
    if (null < 0 || ::dup2(null, 0) < 0 || ::dup2(ends.out, 1) < 0 || ::dup2(ends.err, 2) < 0) give_up("standard streams");
    if (ends.channel != channel_fd && ::dup2(ends.channel, channel_fd) < 0) give_up("channel");
    if (::fcntl(channel_fd, F_SETFD, FD_CLOEXEC) != 0) give_up("channel");  // programs that the check runs must not write there
    close_above(channel_fd);
}

void bound(int resource, rlim_t most, const char* name) {
    rlimit limit{};
    if (::getrlimit(resource, &limit) != 0) give_up(name);
    if (limit.rlim_max != RLIM_INFINITY && limit.rlim_max < most) most = limit.rlim_max;
    limit = {most, most};
    if (::setrlimit(resource, &limit) != 0) give_up(name);
}

void prepare(const JobRequest& job, const JobEnds& ends, pid_t worker) {
    ::prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (::getppid() != worker) ::_exit(exit_unprepared);  // the worker died before that held
    if (::setsid() < 0) give_up("setsid");
    arrange_descriptors(ends);
    if (!base::default_signals()) give_up("signal mask");
    bound(RLIMIT_CORE, 0, "RLIMIT_CORE");
#if !defined(__SANITIZE_ADDRESS__)  // the sanitizer's shadow memory counts as data
    bound(RLIMIT_DATA, job.limits.data, "RLIMIT_DATA");
#else
    (void)job;
#endif
    ::setenv("LC_ALL", "C", 1);
}

void report(const json& event) {
    base::write_all(channel_fd, event.dump(-1, ' ', false, json::error_handler_t::replace) + "\n", "channel");
}

void report_error(const char* kind, const std::string& text) { report({{"event", "error"}, {"kind", kind}, {"text", text}}); }

int describe(const diag_abi& plugin) {
    const char* catalogue = plugin.describe();
    if (catalogue == nullptr) throw LoadError("plugin.catalogue", "describe() gives nothing");
    report({{"event", "catalogue"}, {"text", catalogue}});
    return 0;
}

// A plugin made with the kit lets nothing through; others may.
int serve(const JobRequest& job) {
    try {
        const diag_abi* plugin = &load_plugin(job.file);
        return job.describe ? describe(*plugin) : plugin->run(job.request.c_str(), channel_fd);
    } catch (const LoadError& e) {
        report({{"event", "load-error"}, {"code", e.code}, {"text", e.what()}});
    } catch (const std::bad_alloc&) {
        report_error("memory", "it ran out of the memory it may use");
    } catch (const std::exception& e) {
        report_error("exception", e.what());
    } catch (...) {
        report_error("exception", "something that is not a std::exception was thrown");
    }
    return 1;
}

}  // namespace

void job_process(const JobRequest& job, const JobEnds& ends, pid_t worker) {
    prepare(job, ends, worker);
    const int status = serve(job);
    std::fflush(nullptr);
    ::_exit(status);  // no destructors: they are the worker's
}

}  // namespace diag::worker
