#include <diag/plugin.hpp>

#include "checks.hpp"

DIAG_PLUGIN("mtu") {
    about("Frame sizes: what an interface is set to, and what a path really carries.");
    mtu::declare_interface(*this);
    mtu::declare_path(*this);
}
