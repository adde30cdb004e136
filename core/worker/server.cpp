#include "worker/server.hpp"

#include <poll.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/signalfd.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdint>
#include <cstdlib>
#include <deque>
#include <optional>

#include <fmt/format.h>

#include "base/build.hpp"
#include "base/file.hpp"
#include "base/json.hpp"
#include "base/utf8.hpp"
#include "worker/descendants.hpp"
#include "worker/find.hpp"
#include "worker/frame.hpp"
#include "worker/job.hpp"
#include "worker/predecessor.hpp"

namespace diag::worker {
namespace {

using Clock = Job::Clock;
using namespace std::chrono_literals;

base::Fd catch_signals() {
    sigset_t signals;
    ::sigemptyset(&signals);
    for (const int signal : {SIGCHLD, SIGTERM, SIGINT}) ::sigaddset(&signals, signal);
    ::signal(SIGPIPE, SIG_IGN);
    ::signal(SIGXFSZ, SIG_IGN);
    ::signal(SIGHUP, SIG_IGN);   // the host's going shows as EOF
    ::signal(SIGCHLD, SIG_DFL);  // ignored, as some parents leave it, it would reap by itself
    if (::sigprocmask(SIG_BLOCK, &signals, nullptr) != 0) base::throw_errno("sigprocmask");
    base::Fd fd(::signalfd(-1, &signals, SFD_CLOEXEC | SFD_NONBLOCK));
    if (!fd) base::throw_errno("signalfd");
    return fd;
}

std::string host_name() {
    std::array<char, 256> name{};
    if (::gethostname(name.data(), name.size() - 1) != 0) return "";
    return name.data();
}

// Who answers: the protocol it speaks, its build, which machine it is on, and what tells its process from any other there.
json hello() {
    const char* machine = std::getenv("DIAG_MACHINE");
    const auto& build = base::build();
    const auto self = read_process(::getpid());
    return {{"event", "hello"},
            {"protocol", protocol_version},
            {"version", build.version},
            {"commit", build.commit},
            {"changes", build.changes},
            {"machine", base::clean_utf8(machine == nullptr ? "" : machine)},
            {"host_name", base::clean_utf8(host_name())},
            {"pid", ::getpid()},
            {"started", self ? self->started : 0}};
}

class Server {
  public:
    Server(int in, int out) : in_(in), outbox_(out), signals_(catch_signals()) {
        if (::prctl(PR_SET_CHILD_SUBREAPER, 1) != 0) base::throw_errno("PR_SET_CHILD_SUBREAPER");
    }
    Server(const Server&) = delete;
    Server& operator=(const Server&) = delete;
    ~Server() { reaper_.kill_all(); }
    int run() {
        while (!over_) turn();
        return 0;
    }

  private:
    void turn();
    void wait();
    void on_signal();
    void on_input();
    void on_request(const Frame& frame);
    void start_next();

    int in_;
    Outbox outbox_;
    base::Fd signals_;
    Reaper reaper_;
    FrameReader reader_;
    std::deque<JobRequest> queue_;
    std::optional<Job> job_;
    std::vector<pollfd> polls_;
    Clock::duration silence_ = 15s;
    Clock::time_point heard_ = Clock::now();
    bool over_ = false;
};

void Server::turn() {
    wait();
    for (const auto& p : polls_) {
        if (p.revents == 0) continue;
        if (p.fd == in_)
            on_input();
        else if (p.fd == signals_.get())
            on_signal();
        else if (job_)
            job_->on_ready(p.fd);
    }
    if (job_) job_->on_time();
    if (job_ && job_->done()) job_.reset();
    start_next();
    if (Clock::now() - heard_ > silence_ || !outbox_.flush()) over_ = true;
}

void Server::wait() {
    const short writing = outbox_.pending() ? POLLOUT : 0;
    polls_ = {{in_, POLLIN, 0}, {signals_.get(), POLLIN, 0}, {outbox_.fd(), writing, 0}};
    if (writing == 0) polls_.pop_back();
    if (job_ && !outbox_.full()) job_->add_polls(polls_);
    auto until = heard_ + silence_;
    if (job_) until = std::min(until, job_->next_time());
    const auto left = std::chrono::ceil<std::chrono::milliseconds>(until - Clock::now());
    const int timeout = static_cast<int>(std::clamp<std::int64_t>(left.count(), 0, 60000));
    if (::poll(polls_.data(), polls_.size(), timeout) < 0 && errno != EINTR) base::throw_errno("poll");
}

void Server::on_signal() {
    signalfd_siginfo info{};
    while (::read(signals_.get(), &info, sizeof info) == static_cast<ssize_t>(sizeof info))
        if (info.ssi_signo != SIGCHLD) over_ = true;
    if (job_)
        job_->on_child();
    else
        reaper_.reap();
}

void Server::on_input() {
    std::array<char, 65536> buffer;
    const ssize_t n = ::read(in_, buffer.data(), buffer.size());
    if (n < 0 && (errno == EINTR || errno == EAGAIN)) return;
    if (n <= 0) {
        over_ = true;
        return;
    }
    heard_ = Clock::now();
    reader_.feed({buffer.data(), static_cast<std::size_t>(n)});
    while (const auto frame = reader_.next()) {
        outbox_.nonce(reader_.nonce());
        if (frame->kind == 'H') outbox_.send('H', 0, "");
        if (frame->kind == 'M' && job_ && job_->id() == frame->id) job_->deliver(frame->payload);
        if (frame->kind != 'R') continue;
        try {
            on_request(*frame);
        } catch (const json::exception& e) {
            outbox_.event(frame->id, {{"event", "error"}, {"text", e.what()}});
        } catch (const std::runtime_error& e) {
            outbox_.event(frame->id, {{"event", "error"}, {"text", e.what()}});
        }
    }
}

void Server::on_request(const Frame& frame) {
    const json message = base::parse_json(frame.payload, 64);
    const std::string op = message.at("op");
    if (op == "hello") {
        silence_ = std::chrono::duration_cast<Clock::duration>(std::chrono::duration<double>(message.value("silence", 15.0)));
        if (const json before = message.value("replaces", json()); before.is_object())
            end_predecessor(before.value("pid", 0), before.value("started", std::uint64_t{0}));
        outbox_.event(0, hello());
    } else if (op == "find") {
        outbox_.event(frame.id,
                      find_plugins(message.contains("dirs") ? message["dirs"].get<std::vector<std::string>>() : default_plugin_dirs()));
    } else if (op == "cancel") {
        const std::uint64_t id = message.at("id");
        if (job_ && job_->id() == id) job_->cancel();
        if (std::erase_if(queue_, [&](const JobRequest& waiting) { return waiting.id == id; }) > 0)
            outbox_.event(id, Job::end_event(id, "cancelled"));
    } else {
        queue_.push_back(read_job(message));
    }
}

void Server::start_next() {
    while (!job_ && !queue_.empty() && !over_) {
        job_.emplace(std::move(queue_.front()), outbox_, reaper_);
        queue_.pop_front();
        if (job_->done()) job_.reset();
    }
}

}  // namespace

int serve(int in, int out) { return Server(in, out).run(); }

}  // namespace diag::worker
