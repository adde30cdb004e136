#include "cli/session.hpp"

#include <unistd.h>

#include <array>
#include <cstdlib>
#include <iostream>

#include "base/file.hpp"
#include "base/utf8.hpp"
#include "cli/paths.hpp"
#include "host/judge.hpp"
#include "lab/inside.hpp"

namespace diag::cli {

Session open_session(const Common& common) {
    Session session;
    session.worker = std::make_unique<host::WorkerClient>(std::vector<std::string>{worker_program()});
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
    require_trust(*file);
    return runbook::read_site(*file);
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

host::Result WorkerRunner::run(const runbook::PlannedCheck& check) {
    const auto* info = session_.catalogue.check(check.check);
    const auto* plugin = session_.catalogue.plugin_of(check.check);
    if (info == nullptr || plugin == nullptr) throw std::logic_error("a plan names a check that is not in the catalogue: " + check.check);
    if (check.machine != machine_)
        return host::not_run(*info, "peer.unavailable",
                             "this belongs to " + check.machine + ", and this build runs checks on this machine only");
    return session_.worker->run(*info, plugin->file, check.params, options(check), progress_);
}

std::optional<json> WorkerRunner::facts(const runbook::PlannedCheck& check) const {
    const auto* info = session_.catalogue.check(check.check);
    const auto* plugin = session_.catalogue.plugin_of(check.check);
    if (info == nullptr || plugin == nullptr || check.machine != machine_) return std::nullopt;
    return session_.worker->facts(*info, plugin->file, check.params, options(check));
}

host::RunOptions WorkerRunner::options(const runbook::PlannedCheck& check) const {
    host::RunOptions options;
    options.timeout = check.timeout;
    options.interrupt_fd = interrupt_fd_;
    options.root = common_.root;
    options.machine = machine_;
    return options;
}

}  // namespace diag::cli
