#include "resolve_judge.hpp"

#include <algorithm>
#include <array>

#include <fmt/format.h>

#include "causes.hpp"
#include "prefix.hpp"
#include "sources.hpp"

namespace diag::names {

namespace {

using probe::Address;
using Judged = std::optional<Verdict>;

struct Found {
    Address address;
    std::optional<probe::Route> route;  // as the kernel chooses it; nothing: no route
    std::string origin;
};

// One name with its addresses and their routes.
struct Subject {
    std::string name;
    probe::Resolution resolution;
    std::vector<Found> found;
};

Subject look_up(World& world, const Sources& sources, const std::string& name, const std::optional<std::string>& interface) {
    Subject subject{name, world.resolve(name), {}};
    for (const auto& bare : subject.resolution.addresses) {
        const auto address = bare.on(scope_of(world, interface, bare));
        subject.found.push_back({address, world.route(address), origin(sources, name, address)});
    }
    return subject;
}

std::string describe(const Subject& subject) {
    std::string text = "getaddrinfo " + subject.name + ": " + (subject.found.empty() ? subject.resolution.error : "") + "\n";
    if (!subject.resolution.canonical.empty()) text += "  canonical name " + subject.resolution.canonical + "\n";
    for (const auto& found : subject.found) {
        text += fmt::format("  {}  from {}  ", found.address.text(), found.origin);
        if (!found.route)
            text += "no route\n";
        else
            text += fmt::format("{} route by {}{}{}\n", found.route->type, found.route->interface_name,
                                found.route->gateway ? " via " + found.route->gateway->text() : "",
                                found.route->source ? " source " + found.route->source->text() : "");
    }
    return text;
}

class ResolveJudge {
  public:
    ResolveJudge(const ResolveQuestion& question, World& world) : question_(question), world_(world), sources_(read_sources(world)) {}
    ResolveFinding finding();

  private:
    Verdict verdict();
    std::string rule(const Found& found) const { return world_.source_rule(found.address, found.route); }
    std::optional<Address> planned() const;
    Judged loopback();
    Judged link_local();
    Judged no_route();
    std::string why_interface_has_none() const;
    Judged own_address();
    Judged interface_of(const Found& found, const probe::Interface& wanted);
    Judged other_interface();
    Judged planned_address();
    Judged another_without_route();
    Judged own_name();
    Judged by_search_domain();
    Verdict passed() const;
    bool asks_own_name() const;

