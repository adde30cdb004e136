#include <array>
#include <cerrno>
#include <cstring>
#include <string_view>

#include <linux/neighbour.h>
#include <linux/rtnetlink.h>

#include <diag/verdict.hpp>

#include "probe/netlink.hpp"
#include "probe/netlink_wire.hpp"

namespace diag::probe {
namespace {

std::string route_type(unsigned char type) {
    constexpr std::array<std::string_view, 12> names = {"unspec",    "unicast",     "local",    "broadcast", "anycast", "multicast",
                                                        "blackhole", "unreachable", "prohibit", "throw",     "nat",     "xresolve"};
    return type < names.size() ? std::string(names[type]) : fmt::format("type {}", type);
}

std::string neighbour_state(unsigned state) {
    switch (state) {
        case NUD_NONE:
            return "none";
        case NUD_INCOMPLETE:
            return "incomplete";
        case NUD_REACHABLE:
            return "reachable";
        case NUD_STALE:
            return "stale";
        case NUD_DELAY:
            return "delay";
        case NUD_PROBE:
            return "probe";
        case NUD_FAILED:
            return "failed";
        case NUD_NOARP:
            return "noarp";
        case NUD_PERMANENT:
            return "permanent";
        default:
            return fmt::format("state {:#x}", state);
    }
}

void read_metrics(nlattr* metrics, Route& route) {
    std::array<nlattr*, RTAX_MAX + 1> nested{};
    if (metrics == nullptr || nla_parse_nested(nested.data(), RTAX_MAX, metrics, nullptr) < 0) return;
    if (nested[RTAX_MTU] != nullptr) route.mtu = nla_get_u32(nested[RTAX_MTU]);
    if (nested[RTAX_LOCK] != nullptr) route.mtu_locked = (nla_get_u32(nested[RTAX_LOCK]) & (1U << RTAX_MTU)) != 0;
}

// A route over several next hops carries them nested (RTA_MULTIPATH), with interface and gateway in each.
void read_first_nexthop(nlattr* multipath, int family, Route& route) {
    const auto* hop = static_cast<const rtnexthop*>(nla_data(multipath));
    if (nla_len(multipath) < static_cast<int>(sizeof *hop) || nla_len(multipath) < hop->rtnh_len) return;
    route.interface = static_cast<unsigned>(hop->rtnh_ifindex);
    auto* first = reinterpret_cast<nlattr*>(const_cast<rtnexthop*>(hop) + 1);
    nlattr* gateway = nla_find(first, hop->rtnh_len - static_cast<int>(sizeof *hop), RTA_GATEWAY);
    if (gateway != nullptr) route.gateway = ip_address(family, gateway, route.interface);
}

Route read_route(const NetlinkMessage& message) {
    const auto& header = message.header<rtmsg>();
    const auto a = message.attributes(sizeof header, RTA_MAX);
    Route route;
    route.type = route_type(header.rtm_type);
    route.local = header.rtm_type == RTN_LOCAL;
    if (a[RTA_OIF] != nullptr) route.interface = nla_get_u32(a[RTA_OIF]);
    if (a[RTA_GATEWAY] != nullptr) route.gateway = ip_address(header.rtm_family, a[RTA_GATEWAY], route.interface);
    if (a[RTA_VIA] != nullptr && nla_len(a[RTA_VIA]) == sizeof(rtvia) + sizeof(in6_addr)) {  // an IPv4 route through an IPv6 router
        sockaddr_in6 via{};
        via.sin6_family = AF_INET6;
        std::memcpy(&via.sin6_addr, static_cast<const rtvia*>(nla_data(a[RTA_VIA]))->rtvia_addr, sizeof via.sin6_addr);
        if (IN6_IS_ADDR_LINKLOCAL(&via.sin6_addr)) via.sin6_scope_id = route.interface;
        route.gateway = Address(reinterpret_cast<const sockaddr*>(&via), sizeof via);
    }
    if (a[RTA_MULTIPATH] != nullptr) read_first_nexthop(a[RTA_MULTIPATH], header.rtm_family, route);
    if (a[RTA_PREFSRC] != nullptr) route.source = ip_address(header.rtm_family, a[RTA_PREFSRC], route.interface);
    read_metrics(a[RTA_METRICS], route);
    if (route.interface != 0) route.interface_name = interface(route.interface).name;
    return route;
}

bool refuses(unsigned char type) { return type == RTN_BLACKHOLE || type == RTN_UNREACHABLE || type == RTN_PROHIBIT || type == RTN_THROW; }

NetlinkRequest route_request(const Address& destination, unsigned flags, const std::optional<Address>& source = std::nullopt) {
    rtmsg header{};
    header.rtm_family = static_cast<unsigned char>(destination.family());
    header.rtm_dst_len = destination.v6() ? 128 : 32;
    if (source) header.rtm_src_len = header.rtm_dst_len;
    header.rtm_flags = flags;
    NetlinkRequest request(RTM_GETROUTE, 0);
    request.header(header).attribute(RTA_DST, destination);
    if (source) request.attribute(RTA_SRC, *source);
    return request;
}

std::optional<Route> ask_route(const NetlinkRequest& request, const std::string& subject, unsigned output) {
    const NetlinkReply reply = netlink_ask(request, subject);
    // No route, or for IPv4 one that refuses: unreachable, prohibit (EACCES), blackhole (EINVAL); fib_props[] in net/ipv4/fib_semantics.c.
    if (reply.error == ENETUNREACH || reply.error == EHOSTUNREACH || reply.error == EACCES || reply.error == EINVAL) return std::nullopt;
    if (reply.error == ENODEV) throw Absent(fmt::format("no interface has index {}", output));
    expect_success(reply, subject);
    if (reply.messages.empty()) throw Unreadable("the kernel's answer about " + subject + " is empty");
    if (refuses(reply.messages.front().header<rtmsg>().rtm_type)) return std::nullopt;
    return read_route(reply.messages.front());
}

}  // namespace

std::optional<Route> route_to(const Address& destination, unsigned output, bool fib_match) {
    NetlinkRequest request = route_request(destination, fib_match ? RTM_F_FIB_MATCH : 0U);
    if (output == 0) output = destination.scope();
    if (output != 0) request.attribute(RTA_OIF, output);
    return ask_route(request, "the route to " + destination.text(), output);
}

std::optional<Route> route_from(const Address& source, const Address& destination, bool fib_match) {
    NetlinkRequest request = route_request(destination, fib_match ? RTM_F_FIB_MATCH : 0U, source);
    if (destination.scope() != 0) request.attribute(RTA_OIF, destination.scope());
    return ask_route(request, "the route from " + source.text() + " to " + destination.text(), destination.scope());
}

std::optional<Route> program_route(const Address& destination, bool fib_match) {
    const auto first = route_to(destination);
    if (!first || first->local || !first->source || first->source->v6()) return fib_match ? route_to(destination, 0, true) : first;
    auto second = route_from(*first->source, destination, fib_match);
    if (second && !second->source) second->source = first->source;  // the kernel repeats no source that it was given
    return second;
}

std::string source_rule(const Address& destination, const std::optional<Route>& way) {
    const auto plain = route_to(destination);
    if (!plain || !plain->source || plain->local || (way && way->interface == plain->interface && way->gateway == plain->gateway))
        return "";
    const std::string to = destination.text(), from = plain->source->text();
    return fmt::format("; a routing rule leads what comes from {} {} (ip rule; ip route get {} from {})", from,
                       way ? "by " + way->interface_name : "nowhere", to, from);
}

std::optional<Neighbour> neighbour(const Address& address, unsigned interface_index) {
    ndmsg header{};
    header.ndm_family = static_cast<unsigned char>(address.family());
    header.ndm_ifindex = static_cast<int>(interface_index);
    NetlinkRequest request(RTM_GETNEIGH, 0);
    request.header(header).attribute(NDA_DST, address);
    const std::string subject = "the neighbour entry of " + address.text();
    const NetlinkReply reply = netlink_ask(request, subject);
    if (reply.error == ENOENT) return std::nullopt;
    if (reply.error == ENODEV) throw Absent(fmt::format("no interface has index {}", interface_index));
    expect_success(reply, subject);
    if (reply.messages.empty()) return std::nullopt;
    const auto& entry = reply.messages.front().header<ndmsg>();
    const auto a = reply.messages.front().attributes(sizeof entry, NDA_MAX);
    return Neighbour{neighbour_state(entry.ndm_state), hardware_address(a[NDA_LLADDR])};
}

}  // namespace diag::probe
