#include "lab/down.hpp"

#include <sys/mount.h>
#include <unistd.h>

#include <cerrno>
#include <filesystem>
#include <sstream>
#include <string>

#include "base/file.hpp"
#include "lab/command.hpp"
#include "lab/files.hpp"
#include "lab/namespaces.hpp"
#include "lab/processes.hpp"
#include "lab/sshd.hpp"
#include "lab/state.hpp"

namespace diag::lab {
namespace {

namespace fs = std::filesystem;

bool remove_node_files() {
    bool any = false;
    if (!fs::exists(node_files_folder)) return any;
    for (const auto& entry : fs::directory_iterator(node_files_folder)) {
        if (entry.path().filename().string().rfind(namespace_prefix, 0) != 0) continue;
        fs::remove_all(entry.path());
        any = true;
    }
    return any;
}

// Folders that the lab was the first to need, where nobody else has put anything into them since.
void remove_made_folders() {
    if (!fs::exists(made_path)) return;
    std::istringstream lines(base::read_file(made_path, 4096));
    std::string folder;
    while (std::getline(lines, folder)) {
        if ((folder != namespace_folder && folder != node_files_folder) || !fs::exists(folder) || !fs::is_empty(folder)) continue;
        // `ip netns` mounts its folder on itself.  EINVAL: it is not mounted; EBUSY: another uses it.
        if (folder == namespace_folder && ::umount2(folder.c_str(), UMOUNT_NOFOLLOW) != 0 && errno != EINVAL) continue;
        ::rmdir(folder.c_str());
    }
}

}  // namespace

bool take_down() {
    bool any = fs::exists(made_path) || !recorded_processes().empty();
    end_processes();
    for (const std::string& name : lab_namespaces()) {
        run({"ip", "netns", "del", name});
        any = true;
    }
    any = remove_node_files() || any;
    remove_made_folders();
    remove_privilege_folder();
    for (const auto& entry : fs::directory_iterator(state_folder)) fs::remove_all(entry.path());
    return any;
}

}  // namespace diag::lab
