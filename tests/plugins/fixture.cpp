#include "fixture.hpp"

#include <dirent.h>
#include <poll.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <memory>
#include <stdexcept>
#include <system_error>
#include <utility>

#include "base/file.hpp"
#include "base/trust.hpp"
#include "worker/descendants.hpp"

namespace diag::test {

namespace {

std::string mark_value() { return std::string(mark) + "=" + std::to_string(::getpid()); }

bool is_marked(pid_t pid) {
    try {
        const std::string environment = base::read_file("/proc/" + std::to_string(pid) + "/environ");
        return ('\0' + environment).find('\0' + mark_value() + '\0') != std::string::npos;
    } catch (const std::system_error&) {
        return false;  // gone meanwhile
    }
}

// A copy below /var/lib, where only root can write; gone with the program.
struct TrustedCopy {
    std::string folder = "/var/lib/diag-test-XXXXXX";
    explicit TrustedCopy(const std::string& from) {
        if (::mkdtemp(folder.data()) == nullptr) base::throw_errno(folder);
        std::filesystem::copy(from, folder, std::filesystem::copy_options::recursive);
        for (const auto& entry : std::filesystem::recursive_directory_iterator(folder)) {
            if (::lchown(entry.path().c_str(), 0, 0) != 0) base::throw_errno(entry.path());
            std::filesystem::permissions(entry.path(), std::filesystem::perms(0755));
        }
    }
    TrustedCopy(const TrustedCopy&) = delete;
    TrustedCopy& operator=(const TrustedCopy&) = delete;
    ~TrustedCopy() {
        std::error_code ignored;  // a destructor has nobody to tell
        std::filesystem::remove_all(folder, ignored);
    }
};

}  // namespace

const std::string& plugin_folder() {
    static const std::string built = DIAG_TEST_PLUGINS;
    if (::geteuid() != 0 || !base::distrust(built, 0)) return built;
    static const TrustedCopy copy(built);
    return copy.folder;
}

void set_mark() { ::setenv(mark, std::to_string(::getpid()).c_str(), 1); }

std::vector<pid_t> marked_processes() {
    std::vector<pid_t> found;
    const std::unique_ptr<DIR, int (*)(DIR*)> proc(::opendir("/proc"), ::closedir);
    while (const dirent* entry = ::readdir(proc.get())) {
        const pid_t pid = static_cast<pid_t>(std::atoi(entry->d_name));
        if (pid > 0 && pid != ::getpid() && is_marked(pid)) found.push_back(pid);
    }
    return found;
}

std::vector<pid_t> children_named(const std::string& name) {
    std::vector<pid_t> found;
    for (const pid_t pid : worker::children_of(::getpid()))
        if (const auto process = worker::read_process(pid); process && process->alive() && process->name == name) found.push_back(pid);
    return found;
}

bool soon(const std::function<bool()>& holds) {
    for (int i = 0; i < 500; ++i) {
        if (holds()) return true;
        ::poll(nullptr, 0, 10);
    }
    return false;
}

BadPlugin::BadPlugin(std::vector<std::string> worker) : client(std::move(worker)) {
    set_mark();
    options.timeout = 0.3;
    options.limits = {{"memory", 96 << 20}, {"output", 1 << 20}};
    catalogue = client.load({plugin_folder() + "/bad"});
}

const host::CheckInfo& BadPlugin::check(const std::string& name) const {
    const auto* found = catalogue.check("bad." + name);
    if (found == nullptr) throw std::runtime_error("the bad plugin has no check " + name);
    return *found;
}

Result BadPlugin::run(const std::string& name, const json& params) {
    json full = params;
    for (const auto& p : check(name).params)
        if (!full.contains(p.name) && !p.fallback.is_null()) full[p.name] = p.fallback;
    return client.run(check(name), catalogue.plugin_of("bad." + name)->file, full, options);
}

}  // namespace diag::test
