#include "link.hpp"

DIAG_PLUGIN("link") {
    about("Interfaces and their links: carrier and speed, and that each link's traffic takes that link.");
    diag::link::declare_state(*this);
    diag::link::declare_routes(*this);
    diag::link::declare_look(*this);
}
