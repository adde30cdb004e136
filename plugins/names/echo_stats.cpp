#include "echo_stats.hpp"

#include <algorithm>
#include <cstring>

#include <fmt/format.h>

#include "icmp_words.hpp"

namespace diag::names {

using Kind = probe::EchoAnswer::Kind;

EchoStats stats_of(const EchoRun& run, std::chrono::milliseconds timeout) {
    EchoStats stats;
    stats.sent = run.sent;
    double sum = 0;
    for (const auto& answer : run.answers) {
        if (answer.kind != Kind::reply || answer.round_trip > timeout) continue;
        const double time = milliseconds(answer.round_trip);
        stats.min = stats.received == 0 ? time : std::min(stats.min, time);
        stats.max = std::max(stats.max, time);
        sum += time;
        ++stats.received;
    }
    if (stats.received > 0) stats.average = sum / stats.received;
    return stats;
}

std::string summary(const EchoStats& stats) {
    if (stats.received == 0) return fmt::format("none of {} answered", stats.sent);
    return fmt::format("{} of {} answered, {:.3g}/{:.3g}/{:.3g} ms", stats.received, stats.sent, stats.min, stats.average, stats.max);
}

static std::string line(const probe::EchoAnswer& answer, bool v6) {
    switch (answer.kind) {
        case Kind::reply:
            return fmt::format("reply after {:.3f} ms", milliseconds(answer.round_trip));
        case Kind::icmp_error:
            return fmt::format("{} from {}", icmp_words(answer, v6), answer.sender.text());
        case Kind::local_error:
            return fmt::format("not sent: {}", std::strerror(answer.error));
    }
    return "?";
}

std::string describe(const EchoRun& run) {
    std::string text = fmt::format("{} by {}: {} sent\n", run.address.text(), to_text(run.method), run.sent);
    for (unsigned sequence = 1; sequence <= run.sent; ++sequence) {
        std::string told;
        for (const auto& answer : run.answers)
            if (answer.sequence == sequence) told += (told.empty() ? "" : "; ") + line(answer, run.address.v6());
        text += fmt::format("  {}: {}\n", sequence, told.empty() ? "nothing" : told);
    }
    if (run.duplicates > 0) text += fmt::format("  {} duplicate replies\n", run.duplicates);
    return text;
}

}  // namespace diag::names
