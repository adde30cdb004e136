#include "link.hpp"

#include "bulk.hpp"
#include "snapshot.hpp"
#include "together.hpp"

DIAG_PLUGIN("link") {
    about("Interfaces and their links: carrier and speed, that each link's traffic takes that link, and how much it carries.");
    diag::link::declare_state(*this);
    diag::link::declare_bond(*this);
    diag::link::declare_pcie(*this);
    diag::link::declare_routes(*this);
    diag::link::declare_topology(*this);
    diag::link::declare_pair(*this);
    diag::bulk::declare_bulk(*this);
    diag::bulk::declare_together(*this);
    diag::link::declare_look(*this);
    snapshot([](diag::Context& c) { diag::link::link_snapshot(c); }).takes(4);
}
