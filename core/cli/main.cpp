// diag: finds the subcommand, and turns what it throws into a message and an exit status.
#include <signal.h>

#include <clocale>
#include <cstring>
#include <iostream>

#include <fmt/format.h>

#include "base/build.hpp"
#include "base/nearest.hpp"
#include "base/utf8.hpp"
#include "cli/options.hpp"
#include "cli/output.hpp"
#include "record/error.hpp"
#include "runbook/finding.hpp"

namespace diag::cli {

const std::vector<Command>& commands() {
    static const std::vector<Command> all = {
        {"look", "", "Shows what this machine has, and what looks wrong; needs no site file and no root.", look_command},
        {"init", "[FILE]", "Writes a first site file: of this machine, of it and others (--peer), or from a settings file (--env).",
         init_command},
        {"run", "RUNBOOK", "Runs a runbook: its checkpoints in order, to the first that fails.", run_command},
        {"resume", "[RECORD]", "Goes on with a run that failed or was cut off; the last one when none is named.", resume_command},
        {"check", "PLUGIN.CHECK [param=value ...]", "Runs one check, ad hoc; keeps no record without --keep.", check_command},
        {"show", "[RECORD]", "Shows a run from its record; the last one when none is named.", show_command},
        {"list", "", "Lists the records, newest first.", list_command},
        {"verify", "[RECORD]", "Says whether a record is what was written: journal and evidence.", verify_command},
        {"prune", "--keep N --older D", "Removes old records.", prune_command},
        {"lint", "RUNBOOK...", "Says everything that is wrong with runbooks; runs nothing.", lint_command},
        {"plugins", "", "Lists the plugins and their checks.", plugins_command},
        {"peers", "[install] [MACHINE...]", "Shows who of the site answers, with which build; install copies this one to them.",
         peers_command},
        {"explain", "[CHECK|CAUSE|FAMILY]", "Explains a check or a cause; a family (worker, peer, a plugin) or nothing lists them.",
         explain_command},
        {"topology", "", "Shows the machines and links of the site file, and what this machine sees of its ends.", topology_command},
        {"lab", "up|down|exec|break|mend|faults|site", "A small cluster of network namespaces on this machine, for rehearsal.",
         lab_command},
    };
    return all;
}

const Command& command_named(const std::string& name) {
    std::vector<std::string> names;
    for (const auto& command : commands()) {
        if (name == command.name) return command;
        names.emplace_back(command.name);
    }
    throw UsageError("there is no command '" + base::printable(name) + "'" + base::did_you_mean(name, names) + "; diag --help lists them");
}

namespace {

void print_help() {
    std::cout << "usage: diag COMMAND ...\n\nBrings up a machine or a small cluster, proves every layer in order, and says which one is "
                 "broken.\n\n";
    for (const auto& command : commands()) std::cout << fmt::format("   {:<9} {}\n", command.name, command.summary);
    std::cout << "\ndiag COMMAND --help says more.  Exit status: 0 passed, 1 warnings, 2 failed, 3 could not tell, 64 usage, 75 paused.\n";
}

int dispatch(const Arguments& arguments) {
    if (arguments.empty() || arguments[0] == "--help" || arguments[0] == "-h" || arguments[0] == "help") {
        print_help();
        return arguments.empty() ? exit_usage : 0;
    }
    if (arguments[0] == "--version") {
        const auto& build = base::build();
        std::cout << fmt::format("diag {} ({}, {})\n", build.version, build.commit, build.changes);
        return 0;
    }
    return command_named(arguments[0]).run({arguments.begin() + 1, arguments.end()});
}

// What diag itself could not do is `not_run`: never 0, and never a failed check.
int guarded(const Arguments& arguments) {
    try {
        return dispatch(arguments);
    } catch (const UsageError& e) {
        std::cerr << "diag: " << e.what() << "\n";
        return exit_usage;
    } catch (const runbook::RunbookError& e) {
        for (const auto& finding : e.findings()) std::cerr << base::printable(finding.line()) << "\n";
        return exit_usage;
    } catch (const record::RecordError& e) {
        std::cerr << "diag: " << e.what() << "\n";
        return exit_not_done;
    } catch (const std::exception& e) {
        std::cerr << "diag: " << base::printable(e.what()) << "\n";
        return exit_not_done;
    }
}

}  // namespace
}  // namespace diag::cli

int main(int argc, char** argv) {
    std::setlocale(LC_CTYPE, "");
    ::signal(SIGXFSZ, SIG_IGN);  // past `ulimit -f` a write then fails, and is told
    diag::cli::require_standard_streams();
    const int status = diag::cli::guarded({argv + 1, argv + argc});
    return diag::cli::output_arrived() || status != 0 ? status : diag::cli::exit_not_done;
}
