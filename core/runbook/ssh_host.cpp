#include "runbook/site.hpp"

namespace diag::runbook {
namespace {

std::string called(const End& end) { return end.name.empty() ? end.address : end.name; }

}  // namespace

std::string ssh_host(const Site& site, const Machine& machine) {
    if (!machine.ssh.empty()) return machine.ssh;
    if (!machine.name.empty()) return machine.name;
    for (const bool management : {true, false})
        for (const auto& link : site.links)
            if (link.management == management)
                if (const End* end = link.end(machine.key); end != nullptr && !called(*end).empty()) return called(*end);
    return machine.key;
}

}  // namespace diag::runbook
