#include "lab/lab.hpp"

#include <signal.h>
#include <unistd.h>

#include <cstdio>
#include <functional>
#include <optional>
#include <stdexcept>
#include <utility>

#include <fmt/format.h>

#include "base/nearest.hpp"
#include "base/utf8.hpp"
#include "lab/command.hpp"
#include "lab/control.hpp"
#include "lab/faults.hpp"
#include "lab/interrupt.hpp"
#include "lab/node.hpp"
#include "lab/processes.hpp"
#include "lab/state.hpp"
#include "lab/topology.hpp"

namespace diag::lab {
namespace {

constexpr int done = 0, not_done = 3, usage = 64;

constexpr const char* help =
    R"(usage: {0} lab up [--nodes N] | down | exec NODE -- COMMAND... | break FAULT | mend | faults [--format json] | site

A small cluster of network namespaces on this machine, to rehearse a runbook and its failures.

  up [--nodes N]           makes N nodes, a to h (2 when not given): a house switch, a direct cable for each pair
  exec NODE -- COMMAND...  runs the command as that node; the exit status is the command's
  break FAULT              breaks one thing; what was broken before is mended first
  mend                     takes every fault back
  faults [--format json]   lists the faults: the checkpoint that fails, the cause it names
  site                     prints the path of the lab's site file
  down                     ends what runs in the lab and leaves nothing

up, down, exec, break and mend need root.
)";

struct Usage : std::runtime_error {
    using std::runtime_error::runtime_error;
};

using Words = std::vector<std::string>;

void no_more(const Words& args, const std::string& command) {
    if (!args.empty()) throw Usage(fmt::format("lab {}: unexpected '{}'", command, base::printable(args[0])));
}

void need_root(const std::string& command, const Settings& settings) {
    if (::geteuid() != 0) throw Usage(fmt::format("lab {0} needs root: sudo {1} lab {0}", command, settings.program));
}

// The lab that is up, whole.  `ours`: the caller holds it, so nobody else is at work on it.
State need_lab(const Settings& settings, const Lock* ours = nullptr) {
    State state = load_state();
    if (state.nodes != 0 && !state.ready && ours == nullptr) {
        if (lab_is_held()) throw Usage("another `diag lab` command is at work on the lab; wait until it is done");
        state = load_state();  // it may have ended between the two
    }
    if (state.nodes == 0) throw Usage(fmt::format("no lab is up: sudo {} lab up", settings.program));
    if (!state.ready)
        throw Usage(fmt::format("the lab is half built (a command was ended in the middle): sudo {} lab up", settings.program));
    return state;
}

// The value of the one option that a subcommand takes, written `--name value` or `--name=value`; removed from `args`.  Nothing where it is
// not given; an empty value is one.
std::optional<std::string> take_option(Words& args, const std::string& name) {
    for (auto word = args.begin(); word != args.end(); ++word) {
        if (word->rfind(name + "=", 0) == 0) {
            std::string value = word->substr(name.size() + 1);
            args.erase(word);
            return value;
        }
        if (*word != name) continue;
        if (word + 1 == args.end()) throw Usage(name + " needs a value");
        std::string value = *(word + 1);
        args.erase(word, word + 2);
        return value;
    }
    return std::nullopt;
}

int up(Words args, const Settings& settings) {
    const auto given = take_option(args, "--nodes");
    no_more(args, "up");
    if (given && (given->size() != 1 || (*given)[0] < '0' + min_nodes || (*given)[0] > '0' + max_nodes))
        throw Usage(fmt::format("--nodes '{}': a number from {} to {} is expected", base::printable(*given), min_nodes, max_nodes));
    need_root("up", settings);
    const int nodes = given ? (*given)[0] - '0' : min_nodes;
    const Lock lock;
    const State state = load_state();
    if (state.ready && given && state.nodes != nodes)
        throw Usage(fmt::format("a lab of {} nodes is up already: sudo {} lab down", state.nodes, settings.program));
    if (state.ready) {
        fmt::print(stderr, "the lab is up already: {} nodes{}\n", state.nodes, state.broken.empty() ? "" : ", broken: " + state.broken);
        return done;
    }
    build_lab(nodes);
    fmt::print(stderr, "the lab is up: nodes a to {}\nnext: {} lab exec a -- {} run bringup\n", static_cast<char>('a' + nodes - 1),
               settings.program, settings.program);
    return done;
}

int down(const Words& args, const Settings& settings) {
    no_more(args, "down");
    need_root("down", settings);
    if (inside_the_lab()) throw Usage("lab down: this shell runs inside the lab; leave it first");
    const Lock lock;
    fmt::print(stderr, "{}\n", remove_lab() ? "the lab is down" : "no lab was up");
    return done;
}

int exec(Words args, const Settings& settings) {
    if (args.empty()) throw Usage("lab exec: NODE -- COMMAND... is expected");
    const std::string word = args[0];
    args.erase(args.begin());
    if (!args.empty() && args[0] == "--") args.erase(args.begin());
    if (args.empty() || args[0].empty()) throw Usage("lab exec: a command is expected after the node");
    need_root("exec", settings);
    const Topology lab = topology(need_lab(settings).nodes);
    const std::string node = node_of(lab, word);
    if (node.empty())
        throw Usage(fmt::format("no node '{}'; there are {} to {}", base::printable(word), lab.nodes.front(), lab.nodes.back()));
    return exec_as(node, args);
}

const Fault& fault_named(const std::string& name) {
    Words names;
    for (const Fault& fault : faults()) {
        if (fault.name == name) return fault;
        names.push_back(fault.name);
    }
    throw Usage(fmt::format("no fault '{}'{}; `lab faults` lists them", base::printable(name), base::did_you_mean(name, names)));
}

int break_it(const Words& args, const Settings& settings) {
    if (args.size() != 1) throw Usage("lab break: one FAULT is expected; `lab faults` lists them");
    const Fault& fault = fault_named(args[0]);
    need_root("break", settings);
    const Lock lock;
    const State before = need_lab(settings, &lock);
    break_lab(before, fault);
    if (!before.broken.empty()) fmt::print(stderr, "mended first: {}\n", before.broken);
    fmt::print(stderr, "{}: {}\n", fault.twin() ? "healthy, though it looks otherwise" : "broken", fault.summary);
    if (!fault.settings.empty()) fmt::print(stderr, "seen by: diag lab exec a -- diag run bringup --set {}\n", fault.settings);
    return done;
}

int mend(const Words& args, const Settings& settings) {
    no_more(args, "mend");
    need_root("mend", settings);
    const Lock lock;
    const State state = load_state();
    if (state.nodes == 0) throw Usage(fmt::format("no lab is up: sudo {} lab up", settings.program));
    mend_lab(state.nodes);
    fmt::print(stderr, "{}\n", state.broken.empty() ? "nothing was broken; the lab is as new" : "mended: " + state.broken);
    return done;
}

int list_faults(Words args, const Settings&) {
    const std::string format = take_option(args, "--format").value_or("text");
    no_more(args, "faults");
    if (format != "text" && format != "json") throw Usage(fmt::format("--format '{}': text or json is expected", base::printable(format)));
    fmt::print("{}", format == "json" ? faults_as_json() : faults_as_text());
    return done;
}

int site(const Words& args, const Settings& settings) {
    no_more(args, "site");
    need_lab(settings);
    fmt::print("{}\n", site_path);
    return done;
}

using Subcommand = std::function<int(Words, const Settings&)>;
const std::vector<std::pair<std::string, Subcommand>> subcommands{
    {"up", up}, {"down", down}, {"exec", exec}, {"break", break_it}, {"mend", mend}, {"faults", list_faults}, {"site", site}};

int dispatch(const Words& args, const Settings& settings) {
    if (args.empty()) throw Usage("lab: a subcommand is expected; `lab --help` lists them");
    if (args[0] == "--help" || args[0] == "-h" || (args.size() == 2 && args[1] == "--help")) {
        fmt::print(help, settings.program);
        return done;
    }
    Words names;
    for (const auto& [name, run_it] : subcommands) {
        if (name == args[0]) return run_it({args.begin() + 1, args.end()}, settings);
        names.push_back(name);
    }
    throw Usage(fmt::format("lab: no subcommand '{}'{}", base::printable(args[0]), base::did_you_mean(args[0], names)));
}

}  // namespace

int main(const std::vector<std::string>& args, const Settings& settings) {
    int status = not_done;
    int signal = 0;
    try {
        status = dispatch(args, settings);
    } catch (const Usage& e) {
        fmt::print(stderr, "{}: {}\n", settings.program, e.what());
        status = usage;
    } catch (const Interrupted& e) {
        fmt::print(stderr, "{}: interrupted\n", settings.program);
        signal = e.signal;
    } catch (const std::exception& e) {
        fmt::print(stderr, "{}: {}\n", settings.program, e.what());
    }
    if (signal != 0) ::raise(signal);
    return status;
}

}  // namespace diag::lab
