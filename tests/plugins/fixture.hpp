// A real worker with the bad plugin, and eyes for what it leaves behind.
#pragma once

#include <chrono>
#include <functional>
#include <string>
#include <vector>

#include <sys/types.h>

#include "host/worker_client.hpp"

namespace diag::test {

using host::Result;

inline const std::string worker_path = DIAG_TEST_WORKER;
inline const std::vector<std::string> worker_here = {worker_path, "--here"};  // as the local one is started; others have a guard
// The folder of the built test plugins; as root, a copy that root may trust where the checkout is not such a place.
const std::string& plugin_folder();

// Every process that descends from this program since it set the mark in its environment.
inline constexpr const char* mark = "DIAG_TEST_MARK";
void set_mark();
std::vector<pid_t> marked_processes();
// The living children of this program with this name.
std::vector<pid_t> children_named(const std::string& name);
// Waits until the predicate holds; false after five seconds.
bool soon(const std::function<bool()>& holds);

struct BadPlugin {
    explicit BadPlugin(std::vector<std::string> worker = worker_here);
    // Small limits and a short timeout, so that the suite is quick.
    host::RunOptions options;
    host::WorkerClient client;
    host::Catalogue catalogue;

    const host::CheckInfo& check(const std::string& name) const;
    Result run(const std::string& name, const json& params = json::object());
};

}  // namespace diag::test
