// The check link.bulk: what a link really carries, by iperf3, in both directions.
#pragma once

#include <functional>
#include <string>

#include <diag/declare.hpp>

namespace diag::bulk {

void declare_bulk(Plugin& plugin);

void declare_bulk_causes(Check& check);
// How the load is made, for how long, and what must arrive: `streams` and `floor` are help texts, the checks differ in them only.
Check& declare_load(Check& check, const std::string& streams, const std::string& floor, std::function<void(Context&)> tell_facts);
// Those of them that any load through iperf3 can name: the way, the server, the memory.
void declare_bulk_faults(Check& check);

}  // namespace diag::bulk
