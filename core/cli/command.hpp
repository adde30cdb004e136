// One subcommand: its name, its one line of help, its function.  Each lives in a file of its own.
#pragma once

#include <string>
#include <vector>

namespace diag::cli {

using Arguments = std::vector<std::string>;

struct Command {
    const char* name;
    const char* usage;  // what stands behind the name
    const char* summary;
    int (*run)(const Arguments&);
};

int init_command(const Arguments&);
int look_command(const Arguments&);
int run_command(const Arguments&);
int check_command(const Arguments&);
int lint_command(const Arguments&);
int peers_command(const Arguments&);
int plugins_command(const Arguments&);
int explain_command(const Arguments&);
int resume_command(const Arguments&);
int show_command(const Arguments&);
int list_command(const Arguments&);
int verify_command(const Arguments&);
int prune_command(const Arguments&);
int topology_command(const Arguments&);
int lab_command(const Arguments&);

// Exit codes of DESIGN 8 that are no verdict.
inline constexpr int exit_usage = 64;
inline constexpr int exit_not_done = 3;  // what should have been done was not

}  // namespace diag::cli
