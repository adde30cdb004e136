#include "worker/job.hpp"

#include <fcntl.h>
#include <signal.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <system_error>
#include <utility>

#include <fmt/format.h>

#include "base/file.hpp"
#include "worker/job_process.hpp"
#include "worker/memory.hpp"
#include "worker/needs.hpp"

namespace diag::worker {
namespace {

using namespace std::chrono_literals;

constexpr auto lock_retry = 100ms;
constexpr auto sample_every = 50ms;  // a trivial check is over before the first sample, and pays for none
constexpr auto grace = 50ms;         // for processes that end by themselves when the check does

std::pair<base::Fd, base::Fd> make_pipe() {
    std::array<int, 2> ends{};
    if (::pipe2(ends.data(), O_CLOEXEC) != 0) base::throw_errno("pipe");
    return {base::Fd(ends[0]), base::Fd(ends[1])};
}

std::pair<base::Fd, base::Fd> make_channel() {
    std::array<int, 2> ends{};
    if (::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends.data()) != 0) base::throw_errno("socketpair");
    return {base::Fd(ends[0]), base::Fd(ends[1])};
}

Job::Clock::duration seconds(double count) {
    return std::chrono::duration_cast<Job::Clock::duration>(std::chrono::duration<double>(std::min(count, 1e8)));
}

json to_json(const std::vector<Stuck>& stuck) {
    json list = json::array();
    for (const auto& s : stuck)
        list.push_back({{"pid", s.pid}, {"name", s.name}, {"wchan", s.wchan}, {"stack", s.stack}, {"status", s.status}});
    return list;
}

}  // namespace

json Job::end_event(std::uint64_t id, const std::string& how) {
    return {{"event", "end"}, {"id", id}, {"how", how}, {"status", 0}, {"signal", 0}, {"left_running", 0}, {"stuck", json::array()}};
}

Job::Job(JobRequest request, Outbox& outbox, Reaper& reaper)
    : request_(std::move(request)), outbox_(outbox), reaper_(reaper), asked_(Clock::now()), started_(asked_) {
    if (const auto why = request_.describe ? std::nullopt : unseen_processes()) {
        end_["text"] = *why;
        finish("unseen");
    } else if (const auto lack = lacking(request_.needs)) {
        end_ = {{"text", lack->text}, {"remedy", lack->remedy}};
        finish("privilege");
    } else if (request_.exclusive) {
        try_lock();
    } else {
        start();
    }
}

void Job::try_lock() {
    try {
        if (!lock_) lock_.emplace();
        if (lock_->try_take()) return start();
        if (Clock::now() - asked_ >= seconds(request_.limits.lock_wait)) {
            end_["text"] = fmt::format("waited {} s for the lock on {}, held by {}", request_.limits.lock_wait,
                                       exclusive_lock_path().string(), lock_->holder());
            return finish("busy");
        }
    } catch (const std::system_error& e) {
        end_["text"] = fmt::format("the lock cannot be taken: {}", e.what());
        return finish("no-lock");
    }
    next_ = Clock::now() + lock_retry;
}

void Job::start() {
    try {
        fork_process();
    } catch (const std::system_error& e) {
        end_["text"] = e.what();
        finish("not-started");
    }
}

void Job::fork_process() {
    auto [channel, channel_there] = make_channel();
    auto [out, out_there] = make_pipe();
    auto [err, err_there] = make_pipe();
    started_ = Clock::now();
    const pid_t worker = ::getpid();
    pid_ = ::fork();
    if (pid_ < 0) base::throw_errno("fork");
    if (pid_ == 0) job_process(request_, {channel_there.get(), out_there.get(), err_there.get()}, worker);
    relay_.emplace(request_.id, request_.limits, outbox_, std::move(channel), std::move(out), std::move(err));
    state_ = State::running;
    deadline_ = started_ + seconds(request_.deadline);
    next_ = started_ + sample_every;
    if (request_.paired) outbox_.event(request_.id, {{"event", "started"}, {"id", request_.id}});
}

void Job::deliver(const std::string& line) {
    if (done() || !relay_) return;
    relay_->deliver(line);
    check_limits();
}

void Job::add_polls(std::vector<pollfd>& polls) const {
    if (relay_) relay_->add_polls(polls);
}

void Job::on_ready(int fd) {
    if (done() || !relay_) return;
    relay_->on_ready(fd);
    check_limits();
}

void Job::check_limits() {
    if (!relay_->exceeded().empty()) finish(relay_->exceeded());
}

void Job::on_child() {
    bool main_gone = false;
    const bool some_left = reaper_.reap(pid_, &wait_status_, &main_gone);
    if (main_gone && state_ == State::running) {
        state_ = State::lingering;
        next_ = Clock::now() + grace;
    }
    if (state_ == State::lingering && (!some_left || reaper_.living().empty())) finish("exited");
}

Job::Clock::time_point Job::next_time() const { return state_ == State::running ? std::min(next_, deadline_) : next_; }

void Job::on_time() {
    const auto now = Clock::now();
    if (state_ == State::waiting && now >= next_) try_lock();
    if (state_ == State::lingering && now >= next_) finish("exited");
    if (state_ == State::running && now >= deadline_) finish("deadline");
    if (state_ == State::running && now >= next_) sample_memory();
}

void Job::sample_memory() {
    next_ = Clock::now() + sample_every;
    std::size_t memory = descendants_memory();
    if (memory > request_.limits.memory) memory = descendants_memory_exact();
    peak_memory_ = std::max(peak_memory_, memory);
    if (memory > request_.limits.memory) finish("memory");
}

void Job::cancel() { finish("cancelled"); }

void Job::finish(const std::string& how) {
    if (done()) return;
    end_.update(end_event(request_.id, how));
    end_["seconds"] = std::chrono::duration<double>(Clock::now() - started_).count();
    end_["peak_memory"] = peak_memory_;
    if (how == "exited") {
        if (WIFSIGNALED(wait_status_))
            end_.update({{"how", "signal"}, {"signal", WTERMSIG(wait_status_)}});
        else
            end_["status"] = WEXITSTATUS(wait_status_);
        relay_->drain();  // before the kill: what was said until now counts
        if (reaper_.reap()) end_["left_running"] = reaper_.living().size();
    }
    if (reaper_.reap()) {
        end_["stuck"] = to_json(reaper_.kill_all());
        if (reaper_.unseen()) end_["unseen"] = true;
    }
    if (how != "exited" && relay_) relay_->drain();
    if (how == "exited" && !relay_->exceeded().empty()) end_["how"] = relay_->exceeded();
    if (relay_ && end_["how"] == "events") end_["text"] = relay_->excess();
    relay_.reset();
    lock_.reset();
    outbox_.event(request_.id, end_);
    state_ = State::done;
}

}  // namespace diag::worker
