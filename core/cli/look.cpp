// diag look: what this machine shows and what looks wrong, as its plugins see it.  No site file, no root, no record.
#include <iostream>

#include "cli/machine_name.hpp"
#include "cli/session.hpp"
#include "report/look_text.hpp"

namespace diag::cli {

int look_command(const Arguments& arguments) {
    CommandLine line(command_named("look"), Takes::plugins | Takes::root | Takes::format);
    if (!line.parse(arguments)) return 0;
    Session session = open_session(line.common);
    host::RunOptions options;
    options.timeout = 1;  // of slack; a look is quick, or it is told as blind
    options.root = line.common.root;
    const auto seen = host::look(*session.worker, session.catalogue, options);
    const auto machine = machine_name(line.common.root);
    if (line.common.format == "json")
        std::cout << report::look_document(machine, seen).dump(2, ' ', false, json::error_handler_t::replace) << "\n";
    else
        std::cout << report::look_text(machine, seen, line.common.style());
    return seen.blind.empty() ? 0 : 3;  // it only shows; but what could not be looked at was not shown
}

}  // namespace diag::cli
