#include "reach_subjects.hpp"

#include <algorithm>
#include <iterator>

#include "causes.hpp"

namespace diag::names {

namespace {

constexpr std::size_t max_addresses = 64;  // bounds the load; a name with more is a service, not a machine

// Those of the name that can be probed, and the others.  The one that the site file gives is probed in any case.
void sort_out(const std::vector<probe::Address>& addresses, const std::optional<probe::Address>& planned, World& world,
              Subjects& subjects) {
    for (const auto& address : addresses)
        (world.route(address) || address == planned ? subjects.addresses : subjects.unrouted).push_back(address);
    if (subjects.addresses.empty()) subjects.addresses.swap(subjects.unrouted);  // then each is told why
    if (subjects.addresses.size() <= max_addresses) return;
    std::stable_partition(subjects.addresses.begin(), subjects.addresses.end(), [&](const auto& address) { return address == planned; });
    subjects.more = subjects.addresses.size() - max_addresses;
    subjects.addresses.resize(max_addresses);
}

}  // namespace

std::optional<Verdict> find_addresses(const ReachQuestion& question, World& world, Subjects& subjects) {
    if (!question.name && !question.address) return skip("neither a name nor an address is given");
    const auto& by = question.plan.interface;
    const auto on_its_link = [&](const probe::Address& address) {
        return address.on(scope_of(world, by.empty() ? std::nullopt : std::optional(by), address));
    };
    auto planned = question.address ? probe::Address::parse(*question.address) : std::nullopt;
    if (planned) planned = on_its_link(*planned);
    if (!question.name && !planned) return fail("names.address-invalid", "'{}' is no IP address", *question.address);
    std::vector<probe::Address> all;
    if (question.name) {
        const auto resolution = world.resolve(*question.name);
        if (auto verdict = unresolved(world, read_sources(world), *question.name, resolution)) return verdict;
        std::transform(resolution.addresses.begin(), resolution.addresses.end(), std::back_inserter(all), on_its_link);
    } else {
        all = {*planned};
    }
    for (const auto& address : all)
        if (auto verdict = unscoped(address)) return verdict;
    sort_out(all, planned, world, subjects);
    return std::nullopt;
}

}  // namespace diag::names
