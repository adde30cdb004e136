#include "names.hpp"

DIAG_PLUGIN("names") {
    about("Names lead to the machine and the path that is meant, and what they lead to answers.");
    diag::names::declare_resolve(*this);
    diag::names::declare_reach(*this);
    diag::names::declare_sweep(*this);
    diag::names::declare_look(*this);
}