    const ResolveQuestion& question_;
    World& world_;
    Sources sources_;
    Subject subject_, own_;
};

// The name of this machine as the site file gives it, or as its host name says: whole, or its first label.
bool ResolveJudge::asks_own_name() const {
    if (question_.own && probe::same_name(*question_.own, question_.name)) return true;
    const std::string host = world_.host_name();
    return probe::same_name(host, question_.name) || probe::same_name(host, question_.name.substr(0, question_.name.find('.')));
}

// A local name must not lead nowhere but here: peers get told to connect to their own loopback.
Verdict own_on_loopback(const std::string& name, const Found& found) {
    return fail("names.own-loopback",
                "this machine's own name {} is {} here ({}); what is told to others by that name leads them to themselves", name,
                found.address.text(), found.origin)
        .with("own", name);
}

Judged ResolveJudge::loopback() {
    for (const auto& found : subject_.found) {
        if (!found.address.loopback()) continue;
        if (asks_own_name()) return own_on_loopback(question_.name, found);
        return fail("names.loopback", "{} is {}, this machine's loopback ({})", question_.name, found.address.text(), found.origin);
    }
    return std::nullopt;
}

Judged ResolveJudge::link_local() {
    for (const auto& found : subject_.found)
        if (auto judged = unscoped(found.address)) return judged;
    return std::nullopt;
}

// The site file's address; nothing where it gives none that can be read.
std::optional<Address> ResolveJudge::planned() const {
    const auto written = question_.address ? Address::parse(*question_.address) : std::nullopt;
    if (!written) return std::nullopt;
    return written->on(scope_of(world_, question_.interface, *written));
}

// A link that is down takes its routes with it: that comes before any table.
std::string ResolveJudge::why_interface_has_none() const {
    if (!question_.interface) return "";
    const auto wanted = world_.interface(*question_.interface);
    if (!wanted.up) return fmt::format("; {} is switched off (ip link set {} up)", wanted.name, wanted.name);
    return wanted.carrier ? "" : fmt::format("; {} has no carrier", wanted.name);
}

Judged ResolveJudge::no_route() {
    const auto usable = [](const Found& found) { return found.route.has_value(); };
    if (std::any_of(subject_.found.begin(), subject_.found.end(), usable)) return std::nullopt;
    std::string all;
    for (const auto& found : subject_.found) all += (all.empty() ? "" : ", ") + found.address.text();
    Verdict verdict = fail("names.no-usable-address", "{} is {}, and this machine has no route to {}{}{}", question_.name, all,
                           subject_.found.size() == 1 ? "it" : "any of them", why_interface_has_none(), rule(subject_.found.front()));
    return std::move(verdict).with("found", subject_.found.front().address.text());
}

Judged ResolveJudge::own_address() {
    if (asks_own_name()) return std::nullopt;
    for (const auto& found : subject_.found)
        if (found.route && found.route->local)
            return fail("names.own-address", "{} is {} ({}), an address of this machine itself", question_.name, found.address.text(),
                        found.origin)
                .with("found", found.address.text());
    return std::nullopt;
}

Judged ResolveJudge::interface_of(const Found& found, const probe::Interface& wanted) {
    const auto& route = *found.route;
    if (route.interface == wanted.index) return std::nullopt;
    const std::string address = found.address.text();
    if (planned() == found.address || on_link(world_.addresses(), wanted.index, found.address))
        return fail("names.route-elsewhere", "{} is {} ({}), which belongs to the link of {}, but the route to it leaves by {}{}",
                    question_.name, address, found.origin, wanted.name, route.interface_name, rule(found))
            .with("found", address);
    return fail("names.wrong-interface", "{} is {} ({}), which leaves by {} instead of {}{}{}", question_.name, address, found.origin,
                route.interface_name, wanted.name, rule(found), question_.address ? "; the site file gives it " + *question_.address : "")
        .with("found", address);
}

Judged ResolveJudge::other_interface() {
    if (!question_.interface) return std::nullopt;
    const auto wanted = world_.bearer(*question_.interface);
    for (const auto& found : subject_.found)
        if (found.route && !found.route->local)
            if (auto judged = interface_of(found, wanted)) return judged;
    return std::nullopt;
}

Judged ResolveJudge::planned_address() {
    if (!question_.address) return std::nullopt;
    const auto meant = planned();
    if (!meant)
        return fail("names.address-invalid", "'{}', the address that the site file gives {}, is no IP address", *question_.address,
                    question_.name);
    std::string all;
    for (const auto& found : subject_.found) {
        if (found.address == *meant) return std::nullopt;
        all += (all.empty() ? "" : ", ") + found.address.text() + " (" + found.origin + ")";
    }
    return fail("names.address-differs", "{} is {}, the site file says {}", question_.name, all, *question_.address);
}

Judged ResolveJudge::another_without_route() {
    for (const auto& found : subject_.found)
        if (auto judged = unroutable(world_, question_.name, found.address)) return judged;
    return std::nullopt;
}

Judged ResolveJudge::own_name() {
    if (!question_.own) return std::nullopt;
    own_ = asks_own_name() ? subject_ : look_up(world_, sources_, *question_.own, std::nullopt);
    if (own_.found.empty())
        return warn("names.own-unknown", "this machine's own name {} cannot be looked up here: {}", *question_.own, own_.resolution.error);
    bool local = false;
    for (const auto& found : own_.found) {
        if (found.address.loopback()) return own_on_loopback(*question_.own, found);
        local = local || (found.route && found.route->local);
    }
    if (local) return std::nullopt;
    return warn("names.own-elsewhere", "this machine's own name {} is {} ({}), which is no address of this machine", *question_.own,
                own_.found.front().address.text(), own_.found.front().origin);
}

// glibc tells by the canonical name what it appended; the absolute name proves that it had to.
Judged ResolveJudge::by_search_domain() {
    if (question_.name.ends_with('.') || in_hosts(sources_, question_.name)) return std::nullopt;
    const auto& canonical = subject_.resolution.canonical;
    for (const auto& domain : sources_.dns.search) {
        if (!probe::same_name(canonical, question_.name + "." + domain)) continue;
        if (world_.resolve(question_.name + ".").status == probe::Resolution::Status::resolved) continue;
        return warn("names.search-domain", "{} exists only as {}: the search list of /etc/resolv.conf completed it", question_.name,
                    canonical)
            .with("canonical", canonical);
    }
    return std::nullopt;
}

Verdict ResolveJudge::passed() const {
    std::string text;
    for (const auto& found : subject_.found)
        text += fmt::format("{}{} ({}{})", text.empty() ? "" : ", ", found.address.text(), found.origin,
                            found.route ? ", by " + found.route->interface_name : ", no route");
    return pass("{} is {}", question_.name, text);
}

Verdict ResolveJudge::verdict() {
    subject_ = look_up(world_, sources_, question_.name, question_.interface);
    if (auto judged = unresolved(world_, sources_, question_.name, subject_.resolution)) return *judged;
    using Step = Judged (ResolveJudge::*)();
    for (const Step step : {&ResolveJudge::loopback, &ResolveJudge::link_local, &ResolveJudge::own_address, &ResolveJudge::no_route,
                            &ResolveJudge::other_interface, &ResolveJudge::planned_address, &ResolveJudge::own_name,
                            &ResolveJudge::another_without_route, &ResolveJudge::by_search_domain})
        if (auto judged = (this->*step)()) return *judged;
    return passed();
}

ResolveFinding ResolveJudge::finding() {
    ResolveFinding finding;
    finding.verdict = verdict();
    finding.asked = fmt::format("every address of {}{}", question_.name, question_.interface ? ", reached by " + *question_.interface : "");
    for (const auto& found : subject_.found)
        finding.saw += fmt::format("{}{} by {}", finding.saw.empty() ? "" : ", ", found.address.text(),
                                   found.route ? found.route->interface_name : "no route");
    if (finding.saw.empty()) finding.saw = subject_.resolution.error;
    finding.evidence = describe(subject_) + (own_.name.empty() || own_.name == subject_.name ? "" : describe(own_)) +
                       sources_text(sources_, {question_.name, question_.own.value_or(question_.name)});
    return finding;
}

}  // namespace

ResolveFinding judge_resolve(const ResolveQuestion& question, World& world) { return ResolveJudge(question, world).finding(); }

}  // namespace diag::names
