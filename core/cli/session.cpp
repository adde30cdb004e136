#include "cli/session.hpp"

#include <unistd.h>

#include <array>
#include <cstdlib>
#include <iostream>

#include "base/file.hpp"
#include "base/utf8.hpp"
#include "cli/paths.hpp"
#include "lab/inside.hpp"

namespace diag::cli {

std::unique_ptr<host::WorkerClient> worker_here() {
    return std::make_unique<host::WorkerClient>(std::vector<std::string>{worker_program(), "--here"});
}

Session open_session(const Common& common) {
    Session session;
    session.worker = worker_here();
    session.catalogue = session.worker->load(plugin_dirs(common.plugins));
    for (const auto& refusal : session.catalogue.refusals)
        std::cerr << base::printable(refusal.file) << ": not loaded: " << base::printable(refusal.reason) << " ["
                  << base::printable(refusal.code) << "]\n";
    return session;
}

std::optional<runbook::Site> load_site(const Common& common) {
    const auto file = common.site_file();
    if (!file) return std::nullopt;
    if (!std::filesystem::exists(*file)) throw UsageError(base::printable(file->string()) + ": no such site file");
    return runbook::read_site(trusted(*file));
}

std::string host_name() {
    std::array<char, 256> name{};
    if (::gethostname(name.data(), name.size() - 1) != 0) base::throw_errno("gethostname");
    return name.data();
}

std::string this_machine(const std::optional<runbook::Site>& site, const Common& common) {
    return site ? runbook::this_machine(*site, common.machine_name(), host_name()) : common.machine_name();
}

bool in_lab(const std::optional<runbook::Site>& site) { return std::getenv("DIAG_LAB") != nullptr || (site && site->lab) || lab::inside(); }

}  // namespace diag::cli
