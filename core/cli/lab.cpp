// diag lab: handed to the lab, which is no part of the core.
#include "lab/lab.hpp"

#include "cli/command.hpp"

namespace diag::cli {

int lab_command(const Arguments& arguments) { return lab::main(arguments, {}); }

}  // namespace diag::cli
