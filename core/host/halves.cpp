#include "host/halves.hpp"

#include <algorithm>
#include <set>

#include "base/fd.hpp"

namespace diag::host {
namespace {

using Clock = WorkerSession::Clock;
using namespace std::chrono_literals;

constexpr auto sign_of_life = 1s;  // how often the person who waits sees that time goes on
constexpr auto last_moment = 1s;   // for the other half to end what it started, before it is cancelled

void end_as_lost(Half& half, const std::string& code, const std::string& text) {
    half.job.observed.end = {{"event", "end"}, {"how", "lost"}, {"code", code}, {"text", text}};
    half.job.done = true;
}

bool runs(const Half& half) { return half.job.id != 0 && !half.job.done; }

// A peer's worker that was lost may be frozen, with what it started running on: a new one ends it.
void end_lost_worker(const Half& half) {
    if (half.session->peer().empty() || half.job.observed.end.value("how", "") != "lost") return;
    try {
        half.session->hello();
    } catch (const std::runtime_error&) {  // the machine itself is gone: nothing of ours is reached there
    }
}

}  // namespace

void Run::start(Half& half) {
    try {
        half.job = half.session->start(half.request, longest_);
    } catch (const NoWorker& e) {
        end_as_lost(half, e.code, e.what());
    } catch (const std::runtime_error& e) {
        end_as_lost(half, "worker.lost", e.what());
    }
}

void Run::begin() {
    start(first());
    phase_ = there_ ? Phase::first : Phase::running;
}

std::vector<const WorkerSession*> Run::sessions() const {
    if (!there_) return {here_.session};
    return {here_.session, there_->session};
}

void Run::advance(Half& half, Half* other, const Progress& progress) {
    if (!runs(half)) return;
    try {
        if (other == nullptr) return half.session->advance(half.job, progress, {});
        half.session->advance(half.job, progress, [&](const json& message) {
            other->session->say(other->job, {{"event", "told"}, {"message", message}});
        });
    } catch (const std::exception& e) {  // what it sent is no answer
        end_as_lost(half, "worker.lost", e.what());
    }
    if (half.job.done && runs(*other))
        other->session->say(other->job, {{"event", "alone"}, {"why", "the other half, on " + half.machine + ", has ended"}});
}

void Run::step(const Progress& progress) {
    if (over() || waits()) return;
    advance(here_, there_ ? &*there_ : nullptr, progress);
    if (there_) advance(*there_, &here_, progress);
    for (Phase before = Phase::over; before != phase_ && !over();) {
        before = phase_;
        next_phase();
    }
    if (!over()) return;
    end_lost_worker(here_);
    if (there_) end_lost_worker(*there_);
}

void Run::next_phase() {
    switch (phase_) {
        case Phase::waiting:
            break;
        case Phase::first:
            if (first().job.done) {  // it could not have its machine, say: there is no second
                end_as_lost(second(), "peer.companion-lost", "the other half, on " + first().machine + ", did not start");
                phase_ = Phase::over;
            } else if (first().job.started) {
                start(second());
                phase_ = Phase::second;
            }
            break;
        case Phase::second:
            if (!second().job.started && !second().job.done && !first().job.done) break;
            for (Half* half : {&here_, &*there_}) half->session->say(half->job, {{"event", "begin"}});
            if (second().job.done) first().session->say(first().job, {{"event", "alone"}, {"why", "the other half did not start"}});
            phase_ = Phase::running;
            break;
        case Phase::running:
            if (!here_.job.done) break;
            moment_ = Clock::now() + last_moment;
            phase_ = there_ && !there_->job.done ? Phase::ending : Phase::over;
            break;
        case Phase::ending:
            if (there_->job.done) phase_ = Phase::over;
            if (there_->job.done || Clock::now() < moment_) break;
            there_->session->cancel(there_->job);
            moment_ = Clock::time_point::max();
            break;
        case Phase::over:
            break;
    }
}

void Run::cancel() {
    if (waits()) {
        here_.job.observed.end = {{"event", "end"}, {"how", "cancelled"}};
        if (there_) there_->job.observed.end = here_.job.observed.end;
        phase_ = Phase::over;
        return;
    }
    here_.session->cancel(here_.job);
    if (there_) there_->session->cancel(there_->job);
}

void Run::add_waits(std::vector<WorkerProcess*>& processes, Clock::time_point& until) const {
    if (over() || waits()) return;
    if (phase_ == Phase::ending) until = std::min(until, moment_);
    const auto add = [&](const Half& half) {
        if (!runs(half) || half.session->process() == nullptr) return;
        processes.push_back(half.session->process());
        until = std::min(until, half.job.until);
    };
    add(here_);
    if (there_) add(*there_);
}

namespace {

// Whether any has begun.
bool begin_free(std::vector<Run>& runs) {
    std::set<const WorkerSession*> busy;
    const auto take = [&](const Run& run) {
        for (const auto* session : run.sessions()) busy.insert(session);
    };
    bool begun = false;
    for (const auto& run : runs)
        if (!run.waits() && !run.over()) take(run);
    for (auto& run : runs) {
        if (!run.waits() || std::ranges::any_of(run.sessions(), [&](const auto* session) { return busy.contains(session); })) continue;
        run.begin();
        take(run);
        begun = true;
    }
    return begun;
}

}  // namespace

void run_all(std::vector<Run>& runs, int interrupt_fd, const Progress& progress) {
    for (auto told = Clock::now();;) {
        do {
            for (auto& run : runs) run.step(progress);
        } while (begin_free(runs));  // one that cannot have its worker is over at once, and makes room
        if (std::ranges::all_of(runs, [](const Run& run) { return run.over(); })) return;
        auto until = Clock::now() + sign_of_life;
        std::vector<WorkerProcess*> processes;
        for (const auto& run : runs) run.add_waits(processes, until);
        WorkerProcess::wait(processes, until, interrupt_fd);
        if (progress && Clock::now() - told >= sign_of_life) {
            progress("");
            told = Clock::now();
        }
        if (!base::readable(interrupt_fd)) continue;
        for (auto& run : runs) run.cancel();
        interrupt_fd = -1;
    }
}

}  // namespace diag::host
