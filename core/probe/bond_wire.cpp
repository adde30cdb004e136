#include "probe/bond_wire.hpp"

#include <array>
#include <string_view>

#include <linux/if_link.h>
#include <linux/rtnetlink.h>

#include <diag/verdict.hpp>

namespace diag::probe {
namespace {

// <linux/if_bonding.h>, BOND_MODE_* and BOND_LINK_*, in the words of sysfs.
constexpr std::array<std::string_view, 7> modes = {"balance-rr", "active-backup", "balance-xor", "broadcast",
                                                   "802.3ad",    "balance-tlb",   "balance-alb"};
constexpr std::array<std::string_view, 4> mii_states = {"up", "going down", "down", "going back"};

template <std::size_t Size>
std::string word(const std::array<std::string_view, Size>& words, std::size_t number) {
    return std::string(number < Size ? words[number] : "unknown");
}

template <int Highest>
using Nested = std::array<nlattr*, Highest + 1>;

template <int Highest>
std::optional<Nested<Highest>> nested(nlattr* attribute) {
    Nested<Highest> found{};
    if (attribute == nullptr || nla_parse_nested(found.data(), Highest, attribute, nullptr) < 0) return std::nullopt;
    return found;
}

// Of the kind "bond", as a master or as a member of one.
nlattr* bond_data(const NetlinkMessage& message, int kind, int data) {
    const auto a = message.attributes(sizeof(ifinfomsg), IFLA_MAX);
    const auto info = nested<IFLA_INFO_MAX>(a[IFLA_LINKINFO]);
    if (!info) return nullptr;
    nlattr* name = (*info)[static_cast<std::size_t>(kind)];
    return name != nullptr && std::string_view(nla_get_string(name)) == "bond" ? (*info)[static_cast<std::size_t>(data)] : nullptr;
}

std::uint32_t u32(nlattr* attribute) { return attribute != nullptr ? nla_get_u32(attribute) : 0; }

}  // namespace

std::optional<BondMessage> read_bond(const NetlinkMessage& message) {
    const auto a = nested<IFLA_BOND_MAX>(bond_data(message, IFLA_INFO_KIND, IFLA_INFO_DATA));
    if (!a) return std::nullopt;
    if ((*a)[IFLA_BOND_MODE] == nullptr) throw Unreadable("a bond's netlink message lacks its mode");
    BondMessage found;
    found.bond.mode = word(modes, nla_get_u8((*a)[IFLA_BOND_MODE]));
    found.bond.miimon = u32((*a)[IFLA_BOND_MIIMON]);
    found.bond.arp_interval = u32((*a)[IFLA_BOND_ARP_INTERVAL]);
    found.active = u32((*a)[IFLA_BOND_ACTIVE_SLAVE]);
    const auto ad = nested<IFLA_BOND_AD_INFO_MAX>((*a)[IFLA_BOND_AD_INFO]);
    if (!ad) return found;
    if ((*ad)[IFLA_BOND_AD_INFO_AGGREGATOR] != nullptr) found.bond.aggregator = nla_get_u16((*ad)[IFLA_BOND_AD_INFO_AGGREGATOR]);
    if ((*ad)[IFLA_BOND_AD_INFO_NUM_PORTS] != nullptr) found.bond.ports = nla_get_u16((*ad)[IFLA_BOND_AD_INFO_NUM_PORTS]);
    found.bond.partner_mac = hardware_address((*ad)[IFLA_BOND_AD_INFO_PARTNER_MAC]);
    return found;
}

std::optional<BondMember> read_bond_member(const NetlinkMessage& message, unsigned master) {
    const auto link = message.attributes(sizeof(ifinfomsg), IFLA_MAX);
    if (link[IFLA_MASTER] == nullptr || nla_get_u32(link[IFLA_MASTER]) != master) return std::nullopt;
    const auto a = nested<IFLA_BOND_SLAVE_MAX>(bond_data(message, IFLA_INFO_SLAVE_KIND, IFLA_INFO_SLAVE_DATA));
    if (!a || link[IFLA_IFNAME] == nullptr) return std::nullopt;
    BondMember found;
    found.index = static_cast<unsigned>(message.header<ifinfomsg>().ifi_index);
    found.name = nla_get_string(link[IFLA_IFNAME]);
    nlattr *state = (*a)[IFLA_BOND_SLAVE_STATE], *mii = (*a)[IFLA_BOND_SLAVE_MII_STATUS];
    found.in_backup = state != nullptr && nla_get_u8(state) != 0;  // BOND_STATE_BACKUP
    found.mii = mii != nullptr ? word(mii_states, nla_get_u8(mii)) : "unknown";
    found.link_failures = u32((*a)[IFLA_BOND_SLAVE_LINK_FAILURE_COUNT]);
    found.permanent_mac = hardware_address((*a)[IFLA_BOND_SLAVE_PERM_HWADDR]);
    nlattr *aggregator = (*a)[IFLA_BOND_SLAVE_AD_AGGREGATOR_ID], *actor = (*a)[IFLA_BOND_SLAVE_AD_ACTOR_OPER_PORT_STATE],
           *partner = (*a)[IFLA_BOND_SLAVE_AD_PARTNER_OPER_PORT_STATE];
    if (aggregator != nullptr) found.aggregator = nla_get_u16(aggregator);
    if (actor != nullptr) found.actor = LacpState{nla_get_u8(actor)};
    if (partner != nullptr) found.partner = LacpState{static_cast<std::uint8_t>(nla_get_u16(partner))};
    return found;
}

}  // namespace diag::probe
