#include <diag/plugin.hpp>

#include "exec.hpp"

DIAG_PLUGIN("exec") {
    about("Programs of others that follow the rules for Nagios plugins, as checks.");
    diag::exec::declare_run(*this);
}
