// Which interfaces of a machine hear another machine's one: a few Ethernet frames with a word in them, sent by the one and listened
// for on all interfaces of the other.  Not for reaching anybody, nor for measuring: echo.hpp does that.
// Both need CAP_NET_RAW, and say so in words where this process may not.
#pragma once

#include <chrono>
#include <string>
#include <vector>

#include "base/fd.hpp"

namespace diag::probe {

// Sends the word three times, to everybody on the link.  "" where it is on its way; else why it is not.
// Throws Absent where there is no such interface.
std::string hail(unsigned interface_index, const std::string& word);

// The ear for one word; it is open from its construction on.  The frame is told of a bond's member, of the bond, and of a VLAN on it.
class HailEar {
  public:
    explicit HailEar(std::string word);

    // "" where it listens; else why it cannot.
    const std::string& problem() const { return problem_; }
    // The distinct interfaces, by index, that heard the word within `time`; it is always waited to its end, as the second one matters.
    std::vector<unsigned> listen(std::chrono::milliseconds time);

  private:
    void take(std::vector<unsigned>& heard);

    std::string word_, problem_;
    base::Fd socket_;
};

}  // namespace diag::probe
