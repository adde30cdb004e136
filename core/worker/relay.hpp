// The three streams of a job, passed on to the host as frames and held to their limits.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include <poll.h>

#include "base/fd.hpp"
#include "worker/outbox.hpp"
#include "worker/request.hpp"

namespace diag::worker {

class Relay {
  public:
    // The descriptors are made non-blocking.
    Relay(std::uint64_t id, const Limits& limits, Outbox& outbox, base::Fd channel, base::Fd out, base::Fd err);

    // Adds the streams that are still open.
    void add_polls(std::vector<pollfd>& polls) const;
    // Reads the stream with this descriptor once, if it is one of them, and writes what waits for it.
    void on_ready(int fd);
    // A line for the job, without its end.  Never blocks; what the job does not read waits, up to the channel's limit.
    void deliver(const std::string& line);
    // Reads what already lies in the streams, and passes on a last line without its end.
    void drain();
    // "output" or "events" once a limit is broken, else "".
    const std::string& exceeded() const { return exceeded_; }
    // Of "events": which of them, and which limit.
    const std::string& excess() const { return excess_; }

  private:
    // Returns whether there may be more.
    bool read_output(base::Fd& stream, char kind);
    bool read_channel();
    void pass_lines();
    void exceed_events(std::string excess);
    void too_long(std::string_view line, bool whole);
    void write_channel();

    std::uint64_t id_;
    const Limits& limits_;
    Outbox& outbox_;
    base::Fd channel_, out_, err_;
    std::string line_;    // the beginning of one that is not whole yet
    std::string to_job_;  // lines that wait for the job to read
    std::size_t output_ = 0, events_ = 0, channel_bytes_ = 0;
    std::string exceeded_, excess_;
};

}  // namespace diag::worker
