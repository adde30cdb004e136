// The far half of link.bulk: an iperf3 server of its own on the link's address, for as long as the near half measures.
#pragma once

#include <string>

#include <diag/plugin.hpp>

#include "probe/address.hpp"

namespace diag::bulk {

// What the near half asks for, and gets.
struct Offer {
    std::int64_t port = 0;
    std::string version;  // of the iperf3 there
};

// Asks the other half for a server on this address, which is its own.  Throws CompanionGone, Unknown where it offers none.
Offer ask_for_server(Context& c, const probe::Address& address);

Verdict serve_bulk(Context& c);

}  // namespace diag::bulk
