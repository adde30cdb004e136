#include "bulk_run.hpp"

#include <algorithm>
#include <sstream>
#include <system_error>
#include <thread>
#include <utility>

#include <fmt/format.h>

#include <diag/verdict.hpp>

#include "base/utf8.hpp"
#include "probe/subprocess.hpp"

namespace diag::bulk {
namespace {

using namespace std::chrono_literals;
using std::chrono::steady_clock;

constexpr auto last_word = 2s;
constexpr auto server_recovers = 5s;         // from 3.16 on a server still clears up its last test when that client has gone
constexpr std::size_t probe_bytes = 84;      // an ordinary ping
constexpr std::int64_t most_intervals = 20;  // keeps the report of a long run short

// Pings until iperf3 ends, which is noticed soon.  One that hangs is asked to end, so that it says what it knows, and killed
// where it does not.
probe::Finished watch(const Plan& plan, probe::Subprocess& iperf, Pinger& pinger, ThreadTime& thread) {
    const auto deadline = steady_clock::now() + std::chrono::seconds(plan.seconds) + plan.slack;
    for (int turn = 0; !iperf.wait_for(0ms) && steady_clock::now() < deadline; ++turn) {
        if (turn % 5 == 0) {
            pinger.send();
            const ThreadTime now = keenest_thread(iperf.pid());
            if (now.wanted() > thread.wanted()) thread = now;
        }
        pinger.listen(20ms);
    }
    if (!iperf.wait_for(0ms)) iperf.terminate();
    iperf.wait_for(last_word);
    return iperf.stop();
}

}  // namespace

Pinger::Pinger(const probe::Address& peer, const std::string& interface) {
    try {
        socket_.emplace(probe::EchoSocket::open(peer, {.interface = interface, .dont_fragment = false, .method = std::nullopt}));
    } catch (const std::system_error& e) {
        problem_ = e.what();
    }
}

void Pinger::send() {
    if (!socket_) return;
    socket_->send(next_++, probe_bytes);
    ++echoes_.sent;
}

void Pinger::listen(std::chrono::milliseconds tick) {
    const auto until = steady_clock::now() + tick;
    while (receive(until)) {
    }
    if (!socket_) std::this_thread::sleep_until(until);
}

void Pinger::settle(std::chrono::milliseconds patience) {
    const auto until = steady_clock::now() + patience;
    while (echoes_.unanswered() > 0 && receive(until)) {
    }
}

bool Pinger::receive(steady_clock::time_point until) {
    const auto answer = socket_ ? socket_->receive(until) : std::nullopt;
    if (!answer) return false;
    if (answer->kind == probe::EchoAnswer::Kind::reply)
        echoes_.round_trips.push_back(std::chrono::duration<double, std::milli>(answer->round_trip).count());
    return true;
}

Echoes Pinger::take() { return std::exchange(echoes_, {}); }

std::vector<std::string> client_argv(const Plan& plan, bool reverse) {
    const auto interval = std::max<std::int64_t>(1, (plan.seconds + most_intervals - 1) / most_intervals);
    std::vector<std::string> argv{"iperf3",
                                  "--client",
                                  plan.peer.text(),
                                  "--port",
                                  std::to_string(plan.port),
                                  "--parallel",
                                  std::to_string(plan.streams),
                                  "--time",
                                  std::to_string(plan.seconds),
                                  "--interval",
                                  std::to_string(interval),
                                  "--connect-timeout",
                                  "5000",
                                  "--json"};
    if (plan.source) argv.insert(argv.end(), {"--bind", plan.source->text()});
    if (reverse) argv.emplace_back("--reverse");
    return argv;
}

// The first line of `iperf3 --version` is "iperf 3.12 (cJSON 1.7.15)".
std::string installed_version() {
    const probe::Finished done = probe::run({.argv = {"iperf3", "--version"}, .environment = {}});
    std::istringstream words(done.out);
    std::string name, version;
    words >> name >> version;
    if (name != "iperf" || version.empty())
        throw Unknown(fmt::format("iperf3 --version tells no version; it said: {}", base::printable((done.out + done.err).substr(0, 200))));
    return version;
}

namespace {

Flow run_once(const Plan& plan, bool reverse, Pinger& pinger) {
    pinger.take();
    const auto traffic_before = probe::traffic();
    const auto processors_before = processors_of(plan.root);
    const auto begun = steady_clock::now();
    Flow flow;
    flow.reverse = reverse;
    {
        probe::Subprocess iperf({.argv = client_argv(plan, reverse), .timeout = 24h, .most_output = std::size_t{700} << 10});
        const probe::Finished done = watch(plan, iperf, pinger, flow.thread);
        flow.output = done.out;
        flow.errors = done.err;
    }
    const auto processors_after = processors_of(plan.root);
    flow.softirq = busiest_in_softirq(processors_before, processors_after);
    flow.idle_here = idle_processors(processors_before, processors_after);
    // Connecting and closing take their time, too: what counts is the share of the time in which bytes flowed.
    const double lasted = std::chrono::duration<double>(steady_clock::now() - begun).count(), flowed = static_cast<double>(plan.seconds);
    if (lasted > flowed)
        for (double* share : {&flow.softirq.share, &flow.softirq.busy}) *share = std::min(1.0, *share * lasted / flowed);
    flow.thread = {flow.thread.ran / flowed, flow.thread.waited / flowed};
    flow.carried = probe::difference(traffic_before, probe::traffic());
    pinger.settle(50ms);
    flow.echoes = pinger.take();
    if (flow.output.empty() && !flow.errors.empty())
        throw Unknown(fmt::format("iperf3 gave no report; it said: {}", base::printable(flow.errors.substr(0, 200))));
    flow.report = parse_report(flow.output);
    return flow;
}

}  // namespace

Flow run_flow(const Plan& plan, bool reverse, Pinger& pinger) {
    for (const auto until = steady_clock::now() + server_recovers;;) {
        Flow flow = run_once(plan, reverse, pinger);
        // Between two tests it does not listen, either; the second one, where the peer sends, needs no proof that it was there.
        const bool recovering = flow.report.turned_away() || (reverse && flow.report.end == End::refused);
        if (!recovering || steady_clock::now() > until) return flow;
        std::this_thread::sleep_for(100ms);
    }
}

}  // namespace diag::bulk
