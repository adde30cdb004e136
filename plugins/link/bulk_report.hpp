// What iperf3 says about one run (-J), read without believing its exit status: 3.12 exits 0 whatever went wrong.
// Pure data; nothing here runs a program.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace diag::bulk {

// How a run ended, told from iperf3's own words.
enum class End {
    finished,
    refused,     // nothing listens on the port
    unanswered,  // the connection was not answered in time
    unroutable,
    busy,        // the server serves somebody else
    broken,      // the server, or the connection to it, ended in the middle
    terminated,  // we asked it to end, because it did not
    other,       // an error that this check does not know
};

struct Interval {
    double seconds = 0, bits_per_second = 0;
};

struct Report {
    End end = End::finished;
    std::string error;                          // iperf3's words; "" where it gave none
    std::string version;                        // "3.12"; "" where it gave none
    bool summed = false;                        // whether it came to its sums
    double sent = 0, received = 0;              // bit/s over the whole run
    double bytes = 0;                           // sent
    double segment = 1448;                      // bytes of payload in a full segment
    std::optional<double> retransmits;          // segments; nothing where the sender does not count them
    std::optional<double> cpu_here, cpu_there;  // percent of one core
    std::vector<Interval> intervals;

    // Retransmits as a share of the segments that were sent.
    std::optional<double> lost_share() const;
    // Seconds at the end in which nothing was carried.
    double silent_at_the_end() const;
    // It was not let in: no byte was carried, and trying again may help.
    bool turned_away() const { return intervals.empty() && (end == End::busy || end == End::broken); }
    // The connection stood, and nothing came through: received nothing, or never ended.
    bool stalled() const;
};

// Whether an iperf3 of this version runs all streams on one core: 3.16 is the first that does not.  An unknown one ("") counts as old.
bool single_threaded(const std::string& version);

// `output` may have other text before and after the JSON, or be lines of --json-stream.
// Throws diag::Unknown where there is nothing of iperf3's in it.
Report parse_report(std::string_view output);

End end_of(const std::string& error);

}  // namespace diag::bulk
