#include "lab/files.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <sstream>

#include "base/fd.hpp"
#include "base/file.hpp"
#include "lab/namespaces.hpp"

namespace diag::lab {

std::filesystem::path node_folder(const std::string& node) { return std::filesystem::path(node_files_folder) / namespace_of(node); }

std::string read_node_file(const std::string& node, const std::string& name) { return base::read_file(node_folder(node) / name, 1 << 20); }

void write_node_file(const std::string& node, const std::string& name, const std::string& text) {
    std::filesystem::create_directories(node_folder(node));
    const std::filesystem::path path = node_folder(node) / name;
    const base::Fd fd(::open(path.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC | O_NOFOLLOW, 0644));
    if (!fd) base::throw_errno(path.string());
    base::write_all(fd.get(), text, path);
}

std::string nsswitch_with_files_only(const std::string& machines_own) {
    std::istringstream before(machines_own);
    std::string after, line;
    while (std::getline(before, line)) {
        const auto first = line.find_first_not_of(" \t");
        if (first == std::string::npos || line.compare(first, 6, "hosts:") != 0) after += line + "\n";
    }
    return after + "hosts: files\n";
}

}  // namespace diag::lab
