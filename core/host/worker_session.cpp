#include "host/worker_session.hpp"

#include <algorithm>
#include <stdexcept>

#include <fmt/format.h>

#include "base/fd.hpp"
#include "base/json.hpp"
#include "base/utf8.hpp"

namespace diag::host {
namespace {

using Clock = WorkerProcess::Clock;
using namespace std::chrono_literals;

// How much later than it must a worker may answer: time to kill what does not die at once, and slack.
constexpr auto patience = 30s;

Clock::duration seconds(double count) {
    return std::chrono::duration_cast<Clock::duration>(std::chrono::duration<double>(std::clamp(count, 0.0, 1e8)));
}

std::string dump(const json& message) { return message.dump(-1, ' ', false, json::error_handler_t::replace); }

// The worker's own word: always an object with an event.
json read_event(const worker::Frame& frame) {
    json event = base::parse_json(frame.payload);
    if (!event.is_object() || !event.contains("event") || !event["event"].is_string())
        throw std::runtime_error("the worker sent an event that is none");
    if (event["event"] == "error") throw std::runtime_error(fmt::format("the worker refuses: {}", event.value("text", "")));
    return event;
}

// Tells of progress as it comes; whatever else is wrong with a line, the judge finds at the end.
void pass_progress(const std::string& line, const Progress& progress) {
    if (!progress || line.find("\"progress\"") == std::string::npos) return;
    json event;
    try {
        event = base::parse_json(line);
    } catch (const base::BadJson&) {
        return;
    }
    if (!event.is_object() || event.value("event", json()) != "progress") return;
    if (const json text = event.value("text", json()); text.is_string()) progress(text.get<std::string>());
}

// The message of a line for the other half, or nothing.
std::optional<json> told_message(const std::string& line) {
    if (line.find("\"tell\"") == std::string::npos) return std::nullopt;
    try {
        json event = base::parse_json(line);
        if (event.is_object() && event.value("event", json()) == "tell" && event.contains("message")) return event["message"];
    } catch (const base::BadJson&) {  // no event: the judge finds it at the end
    }
    return std::nullopt;
}

std::string last_line(const std::string& text) {
    const auto end = text.find_last_not_of(" \r\n");
    if (end == std::string::npos) return "";
    const auto begin = text.find_last_of('\n', end);
    return text.substr(begin == std::string::npos ? 0 : begin + 1, end - (begin == std::string::npos ? 0 : begin + 1) + 1);
}

}  // namespace

void WorkerSession::begin() {
    if (refused_) throw *refused_;
    if (process_ && process_->stale()) process_.reset();
    if (process_ && greeted_) {
        while (process_->next()) {
        }  // nothing is asked, so nothing is an answer
    }
    if (process_ && process_->gone() && greeted_) process_.reset();
    if (process_) return;
    greeted_ = false;
    json request = {{"op", "hello"}, {"protocol", worker::protocol_version}};
    if (hello_.contains("pid")) request["replaces"] = {{"pid", hello_["pid"]}, {"started", hello_.value("started", json())}};
    try {
        process_.emplace(argv_, !peer_.empty());
    } catch (const std::system_error& e) {
        throw NoWorker(peer_.empty() ? "worker.lost" : "peer.unreachable", e.what());
    }
    begun_ = Clock::now();
    process_->send('R', 0, dump(request));
}

WorkerProcess& WorkerSession::ready() {
    begin();
    if (!greeted_) read_hello(*process_, Clock::now() + patience);
    if (!greeted_) no_worker(*process_);
    return *process_;
}

const json& WorkerSession::hello() {
    ready();
    return hello_;
}

bool WorkerSession::greet(Clock::duration within) {
    begin();
    if (!greeted_) read_hello(*process_, Clock::now() + within);
    if (!greeted_ && process_->gone()) no_worker(*process_);
    return greeted_;
}

void WorkerSession::read_hello(WorkerProcess& process, Clock::time_point until) {
    std::optional<worker::Frame> frame;
    while ((frame = process.receive(until)) && (frame->kind != 'J' || frame->id != 0)) {
    }
    if (frame) take_hello(*frame);
}

void WorkerSession::take_hello(const worker::Frame& frame) {
    json said;
    try {
        said = read_event(frame);
    } catch (const std::exception& e) {
        refused_ = NoWorker(peer_.empty() ? "worker.lost" : "peer.no-worker",
                            fmt::format("{} gives no hello: {}", peer_.empty() ? argv_[0] : peer_, e.what()));
        process_.reset();
        throw *refused_;
    }
    refuse_hello(said);
    hello_ = said;
    if (const std::string noise = process_->take_noise(); !peer_.empty() && !noise.empty())
        hello_["noise"] = base::clean_utf8(noise.substr(0, 200));
    greeted_ = true;
}

// Throws, now and at every later call, where it is no worker to work with.
void WorkerSession::refuse_hello(const json& said) {
    const int spoken = said.value("protocol", 0);
    if (spoken != worker::protocol_version)
        refused_ = NoWorker(peer_.empty() ? "worker.lost" : "peer.protocol",
                            fmt::format("{} speaks protocol {} (diag {}), this diag speaks {}", peer_.empty() ? argv_[0] : peer_, spoken,
                                        said.value("version", "unknown"), worker::protocol_version));
    else if (const std::string why = wrong_ ? wrong_(said) : ""; !why.empty())
        refused_ = NoWorker("peer.wrong-machine", why);
    if (!refused_) return;
    process_.reset();
    throw *refused_;
}

// Why there is no hello.  ssh itself exits with 255, a shell that finds no such program with 127 (126: may not run it).
void WorkerSession::no_worker(WorkerProcess& process) {
    if (peer_.empty()) throw lost();
    const int status = process.gone() ? process.status() : -1;
    const std::string errors = base::clean_utf8(process.errors()), noise = base::clean_utf8(process.take_noise().substr(0, 400));
    const std::string last = last_line(errors.empty() ? noise : errors);
    process_.reset();
    if (status == 127 || status == 126)
        refused_ =
            NoWorker("peer.diag-missing", fmt::format("the login to {} works, and there is no diag-worker in its PATH: {}", peer_, last));
    else if (status == 255)
        refused_ = NoWorker("peer.unreachable", fmt::format("no login to {}: {}", peer_, last.empty() ? "ssh gives no reason" : last));
    else if (status == -1)  // ssh gives up on an address after 10 s; a name may have several.  Only a word from there tells of a login
        refused_ = NoWorker(last.empty() ? "peer.unreachable" : "peer.no-worker",
                            fmt::format("nothing that is diag-worker's came from {} in {:.0f} s{}", peer_,
                                        std::chrono::duration<double>(Clock::now() - begun_).count(),
                                        last.empty() ? ": there is no login, or what it starts hangs" : "; last came: " + last));
    else
        refused_ = NoWorker("peer.no-worker", fmt::format("what was started on {} is no diag-worker; it ended with status {}{}{}", peer_,
                                                          status, last.empty() ? "" : " and printed: ", last));
    throw *refused_;
}

json WorkerSession::answer(WorkerProcess& process, std::uint64_t id, const std::string& event) {
    const auto until = Clock::now() + patience;
    while (const auto frame = process.receive(until)) {
        if (frame->kind != 'J' || frame->id != id) continue;
        if (json said = read_event(*frame); said["event"] == event) return said;
    }
    throw lost();
}

json WorkerSession::find(const std::vector<std::string>& dirs) {
    WorkerProcess& process = ready();
    json request = {{"op", "find"}};
    if (peer_.empty()) request["dirs"] = dirs;
    process.send('R', ++last_id_, dump(request));
    return answer(process, last_id_, "found");
}

NoWorker WorkerSession::lost() {
    const double stopped = process_ ? process_->host_stopped() : 0;
    const std::string noise = process_ ? base::clean_utf8(process_->take_noise().substr(0, 400)) : "";
    const std::string said = process_ && !peer_.empty() ? base::clean_utf8(last_line(process_->errors())) : noise;
    const std::string why = process_ && process_->gone() ? "ended while it was needed" : "does not answer";
    process_.reset();
    if (stopped > 0)
        return {"worker.host-stopped",
                fmt::format("diag itself was held up, and sent nothing for {:.0f} s; a worker that hears nothing for so long ends{}",
                            stopped, peer_.empty() ? "" : ": the one on " + peer_)};
    if (peer_.empty()) return {"worker.lost", fmt::format("{} {}{}{}", argv_[0], why, noise.empty() ? "" : "; it printed: ", noise)};
    return {"peer.lost", fmt::format("the connection to {} {}{}{}", peer_, why, said.empty() ? "" : "; ssh said: ", said)};
}

WorkerSession::Job WorkerSession::start(json request, double longest) {
    WorkerProcess& process = ready();
    Job job;
    job.id = ++last_id_;
    job.begun = Clock::now();
    job.until = job.begun + seconds(longest) + patience;
    request["id"] = job.id;
    process.send('R', job.id, dump(request));
    return job;
}

void WorkerSession::say(const Job& job, const json& line) {
    if (process_ && !job.done) process_->send('M', job.id, dump(line));
}

void WorkerSession::cancel(Job& job) {
    if (job.done || !process_) return;
    process_->send('R', job.id, dump({{"op", "cancel"}, {"id", job.id}}));
    job.until = std::min(job.until, Clock::now() + patience);
}

void WorkerSession::advance(Job& job, const Progress& progress, const std::function<void(const json&)>& told) {
    while (!job.done && process_) {
        const auto frame = process_->next();
        if (!frame) break;
        if (frame->id == job.id) collect(*frame, job, progress, told);
    }
    if (job.done || (process_ && !process_->gone() && Clock::now() < job.until)) return;
    const double taken = std::chrono::duration<double>(Clock::now() - job.begun).count();
    const NoWorker why = lost();
    job.observed.end = {{"event", "end"}, {"how", "lost"}, {"code", why.code}, {"text", why.what()}, {"seconds", taken}};
    job.done = true;
}

void WorkerSession::collect(const worker::Frame& frame, Job& job, const Progress& progress, const std::function<void(const json&)>& told) {
    Observed& observed = job.observed;
    if (frame.kind == 'O') observed.out += frame.payload;
    if (frame.kind == 'E') observed.err += frame.payload;
    if (frame.kind == 'L') {
        if (const auto message = told_message(frame.payload); message && told) return told(*message);
        observed.lines.push_back(frame.payload);
        pass_progress(frame.payload, progress);
    }
    if (frame.kind != 'J') return;
    const json event = read_event(frame);
    if (event["event"] == "started") job.started = true;
    if (event["event"] == "end") {
        observed.end = event;
        job.done = true;
    }
}

}  // namespace diag::host
