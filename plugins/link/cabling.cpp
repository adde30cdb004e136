#include "cabling.hpp"

#include <algorithm>

#include "profiles.hpp"

namespace diag::link {
namespace {

// A profile and the port that it is bound to, which has no cable.  `port` is null where no such port is here.
struct Stranded {
    const Profile* profile = nullptr;
    const Seen* port = nullptr;
    std::string bound;
};

class CablingJudge {
  public:
    CablingJudge(const Machine& machine, const Seen& subject, const Profiles& profiles)
        : machine_(machine), subject_(subject), profiles_(profiles) {}
    std::optional<Verdict> verdict() const;

  private:
    bool cabled(const Seen& seen) const { return seen.hardware() && !seen.wireless() && seen.interface.carrier; }
    bool unconfigured(const Seen& seen) const;
    std::optional<Stranded> stranded(const Profile& profile) const;
    const Seen* free_cable() const;
    Verdict say(const Stranded& from, const Seen& to) const;

    const Machine& machine_;
    const Seen& subject_;
    const Profiles& profiles_;
};

// No address, nothing stands on it, it is in nothing, and no profile is meant for it.
bool CablingJudge::unconfigured(const Seen& seen) const {
    const auto uses = [&](const Seen& other) { return other.interface.lower == seen.interface.index && other.interface.kind != "veth"; };
    return !seen.configured() && seen.interface.master == 0 && std::none_of(machine_.all().begin(), machine_.all().end(), uses) &&
           std::none_of(profiles_.all.begin(), profiles_.all.end(), [&](const Profile& profile) { return profile.fits(seen); });
}

// A profile for several ports, or for a pattern, has its port where one of them has a cable.
std::optional<Stranded> CablingJudge::stranded(const Profile& profile) const {
    Stranded found{&profile, nullptr, ""};
    for (const auto& seen : machine_.all()) {
        if (!profile.fits(seen)) continue;
        if (!seen.hardware() || seen.wireless() || seen.interface.carrier) return std::nullopt;
        if (profile.bound_to(seen)) found.port = &seen;
    }
    if (found.port != nullptr) found.bound = found.port->interface.name;
    if (found.port == nullptr && profile.interfaces.size() == 1 && plain_name(profile.interfaces[0])) found.bound = profile.interfaces[0];
    if (found.port == nullptr && profile.interfaces.empty() && profile.macs.size() == 1) found.bound = profile.macs[0];
    return found.bound.empty() ? std::nullopt : std::optional(found);
}

const Seen* CablingJudge::free_cable() const {
    for (const auto& seen : machine_.all())
        if (cabled(seen) && unconfigured(seen)) return &seen;
    return nullptr;
}

Verdict CablingJudge::say(const Stranded& from, const Seen& to) const {
    const std::string where = from.port == nullptr      ? "no adapter of this machine now (some leave the bus without a cable)"
                              : from.port->interface.up ? from.bound + ", which has no carrier"
                                                        : from.bound + ", which is switched off";
    return fail("link.profile-without-cable", "the profile {} of {} ({}) is bound to {}{}, while {} has carrier and no profile",
                from.profile->name, from.profile->manager, from.profile->file, where, from.port == nullptr ? ": " + from.bound : "",
                to.interface.name)
        .with("profile", from.profile->name)
        .with("file", from.profile->file)
        .with("bound", from.bound)
        .with("cabled", to.interface.name);
}

std::optional<Verdict> CablingJudge::verdict() const {
    if (!subject_.hardware() || subject_.wireless()) return std::nullopt;
    const Seen* to = cabled(subject_) ? (unconfigured(subject_) ? &subject_ : nullptr) : free_cable();
    if (to == nullptr) return std::nullopt;
    for (const auto& profile : profiles_.all) {
        const auto from = stranded(profile);
        if (from && (to == &subject_ || from->port == &subject_)) return say(*from, *to);
    }
    return std::nullopt;
}

}  // namespace

Cabling judge_cabling(const Machine& machine, const Seen& subject, const std::filesystem::path& root) {
    const Profiles found = profiles(root);
    Cabling cabling;
    for (const auto& profile : found.all) {
        std::vector<std::string> bound = profile.interfaces;
        bound.insert(bound.end(), profile.macs.begin(), profile.macs.end());
        cabling.table +=
            fmt::format("profile {} of {} ({}): {}\n", profile.name, profile.manager, profile.file, bound.empty() ? "any" : listed(bound));
    }
    for (const auto& file : found.unread) cabling.table += "not read: " + file + "\n";
    cabling.verdict = CablingJudge(machine, subject, found).verdict();
    if (!cabling.verdict || found.unread.empty()) return cabling;
    // The missing one may be the profile that is looked for.
    cabling.words = "it may be that a profile is bound to a port without a cable; not judged, as " + found.unread.front();
    cabling.verdict.reset();
    return cabling;
}

}  // namespace diag::link
