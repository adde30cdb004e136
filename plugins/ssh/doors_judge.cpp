// Whether sshd would read the key files of an account: sshd's StrictModes, from the outside.
#include <algorithm>

#include <fmt/ranges.h>

#include "base/utf8.hpp"
#include "keys_judge.hpp"

namespace diag::ssh {
namespace {

struct Doors {
    bool strict = true, assumed = true;
    std::vector<std::string> files;
};

// %h, %u, %U and %% of AuthorizedKeysFile; a relative path is the home's.  sshd_config(5).
std::string expanded_door(std::string path, const Account& account) {
    std::string text;
    for (std::size_t i = 0; i < path.size(); ++i) {
        const char token = path[i] == '%' && i + 1 < path.size() ? path[i + 1] : '\0';
        const bool known = token != '\0' && std::string_view("huU%").find(token) != std::string_view::npos;
        if (known) ++i;
        text += !known         ? std::string(1, path[i])
                : token == 'h' ? account.home
                : token == 'u' ? account.name
                : token == 'U' ? std::to_string(account.uid)
                               : std::string("%");
    }
    return text.starts_with('/') ? text : account.home + "/" + text;
}

Doors doors_of(World& world, const Account& account) {
    Doors doors;
    std::vector<std::string> files = {".ssh/authorized_keys", ".ssh/authorized_keys2"};  // the default
    if (const auto dump = world.server_configuration(account)) {
        const Config config = read_config(*dump);
        doors.assumed = false;
        doors.strict = value_of(config, "strictmodes") != "no";
        if (const auto named = values_of(config, "authorizedkeysfile"); !named.empty()) files = named;
    }
    for (const auto& file : files)
        if (file != "none") doors.files.push_back(expanded_door(file, account));
    return doors;
}

std::string mode_text(World& world, const FileState& s) {
    const auto group = world.group(s.group);
    return fmt::format("{:04o} {}:{}", s.mode, world.user_name(s.owner), group ? group->name : std::to_string(s.group));
}

// auth_secure_path(): the file, and every folder above it up to the home, or up to / where it lies elsewhere.
std::optional<Verdict> refused(World& world, const Account& account, const std::string& file, std::string& notes) {
    const std::string home = world.real_path(account.home);
    for (std::string path = world.real_path(file);; path = path.rfind('/') == 0 ? "/" : path.substr(0, path.rfind('/'))) {
        const FileState state = world.file(path);
        const auto why = insecure(world, state, account);
        notes += fmt::format("{}: {}{}\n", base::printable(path), mode_text(world, state), why ? ": " + *why : "");
        if (why)
            return fail("ssh.permissions-there", "sshd does not read {}, because of {} ({}): {}", base::printable(file),
                        base::printable(path), mode_text(world, state), *why)
                .with("path", path);
        if (path == home || path == "/") return std::nullopt;
    }
}

}  // namespace

std::optional<std::string> insecure(World& world, const FileState& state, const Account& account) {
    if (state.owner != 0 && state.owner != account.uid) return "it belongs to " + world.user_name(state.owner);
    if ((state.mode & 0002) != 0) return "everybody may change it";
    if ((state.mode & 0020) == 0) return std::nullopt;
    const auto group = world.group(state.group);
    if (!group) return fmt::format("group {}, which nobody knows, may change it", state.group);
    const auto other = [&](const std::string& member) { return member != account.name; };
    for (const auto* members : {&group->primary, &group->listed})
        if (const auto one = std::find_if(members->begin(), members->end(), other); one != members->end())
            return fmt::format("group {} may change it, and {} is in it", group->name, base::printable(*one));
    if (group->primary.empty() && group->listed.empty()) return fmt::format("group {}, in which nobody is, may change it", group->name);
    return std::nullopt;
}

Verdict judge_doors(World& world, const Account& account, bool asked_for, std::string& notes) {
    const Doors doors = doors_of(world, account);
    if (doors.assumed) notes += "sshd's configuration cannot be asked here: its defaults are assumed\n";
    if (!doors.strict) notes += "StrictModes no: sshd reads the files whatever their modes\n";
    std::size_t found = 0, empty = 0;
    for (const auto& file : doors.files) try {
            const FileState state = world.file(file);
            if (state.kind != FileState::Kind::file)
                return fail("ssh.permissions-there", "sshd does not read {}: it is no file", base::printable(file)).with("path", file);
            state.size == 0 ? ++empty : ++found;
            if (auto verdict = doors.strict ? refused(world, account, file, notes) : std::nullopt) return *std::move(verdict);
        } catch (const Absent& e) {
            notes += fmt::format("{}\n", e.what());
        } catch (const Unreadable& e) {
            notes += fmt::format("{}\n", e.what());
            return fail("ssh.permissions-there", "sshd, as {}, cannot read {}: {}", account.name, base::printable(file), e.what())
                .with("path", file);
        }
    if (found > 0) return pass("sshd reads the keys that may log in to {}{}", account.name, doors.strict ? "" : " (StrictModes no)");
    const std::string none =
        fmt::format("no key may log in to {}: {} {}", account.name, base::printable(fmt::format("{}", fmt::join(doors.files, ", "))),
                    empty > 0 ? "is empty" : "is not there");
    return asked_for ? fail("ssh.no-authorized-keys", "{}", none) : skip("{}", none);
}

}  // namespace diag::ssh
