#include "lab/control.hpp"

#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <filesystem>

#include <fmt/format.h>

#include "base/file.hpp"
#include "lab/build.hpp"
#include "lab/command.hpp"
#include "lab/down.hpp"
#include "lab/files.hpp"
#include "lab/interrupt.hpp"
#include "lab/iperf3.hpp"
#include "lab/listener.hpp"
#include "lab/namespaces.hpp"
#include "lab/settle.hpp"
#include "lab/ssh_files.hpp"
#include "lab/sshd.hpp"

namespace diag::lab {
namespace {

namespace fs = std::filesystem;

// Everybody may read the lab's names and its site file, whatever the caller's umask.
class Readable {
  public:
    Readable() : before_(::umask(022)) {}
    ~Readable() { ::umask(before_); }
    Readable(const Readable&) = delete;
    Readable& operator=(const Readable&) = delete;

  private:
    mode_t before_;
};

// Which folders `down` may remove again, written before they are made.
void note_made_folders() {
    std::string made;
    for (const char* folder : {namespace_folder, node_files_folder})
        if (!fs::exists(folder)) made += std::string(folder) + "\n";
    base::write_new_file(made_path, made, 0644);
}

// For exclusive checks; whoever runs one as a node may open it.
void make_lock(const std::string& node) {
    const std::string path = lock_path(node);
    if (!fs::exists(path)) base::write_new_file(path, "", 0600);
    if (::chmod(path.c_str(), 0666) != 0) base::throw_errno(path);
}

// Every node's servers, new: one that a fault ended is there again, and one that it kept busy is free.
void serve(const Topology& lab) {
    end_sshd();
    end_listener();
    end_iperf3();
    for (const std::string& node : lab.nodes) make_lock(node);
    if (have_sshd()) {
        renew_ssh_files(lab);
        start_sshd(lab.nodes);
    } else {
        fmt::print(stderr, "no sshd: logins cannot be rehearsed, and bringup stops at ssh (apt-get install openssh-server)\n");
        for (const std::string& node : lab.nodes) start_listener(node);
    }
    if (find_program("iperf3").empty()) fmt::print(stderr, "no iperf3: throughput cannot be rehearsed (apt-get install iperf3)\n");
}

void lay(const Topology& lab) {
    renew(lab);
    settle(lab);
    serve(lab);
    fs::remove(site_path);
    base::write_new_file(site_path, site_file(lab, have_sshd() ? ssh_config_path : ""), 0644);
    save_state({static_cast<int>(lab.nodes.size()), true, ""});
}

bool complete(const Topology& lab) {
    const auto present = lab_namespaces();
    const auto steps = namespace_steps(lab);
    return std::all_of(steps.begin(), steps.end(),
                       [&](const Step& step) { return std::find(present.begin(), present.end(), step.argv.back()) != present.end(); });
}

// The way back from a failure that is being reported: a second one is said, and does not hide the first.
template <typename Way>
void go_back(const char* what, Way way) {
    try {
        way();
    } catch (const std::exception& e) {
        fmt::print(stderr, "{}: {}\n", what, e.what());
    }
}

}  // namespace

void build_lab(int nodes) {
    require_programs();
    const Readable readable;
    const Interruptible interruptible;
    if (take_down()) fmt::print(stderr, "what an interrupted command left of a lab was taken away\n");
    try {
        const Topology lab = topology(nodes);
        note_made_folders();
        save_state({nodes, false, ""});
        apply(namespace_steps(lab));
        lay(lab);
    } catch (const std::exception&) {
        go_back("the half-built lab could not be taken down", remove_lab);
        throw;
    }
}

bool remove_lab() {
    const bool any = take_down();
    if (::rmdir(state_folder) != 0) base::throw_errno(state_folder);
    return any;
}

void break_lab(const State& before, const Fault& fault) {
    require_programs();
    const Readable readable;
    const Interruptible interruptible;
    const Topology lab = topology(before.nodes);
    save_state({before.nodes, false, fault.name});
    try {
        if (!before.broken.empty()) {
            renew(lab);
            serve(lab);
        }
        apply(fault.steps);
        settle(lab);
    } catch (const std::exception&) {
        go_back("the lab could not be mended", [&] { lay(lab); });
        throw;
    }
    save_state({before.nodes, true, fault.name});
}

void mend_lab(int nodes) {
    const Topology lab = topology(nodes);
    if (!complete(lab)) return build_lab(nodes);
    require_programs();
    const Readable readable;
    const Interruptible interruptible;
    save_state({nodes, false, ""});
    lay(lab);
}

}  // namespace diag::lab
