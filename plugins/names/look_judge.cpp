#include "look_judge.hpp"

#include <algorithm>
#include <set>

#include <fmt/format.h>

#include "sources.hpp"

namespace diag::names {

namespace {

using probe::Address;

constexpr const char *hosts = "/etc/hosts", *services = "/etc/nsswitch.conf", *resolver = "/etc/resolv.conf";
constexpr const char* resolved_upstream = "/run/systemd/resolve/resolv.conf";  // systemd-resolved.service(8)

// The host name as the kernel has it, else as a captured tree keeps it; "" where neither is there.
std::string own_name(World& world) {
    for (const char* path : {"/proc/sys/kernel/hostname", "/etc/hostname"}) {
        try {
            const std::string text = world.read(path);
            return text.substr(0, text.find('\n'));
        } catch (const Absent&) {  // the next one may be there
        }
    }
    return "";
}

// One address of the own name, and the line that gives it.
struct Line {
    Address address;
    unsigned number = 0;
};

class NamesLook {
  public:
    NamesLook(World& world, bool live) : world_(world), live_(live), sources_(read_sources(world)), name_(own_name(world)) {
        for (const char* file : {hosts, services, resolver})
            if (!live && missing(file)) sources_.unreadable.insert(file);  // whoever made the tree may have left it out
    }

    LookFinding finding() {
        if (!name_.empty()) own();
        see("names from", known(services) ? services_text(sources_) : unknown());
        servers();
        see("search", fmt::format("{}", fmt::join(sources_.dns.search, " ")), sources_.dns.search);
        local_domain();
        for (const auto& problem : sources_.problems) see("not read", problem);
        return std::move(found_);
    }

  private:
    bool missing(const std::string& file) const {
        try {
            world_.read(file);
            return false;
        } catch (const Absent&) {
            return true;
        } catch (const Unreadable&) {
            return false;
        }
    }
    bool known(const std::string& file) const { return !sources_.unreadable.contains(file); }
    std::string unknown() const { return live_ ? "" : "not captured"; }
    void see(const std::string& name, const std::string& text, json value = nullptr) {
        found_.machine.push_back({name, text, std::move(value)});
    }
    void wrong(const std::string& cause, std::string reason, json values = json::object()) {
        found_.wrong.push_back({cause, std::move(reason), std::move(values)});
    }
    // Whether the hosts line, which is known, has one of these services; without such a line glibc takes files and dns.
    bool asks(const std::set<std::string>& services) const {
        if (sources_.services.empty()) return services.contains("dns");
        return std::any_of(sources_.services.begin(), sources_.services.end(), [&](const auto& s) { return services.contains(s.name); });
    }

    // Every line counts: getaddrinfo() gives the addresses of all.
    std::vector<Line> lines() const {
        std::vector<Line> found;
        for (const auto& line : sources_.hosts)
            if (const auto address = Address::parse(line.address); address && line.has(name_)) found.push_back({*address, line.number});
        return found;
    }

    void own() {
        const auto all = lines();
        std::string text;
        json addresses = json::array();
        for (const auto& line : all) {
            text += fmt::format("{}{} (line {} of /etc/hosts)", text.empty() ? " is " : ", ", line.address.text(), line.number);
            addresses.push_back(line.address.text());
        }
        if (all.empty())
            text = not_in_hosts();
        else
            judge(all);
        found_.machine.push_back({"own name", name_ + text, {{"name", name_}, {"addresses", addresses}}, {"machine.name", name_}});
    }
    std::string not_in_hosts() {
        if (!known(hosts)) return "";
        if (!known(services)) return " is not in /etc/hosts";
        if (asks({"myhostname", "resolve"})) return " is whatever addresses this machine has (not in /etc/hosts)";
        if (!only_files()) return " is not in /etc/hosts; no server was asked";
        wrong("names.own-unknown",
              fmt::format("this machine's own name {} is not in /etc/hosts, and names come from nowhere else ({})", name_,
                          services_text(sources_)),
              {{"own", name_}});
        return " is unknown here";
    }
    bool only_files() const {
        return !sources_.services.empty() &&
               std::all_of(sources_.services.begin(), sources_.services.end(), [](const auto& s) { return s.name == "files"; });
    }

    void judge(const std::vector<Line>& all) {
        const auto where = [&](const Line& line) {
            return fmt::format("this machine's own name {} is {} (line {} of /etc/hosts)", name_, line.address.text(), line.number);
        };
        for (const auto& line : all)
            if (line.address.loopback())
                return wrong("names.own-loopback", where(line) + ": whoever is told that address connects to himself", {{"own", name_}});
        if (!live_) return;
        for (const auto& mine : world_.addresses())
            if (std::any_of(all.begin(), all.end(), [&](const Line& line) { return line.address == mine.address; })) return;
        wrong("names.own-elsewhere", where(all.front()) + ", which is no address of this machine", {{"own", name_}});
    }

    void servers() {
        const auto& servers = sources_.dns.servers;
        std::string text;
        json value = json::array();
        for (const auto& server : servers) {
            text += (text.empty() ? "" : ", ") + server.text();
            value.push_back(server.text());
        }
        if (text == "127.0.0.53" || text == "127.0.0.54") text += " (systemd-resolved" + upstream() + ")";
        if (!known(resolver)) return see("dns servers", unknown());
        see("dns servers", text.empty() ? "none" : text, value);
        if (servers.empty() && known(services) && asks({"dns"}) && !asks({"resolve"}))
            wrong("names.no-servers", "/etc/resolv.conf names no DNS server, and programs ask one: they ask 127.0.0.1");
    }
    std::string upstream() {
        try {
            std::string text;
            for (const auto& server : probe::resolver_config(world_.read(resolved_upstream)).servers)
                text += (text.empty() ? ", which asks " : ", ") + server.text();
            return text;
        } catch (const Absent&) {
            return "";
        } catch (const Unreadable& e) {
            sources_.problems.emplace_back(e.what());
            return "";
        }
    }

    void local_domain() {
        for (const auto& domain : sources_.dns.search)
            if (const auto mdns = mdns_in_front_of_dns(sources_, "host." + domain))
                return wrong(
                    "names.local-domain",
                    fmt::format("names are searched for in {}, and '{}' ends the search for those before DNS is asked", domain, *mdns),
                    {{"domain", domain}});
    }

    World& world_;
    bool live_;
    Sources sources_;
    std::string name_;
    LookFinding found_;
};

}  // namespace

LookFinding look_at_names(World& world, bool live) { return NamesLook(world, live).finding(); }

void tell_names(const std::vector<std::string>& others, World& world, const TellName& tell) {
    for (const auto& asked : others) {
        const auto address = Address::parse(asked);
        const std::string name = address ? world.name_of(*address) : asked;
        if (name.empty()) continue;
        std::vector<std::string> addresses;
        bool leads_back = !address;
        for (const auto& found : world.resolve(name).addresses) {
            leads_back = leads_back || found == *address;
            addresses.push_back(found.text());
        }
        if (leads_back && !addresses.empty()) tell(asked, name, addresses);
    }
}

}  // namespace diag::names
