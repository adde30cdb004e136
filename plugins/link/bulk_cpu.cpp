#include "bulk_cpu.hpp"

#include <cctype>
#include <sstream>
#include <system_error>

#include <fmt/format.h>

#include <diag/verdict.hpp>

#include "probe/files.hpp"

namespace diag::bulk {

std::vector<Processor> parse_processors(const std::string& stat) {
    std::vector<Processor> found;
    std::istringstream lines(stat);
    for (std::string line; std::getline(lines, line);) {
        std::istringstream words(line);
        Processor one;
        words >> one.name;
        if (one.name.size() < 4 || !one.name.starts_with("cpu") || std::isdigit(static_cast<unsigned char>(one.name[3])) == 0) continue;
        // user nice system idle iowait irq softirq steal; guest time is part of user (proc(5)).
        double ticks = 0;
        for (int column = 0; column < 8 && words >> ticks; ++column) {
            one.all += ticks;
            if (column == 3 || column == 4) one.idle += ticks;
            if (column == 6) one.softirq = ticks;
        }
        found.push_back(one);
    }
    return found;
}

std::vector<Processor> processors_of(const std::filesystem::path& root) {
    try {
        return parse_processors(probe::read_text(root, "/proc/stat"));
    } catch (const Absent&) {
    } catch (const Unreadable&) {
    }
    return {};
}

Busiest busiest_in_softirq(const std::vector<Processor>& before, const std::vector<Processor>& after) {
    Busiest most;
    for (const auto& early : before)
        for (const auto& late : after) {
            if (early.name != late.name || late.all <= early.all) continue;
            const double share = (late.softirq - early.softirq) / (late.all - early.all);
            if (share > most.share) most = {late.name, share, 1 - (late.idle - early.idle) / (late.all - early.all)};
        }
    return most;
}

ThreadTime keenest_thread(pid_t process) {
    ThreadTime most;
    const std::string tasks = fmt::format("/proc/{}/task", process);
    std::error_code gone;  // a process that has ended has no threads to ask
    for (std::filesystem::directory_iterator task(tasks, gone), end; !gone && task != end; task.increment(gone)) try {
            std::istringstream words(probe::read_text({}, task->path() / "schedstat"));
            double ran = 0, waited = 0;  // nanoseconds
            if (words >> ran >> waited && (ran + waited) / 1e9 > most.wanted()) most = {ran / 1e9, waited / 1e9};
        } catch (const Absent&) {
        } catch (const Unreadable&) {
        }
    return most;
}

std::optional<double> idle_processors(const std::vector<Processor>& before, const std::vector<Processor>& after) {
    int compared = 0;
    double idle = 0;
    for (const auto& early : before)
        for (const auto& late : after) {
            if (early.name != late.name || late.all <= early.all) continue;
            ++compared;
            idle += (late.idle - early.idle) / (late.all - early.all);
        }
    if (compared == 0) return std::nullopt;
    return compared == 1 ? 0 : idle;
}

}  // namespace diag::bulk
