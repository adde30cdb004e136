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
constexpr auto sign_of_life = 1s;  // how often the person who waits sees that time goes on

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

}  // namespace

WorkerProcess& WorkerSession::ready() {
    if (process_ && process_->stale()) process_.reset();
    if (process_) {
        while (process_->receive(Clock::now())) {
        }  // nothing is asked, so nothing is an answer
        if (process_->gone()) process_.reset();
    }
    if (!process_) hello(process_.emplace(argv_));
    return *process_;
}

void WorkerSession::hello(WorkerProcess& process) {
    process.send('R', 0, dump({{"op", "hello"}, {"protocol", worker::protocol_version}}));
    const int spoken = answer(process, 0, "hello").value("protocol", 0);
    if (spoken != worker::protocol_version)
        throw std::runtime_error(fmt::format("{} speaks protocol {}, this diag speaks {}", argv_[0], spoken, worker::protocol_version));
}

json WorkerSession::answer(WorkerProcess& process, std::uint64_t id, const std::string& event) {
    const auto until = Clock::now() + patience;
    while (const auto frame = process.receive(until)) {
        if (frame->kind != 'J' || frame->id != id) continue;
        if (json said = read_event(*frame); said["event"] == event) return said;
    }
    throw std::runtime_error(why_lost());
}

json WorkerSession::find(const std::vector<std::string>& dirs) {
    WorkerProcess& process = ready();
    process.send('R', ++last_id_, dump({{"op", "find"}, {"dirs", dirs}}));
    return answer(process, last_id_, "found");
}

std::string WorkerSession::why_lost() {
    const std::string noise = process_ ? base::clean_utf8(process_->take_noise().substr(0, 400)) : "";
    const std::string why = process_ && process_->gone() ? "ended while it was needed" : "does not answer";
    process_.reset();
    return fmt::format("{} {}{}{}", argv_[0], why, noise.empty() ? "" : "; it printed: ", noise);
}

Observed WorkerSession::job(json request, double longest, int interrupt_fd, const Progress& progress) {
    WorkerProcess& process = ready();
    const std::uint64_t id = ++last_id_;
    const auto begun = Clock::now();
    auto until = begun + seconds(longest) + patience;
    Observed observed;
    request["id"] = id;
    process.send('R', id, dump(request));
    while (!process.gone() && Clock::now() < until) {
        const auto frame = process.receive(std::min(until, Clock::now() + sign_of_life), interrupt_fd);
        if (!frame && progress) progress("");
        if (!frame && base::readable(interrupt_fd)) {
            process.send('R', id, dump({{"op", "cancel"}, {"id", id}}));
            until = std::min(until, Clock::now() + patience);
            interrupt_fd = -1;
        }
        if (frame && frame->id == id && collect(*frame, observed, progress)) return observed;
    }
    const double taken = std::chrono::duration<double>(Clock::now() - begun).count();
    observed.end = {{"event", "end"}, {"how", "lost"}, {"text", why_lost()}, {"seconds", taken}};
    return observed;
}

// Returns whether that was the last of it.
bool WorkerSession::collect(const worker::Frame& frame, Observed& observed, const Progress& progress) {
    switch (frame.kind) {
        case 'O':
            observed.out += frame.payload;
            return false;
        case 'E':
            observed.err += frame.payload;
            return false;
        case 'L':
            observed.lines.push_back(frame.payload);
            pass_progress(frame.payload, progress);
            return false;
        case 'J':
            observed.end = read_event(frame);
            return observed.end["event"] == "end";
        default:
            return false;
    }
}

}  // namespace diag::host
