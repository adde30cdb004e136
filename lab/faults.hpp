// What can be broken in the lab: a table.  All of it is seen from node a, on its way to node b.
#pragma once

#include <string>
#include <vector>

#include "lab/step.hpp"

namespace diag::lab {

// A fault says which checkpoint of bringup must fail, and with which cause.  A twin looks like one and is healthy, so bringup
// must pass: its checkpoint and cause are empty, and not_cause is the code that it must not be taken for.
struct Fault {
    std::string name, summary;
    std::string checkpoint, cause;
    std::string not_cause;
    std::vector<Step> steps;

    bool twin() const { return cause.empty(); }
};

const std::vector<Fault>& faults();

// The tables, shared by topic: links and routes; names and reachability; both ends; frame sizes; throughput.
std::vector<Fault> link_faults();
std::vector<Fault> name_faults();
std::vector<Fault> end_faults();
std::vector<Fault> mtu_faults();
std::vector<Fault> bulk_faults();

std::string faults_as_text();
std::string faults_as_json();

}  // namespace diag::lab
