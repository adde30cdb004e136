#include "host/halves.hpp"

#include <algorithm>

#include "base/fd.hpp"

namespace diag::host {
namespace {

using Clock = WorkerSession::Clock;
using namespace std::chrono_literals;

constexpr auto sign_of_life = 1s;  // how often the person who waits sees that time goes on
constexpr auto last_moment = 1s;   // for the other half to end what it started, before it is cancelled

class Watch {
  public:
    Watch(std::vector<Half*> halves, int interrupt_fd, const Progress& progress)
        : halves_(std::move(halves)), interrupt_fd_(interrupt_fd), progress_(progress) {}

    // Takes what comes until `enough` says so.
    template <class Enough>
    void until(const Enough& enough) {
        for (;;) {
            for (auto* half : halves_) advance(*half);
            if (enough()) return;
            wait();
        }
    }

  private:
    void advance(Half& half) {
        Half* other = half.other;
        if (half.job.id == 0 || half.job.done) return;
        if (other == nullptr) return half.session.advance(half.job, progress_, {});
        half.session.advance(half.job, progress_, [&](const json& message) {
            other->session.say(other->job, {{"event", "told"}, {"message", message}});
        });
        if (half.job.done)
            other->session.say(other->job, {{"event", "alone"}, {"why", "the other half, on " + half.machine + ", has ended"}});
    }

    void wait() {
        auto until = Clock::now() + sign_of_life;
        std::vector<WorkerProcess*> processes;
        for (auto* half : halves_) {
            if (half->job.id == 0 || half->job.done || half->session.process() == nullptr) continue;
            processes.push_back(half->session.process());
            until = std::min(until, half->job.until);
        }
        WorkerProcess::wait(processes, until, interrupt_fd_);
        if (Clock::now() - told_ >= sign_of_life && progress_) {
            progress_("");
            told_ = Clock::now();
        }
        if (!base::readable(interrupt_fd_)) return;
        for (auto* half : halves_) half->session.cancel(half->job);
        interrupt_fd_ = -1;
    }

    std::vector<Half*> halves_;
    int interrupt_fd_;
    const Progress& progress_;
    Clock::time_point told_ = Clock::now();
};

}  // namespace

void run_job(Half& only, double longest, int interrupt_fd, const Progress& progress) {
    only.job = only.session.start(only.request, longest);
    Watch({&only}, interrupt_fd, progress).until([&] { return only.job.done; });
}

void run_beside(std::vector<Half>& jobs, double longest, int interrupt_fd, const Progress& progress) {
    std::vector<Half*> halves;
    for (auto& half : jobs) {
        try {
            half.job = half.session.start(half.request, longest);
        } catch (const NoWorker& e) {
            half.job.observed.end = {{"event", "end"}, {"how", "lost"}, {"code", e.code}, {"text", e.what()}};
            half.job.done = true;
        }
        halves.push_back(&half);
    }
    Watch(halves, interrupt_fd, progress).until([&] {
        return std::ranges::all_of(halves, [](const Half* half) { return half->job.done; });
    });
}

void run_halves(Half& here, Half& there, double longest, int interrupt_fd, const Progress& progress) {
    there.session.hello();
    here.session.hello();
    here.other = &there;
    there.other = &here;
    Half& first = here.machine < there.machine ? here : there;
    Half& second = &first == &here ? there : here;
    Watch watch({&here, &there}, interrupt_fd, progress);
    first.job = first.session.start(first.request, longest);
    watch.until([&] { return first.job.started || first.job.done; });
    if (!first.job.done) {
        second.job = second.session.start(second.request, longest);
        watch.until([&] { return second.job.started || second.job.done || first.job.done; });
    }
    for (auto* half : {&here, &there}) half->session.say(half->job, {{"event", "begin"}});
    if (second.job.id == 0) return;  // the first ended before there was a second: it could not have the lock, say
    watch.until([&] { return here.job.done; });
    const auto moment = Clock::now() + last_moment;
    watch.until([&] { return there.job.done || Clock::now() >= moment; });
    there.session.cancel(there.job);
    watch.until([&] { return there.job.done; });
}

}  // namespace diag::host
