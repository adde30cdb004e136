#include <diag/plugin.hpp>

#include "bulk.hpp"

DIAG_PLUGIN("link") {
    about("Links: what they really carry.");
    diag::bulk::declare_bulk(*this);
}
