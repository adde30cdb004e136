// What can be broken in the lab: a table.  All of it is seen from node a, on its way to node b.
#pragma once

#include <string>
#include <vector>

#include "lab/step.hpp"

namespace diag::lab {

// A fault says which checkpoint of bringup must fail, and with which cause.  A twin looks like one and is healthy, so bringup
// must pass: its checkpoint and cause are empty, and not_cause is the code that it must not be taken for.  A fault that warns is
// found at that checkpoint, which goes on.
struct Fault {
    std::string name, summary;
    std::string checkpoint, cause;
    std::string not_cause;
    std::vector<Step> steps;
    bool warns = false;
    std::string settings{};  // what bringup is given with --set where it would not ask otherwise: "port=5201"

    bool twin() const { return cause.empty(); }
};

const std::vector<Fault>& faults();

// The tables, shared by topic: links and routes; names and reachability; the way to sshd and its host key; a user's keys, account
// and shell; both ends; diag on the other machine; frame sizes; throughput.
std::vector<Fault> link_faults();
std::vector<Fault> name_faults();
std::vector<Fault> ssh_faults();
std::vector<Fault> account_faults();
std::vector<Fault> end_faults();
std::vector<Fault> peer_faults();
std::vector<Fault> mtu_faults();
std::vector<Fault> bulk_faults();

std::string faults_as_text();
std::string faults_as_json();

}  // namespace diag::lab
