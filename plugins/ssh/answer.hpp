// What one ssh came back with, as it was captured: the only thing that the judgement of a login reads.
#pragma once

#include <cstddef>
#include <string>

namespace diag::ssh {

struct Answer {
    std::string log = {};  // ssh's own words (-v -E FILE): nothing that a peer's shell or a jump host's ssh writes
    std::string out = {};  // the peer's stdout: its beginning, and the line that was sent, wherever that stood
    std::string err = {};  // the peer's stderr and banner, and the words of a proxy
    int status = 0;        // ssh's exit status: the command's, or 255
    int signal = 0;        // that ended ssh; 0: none
    bool timed_out = false;
    bool begun = true;  // false: the time for all logins was over before this one's turn
    double seconds = 0;
    std::size_t out_left = 0;  // bytes of stdout that were read and not kept
    bool out_cut = false;      // there was more than was read, so that the line that was sent may stand there
};

}  // namespace diag::ssh
