#include <algorithm>
#include <cctype>

#include "base/nearest.hpp"
#include "runbook/fields.hpp"
#include "runbook/site.hpp"

namespace diag::runbook {
namespace {

std::string lower(std::string text) {
    std::transform(text.begin(), text.end(), text.begin(), [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
    return text;
}

std::string first_label(const std::string& name) { return name.substr(0, name.find('.')); }

// Host names compare without case (RFC 4343); a host may call itself by its full name or by the first label.
bool is_called(const Machine& machine, const std::string& hostname) {
    const std::string host = lower(hostname), name = lower(machine.name);
    if (host.empty()) return false;
    if (lower(machine.key) == host || name == host) return true;
    if (host.find('.') != std::string::npos && !name.empty()) return false;  // both full, and they differ
    return lower(machine.key) == first_label(host) || (!name.empty() && first_label(name) == host);
}

}  // namespace

std::string this_machine(const Site& site, const std::string& chosen, const std::string& hostname) {
    const Mark whole{std::make_shared<const std::string>(site.file)};
    const auto keys = site.machine_keys();
    if (!chosen.empty()) {
        if (site.machine(chosen) != nullptr) return chosen;
        throw RunbookError(whole, "no machine '" + chosen + "'" + base::did_you_mean(chosen, keys) + " (machines: " + listed(keys) + ")");
    }
    std::vector<std::string> found;
    for (const auto& machine : site.machines)
        if (is_called(machine, hostname)) found.push_back(machine.key);
    if (found.size() == 1) return found.front();
    const std::string why = found.empty() ? "no machine has the key or the name of this host, '" + hostname + "'"
                                          : "the host name '" + hostname + "' fits more than one machine (" + listed(found) + ")";
    throw RunbookError(whole, why + "; say which it is with --machine or DIAG_MACHINE (machines: " + listed(keys) + ")");
}

}  // namespace diag::runbook
