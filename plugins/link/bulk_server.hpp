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

// What the other half knows of the time in which it served; empty where it cannot tell any more.
struct Farewell {
    std::vector<std::optional<CarrierLoss>> lost;  // at the interface of each address that was asked for
    std::optional<double> idle;                    // processors that had nothing to do
};

Farewell end_servers(Context& c);

Verdict serve_bulk(Context& c);

}  // namespace diag::bulk
