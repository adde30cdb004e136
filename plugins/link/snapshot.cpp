#include "snapshot.hpp"

#include <algorithm>
#include <array>
#include <map>

#include <diag/verdict.hpp>

#include "base/utf8.hpp"
#include "machine.hpp"
#include "probe/files.hpp"
#include "probe/port.hpp"
#include "snapshot_run.hpp"

namespace diag::link {
namespace {

using std::filesystem::path;
using Texts = std::map<std::string, std::string>;  // topic -> text

constexpr std::chrono::milliseconds for_each{2000}, for_all{3500};
constexpr std::size_t most_of_one = std::size_t{64} << 10, most_of_topic = std::size_t{128} << 10, most_together = std::size_t{1} << 20;
constexpr std::size_t most_adapters = 16, most_confs = 64;

const std::vector<Wanted>& programs() {
    static const std::vector<Wanted> all = {
        {"addresses", {"ip", "address", "show"}},
        {"links", {"ip", "-details", "-statistics", "link", "show"}},
        {"routes", {"ip", "-4", "route", "show", "table", "all"}},
        {"routes", {"ip", "-6", "route", "show", "table", "all"}},
        {"rules", {"ip", "-4", "rule", "show"}},
        {"rules", {"ip", "-6", "rule", "show"}},
        {"neighbours", {"ip", "-statistics", "neighbour", "show"}},
        {"bridges", {"bridge", "-details", "link", "show"}},
        {"bridges", {"bridge", "vlan", "show"}},
        {"bridges", {"bridge", "fdb", "show"}},
        {"rdma", {"rdma", "dev", "show"}},
        {"rdma", {"rdma", "link", "show"}},
        {"kernel-log", {"journalctl", "--dmesg", "--since=-10min", "--lines=2000", "--no-pager", "--output=short-iso"}, true},
        {"kernel-log", {"dmesg", "--ctime"}, true},  // the whole ring, where the journal has nothing
    };
    return all;
}

// ethtool of every adapter: settings, driver, features, pause, FEC, statistics.  It knows no `--`, so a name that looks like an option
// is left out.
std::vector<Wanted> adapter_programs(std::string& left_out) {
    std::vector<Wanted> found;
    std::size_t adapters = 0;
    const auto world = system_world({});
    const Machine machine(*world);
    for (const auto& seen : machine.all()) {
        if (!seen.hardware()) continue;
        const std::string& name = seen.interface.name;
        if (name.starts_with('-') || ++adapters > most_adapters) {
            left_out += "ethtool was not asked about " + base::printable(name) + "\n";
            continue;
        }
        for (const char* what : {"", "--driver", "--show-features", "--show-pause", "--show-fec", "--statistics"})
            found.push_back({"ethtool-" + name,
                             *what == '\0' ? std::vector<std::string>{"ethtool", name} : std::vector<std::string>{"ethtool", what, name}});
    }
    return found;
}

// What decides where packets go, how large they are and how much of them is buffered; below /proc/sys.
constexpr std::array settings = {
    "net/ipv4/ip_forward",
    "net/ipv4/ip_no_pmtu_disc",
    "net/ipv4/ip_forward_use_pmtu",
    "net/ipv4/tcp_mtu_probing",
    "net/ipv4/tcp_base_mss",
    "net/ipv4/tcp_rmem",
    "net/ipv4/tcp_wmem",
    "net/ipv4/tcp_sack",
    "net/ipv4/tcp_timestamps",
    "net/ipv4/tcp_window_scaling",
    "net/ipv4/tcp_congestion_control",
    "net/ipv4/icmp_echo_ignore_all",
    "net/ipv4/ping_group_range",
    "net/ipv4/neigh/default/gc_thresh1",
    "net/ipv4/neigh/default/gc_thresh2",
    "net/ipv4/neigh/default/gc_thresh3",
    "net/core/rmem_max",
    "net/core/wmem_max",
    "net/core/rmem_default",
    "net/core/wmem_default",
    "net/core/netdev_max_backlog",
    "net/core/netdev_budget",
    "net/core/default_qdisc",
    "net/core/rps_sock_flow_entries",
    "net/bridge/bridge-nf-call-iptables",
    "net/bridge/bridge-nf-call-ip6tables",
    "net/bridge/bridge-nf-call-arptables",
};
constexpr std::array per_interface = {"ipv4|rp_filter",  "ipv4|arp_ignore",   "ipv4|arp_announce", "ipv4|arp_filter",   "ipv4|proxy_arp",
                                      "ipv4|forwarding", "ipv4|accept_local", "ipv6|forwarding",   "ipv6|disable_ipv6", "ipv6|accept_ra"};

// "absent" and "unreadable" are told apart from a value.
std::string value_of(const path& root, const std::string& file) {
    try {
        std::string text = probe::read_text(root, file);
        while (!text.empty() && (text.back() == '\n' || text.back() == ' ')) text.pop_back();
        return base::printable(text);
    } catch (const Absent&) {
        return "(absent)";
    } catch (const Unreadable& e) {
        return "(unreadable: " + base::printable(e.what()) + ")";
    }
}

std::vector<std::string> folder_or_none(const path& root, const std::string& folder, std::string& why) {
    try {
        return probe::list_folder(root, folder);
    } catch (const std::exception& e) {
        why += "(" + base::printable(e.what()) + ")\n";
        return {};
    }
}

std::string sysctls(const path& root) {
    std::string text, why;
    for (const char* name : settings) text += fmt::format("{} = {}\n", name, value_of(root, std::string("/proc/sys/") + name));
    auto interfaces = folder_or_none(root, "/proc/sys/net/ipv4/conf", why);
    if (interfaces.size() > most_confs) why += fmt::format("({} more interfaces)\n", interfaces.size() - most_confs);
    interfaces.resize(std::min(interfaces.size(), most_confs));
    for (const auto& interface : interfaces)
        for (const std::string each : per_interface) {
            const std::string name = "net/" + each.substr(0, 4) + "/conf/" + interface + "/" + each.substr(5);
            text += fmt::format("{} = {}\n", base::printable(name), value_of(root, "/proc/sys/" + name));
        }
    return text + why;
}

void keep_file(const path& root, const std::string& topic, const std::string& file, Texts& texts) {
    std::string& text = texts[topic];
    text += "== " + base::printable(file) + "\n";
    try {
        text += bounded(without_secrets(base::clean_utf8(probe::read_text(root, file))), most_of_one, false);
    } catch (const std::exception& e) {
        text += "(" + base::printable(e.what()) + ")\n";
    }
}

void keep_files(const path& root, Texts& texts) {
    keep_file(root, "mounts", "/proc/self/mountinfo", texts);
    for (const char* file : {"/proc/net/dev", "/proc/net/snmp", "/proc/net/netstat", "/proc/net/softnet_stat"})
        keep_file(root, "counters", file, texts);
    std::string why;
    for (const auto& bond : folder_or_none(root, "/proc/net/bonding", why)) keep_file(root, "bonds", "/proc/net/bonding/" + bond, texts);
    if (!why.empty()) texts["bonds"] += "no bond is known: " + why;
    texts["sysctls"] = sysctls(root);
}

void run_programs(Texts& texts) {
    std::vector<Wanted> wanted = programs();
    try {
        std::string left_out;
        const auto adapters = adapter_programs(left_out);
        wanted.insert(wanted.end(), adapters.begin(), adapters.end());
        texts["links"] += left_out;
    } catch (const std::exception& e) {
        texts["links"] += fmt::format("(ethtool was not asked: {})\n", base::printable(e.what()));
    }
    const auto outputs = run_all(wanted, for_each, for_all, most_of_one);
    for (std::size_t i = 0; i < wanted.size(); ++i) texts[wanted[i].topic] += outputs[i] + "\n";
}

}  // namespace

Verdict link_snapshot(Context& c) {
    Texts texts;
    keep_files(c.root(), texts);
    if (c.root().empty()) run_programs(texts);
    std::size_t together = 0;
    for (const auto& [topic, text] : texts) {
        std::string kept = bounded(text, most_of_topic, topic == "kernel-log");
        if (together + kept.size() > most_together) kept = "(left out: the snapshot has its size)\n";
        together += kept.size();
        c.evidence(topic, kept);
    }
    return pass("{} texts of this end were kept{}", texts.size(), c.root().empty() ? "" : ", files of the captured tree alone");
}

}  // namespace diag::link
