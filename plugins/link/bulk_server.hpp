// The far half of link.bulk and link.together: an iperf3 server of its own on each address, for as long as the near half measures.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include <diag/plugin.hpp>

#include "bulk_carrier.hpp"
#include "probe/address.hpp"

namespace diag::bulk {

// What the near half asks for, and gets.
struct Offer {
    std::int64_t port = 0;
    std::string version;  // of the iperf3 there
};

// Asks the other half for a server on each of these addresses, which are its own.  Throws CompanionGone, Unknown where it offers none.
std::vector<Offer> ask_for_servers(Context& c, const std::vector<probe::Address>& addresses);
inline Offer ask_for_server(Context& c, const probe::Address& address) { return ask_for_servers(c, {address}).front(); }

// Ends the servers, and hears what became of the carrier at their addresses' interfaces there: one for each address that was asked for,
// empty where the other half cannot tell any more.
std::vector<std::optional<CarrierLoss>> end_servers(Context& c);

Verdict serve_bulk(Context& c);

}  // namespace diag::bulk
