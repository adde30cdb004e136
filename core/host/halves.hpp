// Runs jobs, or the two halves of a check on two machines, many at the same time, and one at a time on each worker; carries lines
// between halves.  Judges nothing.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "host/worker_session.hpp"

namespace diag::host {

struct Half {
    WorkerSession* session = nullptr;
    std::string machine;  // for the other half
    json request;
    WorkerSession::Job job{};
};

// One job, or one check in two halves, from its beginning to its end.  Does not throw for anything that a worker does: one that
// cannot be had is an end event with "how":"lost" and the cause as its "code".
class Run {
  public:
    // `longest`: seconds that it may take, waiting for the machines included.
    Run(Half here, double longest) : here_(std::move(here)), longest_(longest) {}
    // `here` is the half that judges; when it has ended, the other one has a moment to end, too, and then must.  Whose machine sorts
    // first starts first, so that two hosts that load the same two machines cannot each hold the lock that the other waits for.
    Run(Half here, Half there, double longest) : here_(std::move(here)), there_(std::move(there)), longest_(longest) {}

    void begin();
    // Takes what has come, and does what is next.
    void step(const Progress& progress);
    bool waits() const { return phase_ == Phase::waiting; }
    bool over() const { return phase_ == Phase::over; }
    void cancel();
    // The workers that it needs for itself.
    std::vector<const WorkerSession*> sessions() const;
    // Whom it waits for, and when to look again at the latest.
    void add_waits(std::vector<WorkerProcess*>& processes, WorkerSession::Clock::time_point& until) const;

    const Half& here() const { return here_; }
    const std::optional<Half>& there() const { return there_; }

  private:
    enum class Phase { waiting, first, second, running, ending, over };
    Half& first() { return there_ && there_->machine < here_.machine ? *there_ : here_; }
    Half& second() { return &first() == &here_ ? *there_ : here_; }
    void start(Half& half);
    void advance(Half& half, Half* other, const Progress& progress);
    void next_phase();

    Half here_;
    std::optional<Half> there_;
    double longest_;
    Phase phase_ = Phase::waiting;
    WorkerSession::Clock::time_point moment_{};  // when the other half must end
};

// All of them, each as soon as its workers have nothing else to do, until the last is over.
void run_all(std::vector<Run>& runs, int interrupt_fd, const Progress& progress);

}  // namespace diag::host
