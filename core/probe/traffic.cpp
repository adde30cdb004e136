#include "probe/traffic.hpp"

#include <cstring>

#include <linux/if_link.h>
#include <linux/rtnetlink.h>

#include "probe/netlink_wire.hpp"

namespace diag::probe {

std::vector<Traffic> traffic() {
    const NetlinkReply reply = netlink_ask(NetlinkRequest(RTM_GETLINK, NLM_F_DUMP).header(ifinfomsg{}), "the counters of interfaces");
    expect_success(reply, "the counters of interfaces");
    std::vector<Traffic> found;
    for (const auto& message : reply.messages) {
        const auto& link = message.header<ifinfomsg>();
        const auto a = message.attributes(sizeof link, IFLA_MAX);
        // Newer kernels append to the structure; the two that are read here stand near its front.
        if (a[IFLA_IFNAME] == nullptr || a[IFLA_STATS64] == nullptr) continue;
        rtnl_link_stats64 stats{};
        const auto size = static_cast<std::size_t>(nla_len(a[IFLA_STATS64]));
        std::memcpy(&stats, nla_data(a[IFLA_STATS64]), size < sizeof stats ? size : sizeof stats);
        found.push_back({static_cast<unsigned>(link.ifi_index), nla_get_string(a[IFLA_IFNAME]), stats.rx_bytes, stats.tx_bytes});
    }
    return found;
}

std::vector<Traffic> difference(const std::vector<Traffic>& before, const std::vector<Traffic>& after) {
    std::vector<Traffic> carried;
    for (const auto& late : after)
        for (const auto& early : before)
            if (early.interface == late.interface && late.received >= early.received && late.sent >= early.sent)
                carried.push_back({late.interface, late.name, late.received - early.received, late.sent - early.sent});
    return carried;
}

}  // namespace diag::probe
