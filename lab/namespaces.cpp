#include "lab/namespaces.hpp"

#include <fcntl.h>
#include <sched.h>

#include <algorithm>
#include <exception>
#include <filesystem>

#include "base/file.hpp"

namespace diag::lab {

std::string namespace_of(const std::string& part) { return namespace_prefix + part; }

std::vector<std::string> lab_namespaces() {
    std::vector<std::string> names;
    if (!std::filesystem::exists(namespace_folder)) return names;
    for (const auto& entry : std::filesystem::directory_iterator(namespace_folder)) {
        const std::string name = entry.path().filename();
        if (name.rfind(namespace_prefix, 0) == 0) names.push_back(name);
    }
    std::sort(names.begin(), names.end());
    return names;
}

void enter(const std::string& part) {
    const std::string path = std::string(namespace_folder) + "/" + namespace_of(part);
    const base::Fd there(::open(path.c_str(), O_RDONLY | O_CLOEXEC));
    if (!there) base::throw_errno(path);
    if (::setns(there.get(), CLONE_NEWNET) != 0) base::throw_errno("enter " + path);
}

Inside::Inside(const std::string& part) {
    if (part.empty()) return;
    home_.reset(::open("/proc/thread-self/ns/net", O_RDONLY | O_CLOEXEC));
    if (!home_) base::throw_errno("/proc/thread-self/ns/net");
    enter(part);
}

Inside::~Inside() {
    // Going on in a node's network, taking it for the machine's own, would be worse than ending here.
    if (home_ && ::setns(home_.get(), CLONE_NEWNET) != 0) std::terminate();
}

}  // namespace diag::lab
