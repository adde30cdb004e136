#include "profiles.hpp"

#include <algorithm>
#include <map>

#include <fnmatch.h>

#include <diag/verdict.hpp>

#include "base/utf8.hpp"
#include "probe/files.hpp"
#include "profile_files.hpp"

namespace diag::link {
namespace {

using std::filesystem::path;
using Reader = std::vector<Profile> (*)(const std::string& text, const std::string& file);

struct Source {
    std::vector<std::string> folders;  // an earlier one hides files of the same name in the later ones
    std::string ending;                // "" for any
    Reader read;
};

// systemd.network(5), netplan-generate(8), NetworkManager.conf(5) (keyfile.path), interfaces(5).
const std::vector<Source>& sources() {
    static const std::vector<Source> all = {
        {{"/run/netplan", "/etc/netplan", "/lib/netplan"}, ".yaml", netplan_profiles},
        {{"/etc/NetworkManager/system-connections", "/run/NetworkManager/system-connections", "/usr/lib/NetworkManager/system-connections"},
         "",
         keyfile_profiles},
        {{"/etc/systemd/network", "/run/systemd/network", "/usr/local/lib/systemd/network", "/usr/lib/systemd/network"},
         ".network",
         network_profiles},
        {{"/etc/network/interfaces.d"}, "", ifupdown_profiles},
    };
    return all;
}

std::vector<std::string> names_in(const path& root, const std::string& folder, Profiles& found) {
    try {
        return probe::list_folder(root, folder);
    } catch (const Absent&) {
    } catch (const Unreadable& e) {
        found.unread.push_back(base::printable(e.what()));
    }
    return {};
}

void read_file(const path& root, const std::string& file, Reader read, Profiles& found) {
    try {
        for (auto& profile : read(probe::read_text(root, file), file)) found.all.push_back(std::move(profile));
    } catch (const Absent&) {  // a mask: a link to /dev/null, in a captured tree to nothing
    } catch (const std::exception& e) {
        found.unread.push_back(base::printable(file + ": " + e.what()));
    }
}

bool hidden(const std::string& name) { return name.empty() || name.front() == '.' || name.back() == '~'; }

}  // namespace

bool plain_name(const std::string& name) { return name.find_first_of("*?[]!|&") == std::string::npos; }

bool matches(const std::vector<std::string>& patterns, const std::string& name) {
    bool fits = false, only_not = !patterns.empty();
    for (const auto& each : patterns) {
        const auto start = each.find_first_not_of("!|&");
        if (start == std::string::npos) continue;
        const bool excludes = each.substr(0, start).find('!') != std::string::npos;
        const bool equal = ::fnmatch(each.c_str() + start, name.c_str(), 0) == 0;
        if (excludes && equal) return false;
        only_not = only_not && excludes;
        fits = fits || (equal && !excludes);
    }
    return fits || only_not;
}

bool Profile::bound_to(const Seen& seen) const {
    const probe::Interface& link = seen.interface;
    const auto is = [](const std::string& wanted) { return [&wanted](const std::string& each) { return each == wanted; }; };
    if (std::any_of(interfaces.begin(), interfaces.end(), is(link.name))) return true;
    return (!link.permanent_mac.empty() && std::any_of(macs.begin(), macs.end(), is(link.permanent_mac))) ||
           (!link.mac.empty() && std::any_of(macs.begin(), macs.end(), is(link.mac)));
}

bool Profile::fits(const Seen& seen) const { return anything || bound_to(seen) || matches(interfaces, seen.interface.name); }

Profiles profiles(const path& root) {
    Profiles found;
    for (const auto& source : sources()) {
        std::map<std::string, std::string> files;
        for (const auto& folder : source.folders)
            for (const auto& name : names_in(root, folder, found))
                if (!hidden(name) && name.ends_with(source.ending)) files.emplace(name, folder + "/" + name);
        for (const auto& [name, file] : files) read_file(root, file, source.read, found);
    }
    read_file(root, "/etc/network/interfaces", ifupdown_profiles, found);
    return found;
}

}  // namespace diag::link
