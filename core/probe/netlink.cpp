#include "probe/netlink.hpp"

#include <array>
#include <cerrno>
#include <cstddef>
#include <cstring>
#include <string_view>
#include <utility>

#include <linux/if_addr.h>
#include <linux/if_link.h>
#include <linux/rtnetlink.h>
#include <net/if.h>

#include <diag/verdict.hpp>

#include "base/nearest.hpp"
#include "base/utf8.hpp"
#include "probe/netlink_wire.hpp"

namespace diag::probe {
namespace {

constexpr unsigned lower_up = 0x10000;              // IFF_LOWER_UP, <linux/if.h>; that header and <net/if.h> exclude each other
constexpr std::size_t alternative_name_size = 128;  // ALTIFNAMSIZ, <linux/if.h>

constexpr std::array<std::string_view, 7> operstates = {"unknown", "notpresent", "down", "lowerlayerdown", "testing", "dormant", "up"};

std::string link_kind(nlattr* info) {
    std::array<nlattr*, IFLA_INFO_MAX + 1> nested{};
    if (info == nullptr || nla_parse_nested(nested.data(), IFLA_INFO_MAX, info, nullptr) < 0) return "";
    return nested[IFLA_INFO_KIND] != nullptr ? nla_get_string(nested[IFLA_INFO_KIND]) : "";
}

std::int64_t ipv6_mtu(nlattr* families) {
    constexpr int mtu6 = 2;  // DEVCONF_MTU6, <linux/ipv6.h>: a place in the array of settings
    nlattr* six = families != nullptr ? nla_find(static_cast<nlattr*>(nla_data(families)), nla_len(families), AF_INET6) : nullptr;
    nlattr* settings = six != nullptr ? nla_find(static_cast<nlattr*>(nla_data(six)), nla_len(six), IFLA_INET6_CONF) : nullptr;
    if (settings == nullptr || nla_len(settings) < static_cast<int>((mtu6 + 1) * sizeof(std::int32_t))) return 0;
    std::int32_t value = 0;
    std::memcpy(&value, static_cast<const std::int32_t*>(nla_data(settings)) + mtu6, sizeof value);
    return value;
}

std::optional<LinkCounters> counters(nlattr* attribute) {
    rtnl_link_stats64 stats{};
    constexpr std::size_t needed = offsetof(rtnl_link_stats64, tx_dropped) + sizeof stats.tx_dropped;  // newer kernels append
    if (attribute == nullptr || nla_len(attribute) < static_cast<int>(needed)) return std::nullopt;
    std::memcpy(&stats, nla_data(attribute), needed);
    return LinkCounters{stats.rx_packets, stats.tx_packets, stats.rx_errors, stats.tx_errors, stats.rx_dropped, stats.tx_dropped};
}

Interface read_interface(const NetlinkMessage& message) {
    const auto& link = message.header<ifinfomsg>();
    const auto a = message.attributes(sizeof link, IFLA_MAX);
    if (a[IFLA_IFNAME] == nullptr || a[IFLA_MTU] == nullptr) throw Unreadable("a link's netlink message lacks its name or MTU");
    Interface found;
    found.index = static_cast<unsigned>(link.ifi_index);
    found.name = nla_get_string(a[IFLA_IFNAME]);
    found.kind = link_kind(a[IFLA_LINKINFO]);
    found.loopback = (link.ifi_flags & IFF_LOOPBACK) != 0;
    found.up = (link.ifi_flags & IFF_UP) != 0;
    found.carrier = (link.ifi_flags & lower_up) != 0;
    const std::size_t state = a[IFLA_OPERSTATE] != nullptr ? nla_get_u8(a[IFLA_OPERSTATE]) : 0;
    found.operstate = operstates[state < operstates.size() ? state : 0];
    found.mtu = nla_get_u32(a[IFLA_MTU]);
    found.ipv6_mtu = ipv6_mtu(a[IFLA_AF_SPEC]);
    found.mac = hardware_address(a[IFLA_ADDRESS]);
    found.permanent_mac = hardware_address(a[IFLA_PERM_ADDRESS]);
    found.counters = counters(a[IFLA_STATS64]);
    if (a[IFLA_CARRIER_CHANGES] != nullptr) found.carrier_changes = nla_get_u32(a[IFLA_CARRIER_CHANGES]);
    if (a[IFLA_MASTER] != nullptr) found.master = nla_get_u32(a[IFLA_MASTER]);
    // With IFLA_LINK_NETNSID the index belongs to another namespace (a veth's other end, a moved VLAN).
    if (a[IFLA_LINK] != nullptr && a[IFLA_LINK_NETNSID] == nullptr) found.lower = nla_get_u32(a[IFLA_LINK]);
    return found;
}

// Nothing where the kernel has no such interface.
std::optional<Interface> one_interface(const NetlinkRequest& request, const std::string& subject) {
    const NetlinkReply reply = netlink_ask(request, subject);
    if (reply.error == ENODEV) return std::nullopt;
    expect_success(reply, subject);
    if (reply.messages.empty()) throw Unreadable("the kernel's answer about " + subject + " is empty");
    return read_interface(reply.messages.front());
}

[[noreturn]] void throw_absent(const std::string& name) {
    std::vector<std::string> names;
    for (const auto& each : interfaces()) names.push_back(each.name);
    throw Absent(fmt::format("no interface '{}' here{}", base::printable(name), base::did_you_mean(name, names)));
}

}  // namespace

std::string InterfaceAddress::text() const {
    return fmt::format("{}{}/{}", address.text(), far_end ? " peer " + far_end->text() : "", prefix);
}

std::vector<Interface> interfaces() {
    const NetlinkReply reply = netlink_ask(NetlinkRequest(RTM_GETLINK, NLM_F_DUMP).header(ifinfomsg{}), "interfaces");
    expect_success(reply, "interfaces");
    std::vector<Interface> found;
    for (const auto& message : reply.messages) found.push_back(read_interface(message));
    return found;
}

Interface interface(const std::string& name) {
    if (name.empty() || name.size() >= alternative_name_size || name.find('\0') != std::string::npos) throw_absent(name);
    NetlinkRequest request(RTM_GETLINK, 0);
    request.header(ifinfomsg{}).attribute(name.size() < IFNAMSIZ ? IFLA_IFNAME : IFLA_ALT_IFNAME, name.c_str(), name.size() + 1);
    if (auto found = one_interface(request, "interface " + base::printable(name))) return std::move(*found);
    throw_absent(name);
}

Interface interface(unsigned index) {
    ifinfomsg header{};
    header.ifi_index = static_cast<int>(index);
    const auto subject = fmt::format("interface {}", index);
    if (auto found = one_interface(NetlinkRequest(RTM_GETLINK, 0).header(header), subject)) return std::move(*found);
    throw Absent(fmt::format("no interface has index {}", index));
}

Interface bearer_of(Interface link) {
    while (link.master != 0) {
        Interface upper = interface(link.master);
        if (upper.kind != "bridge" && upper.kind != "bond" && upper.kind != "team") break;
        link = std::move(upper);
    }
    return link;
}

std::vector<InterfaceAddress> addresses() {
    const NetlinkReply reply = netlink_ask(NetlinkRequest(RTM_GETADDR, NLM_F_DUMP).header(ifaddrmsg{}), "addresses");
    expect_success(reply, "addresses");
    std::vector<InterfaceAddress> found;
    for (const auto& message : reply.messages) {
        const auto& header = message.header<ifaddrmsg>();
        if (header.ifa_family != AF_INET && header.ifa_family != AF_INET6) continue;
        const auto a = message.attributes(sizeof header, IFA_MAX);
        // On a point-to-point link IFA_ADDRESS is the peer's, with the prefix; IFA_LOCAL, where given, is ours (<linux/if_addr.h>).
        nlattr *own = a[IFA_LOCAL] != nullptr ? a[IFA_LOCAL] : a[IFA_ADDRESS], *network = a[IFA_ADDRESS];
        if (own == nullptr) throw Unreadable("an address's netlink message carries no address");
        InterfaceAddress each{header.ifa_index, ip_address(header.ifa_family, own, header.ifa_index), header.ifa_prefixlen};
        if (network != nullptr)
            if (const Address far_end = ip_address(header.ifa_family, network, header.ifa_index); !(far_end == each.address))
                each.far_end = far_end;
        found.push_back(each);
    }
    return found;
}

}  // namespace diag::probe
