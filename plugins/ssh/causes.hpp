// The causes of this plugin, each declared once, in the order in which a login can meet them.
#pragma once

#include <diag/plugin.hpp>

namespace diag::ssh {

void declare_login_causes(Check& check);  // all that one login can come to
void declare_keys_causes(Check& check);   // what one account's own files and agent can be wrong in

}  // namespace diag::ssh
