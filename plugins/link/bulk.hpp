// The check link.bulk: what a link really carries, by iperf3, in both directions.
#pragma once

#include <diag/declare.hpp>

namespace diag::bulk {

void declare_bulk(Plugin& plugin);

void declare_bulk_causes(Check& check);
// Those of them that any load through iperf3 can name: the way, the server, the memory.
void declare_bulk_faults(Check& check);

}  // namespace diag::bulk
