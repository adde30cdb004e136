// A job as the host asks for it, read from the JSON of an R frame.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include <nlohmann/json.hpp>

namespace diag::worker {

using json = nlohmann::json;

// What one job may use.  Bytes, unless said otherwise.
struct Limits {
    std::size_t memory = std::size_t{1} << 30;    // anonymous memory of the whole tree, sampled
    std::size_t data = std::size_t{1} << 30;      // RLIMIT_DATA of each process
    std::size_t output = std::size_t{1} << 20;    // stdout and stderr together
    std::size_t events = 10000;                   // lines on the channel
    std::size_t line = std::size_t{1} << 20;      // one line on the channel
    std::size_t channel = std::size_t{16} << 20;  // all of them
    double lock_wait = 60;                        // seconds that an exclusive job waits for the others
};

struct JobRequest {
    std::uint64_t id = 0;
    bool describe = false;           // else: run
    std::string file;                // the plugin
    std::string request;             // what run() receives, JSON text
    double deadline = 10;            // seconds
    std::vector<std::string> needs;  // as the check declared them
    bool exclusive = false;
    bool paired = false;  // it has another half elsewhere: the host hears when it has started
    Limits limits;
};

// Reads {"op":"describe"|"run","id","file","request","deadline","needs","exclusive","limits"}.
// Throws nlohmann's exceptions or std::runtime_error where the host's request is wrong.
JobRequest read_job(const json& message);

}  // namespace diag::worker
