#include "probe/ethtool.hpp"

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <system_error>

#include <linux/ethtool.h>
#include <linux/ethtool_netlink.h>
#include <linux/genetlink.h>
#include <linux/netlink.h>
#include <net/if.h>

#include <diag/verdict.hpp>

#include "base/utf8.hpp"
#include "probe/files.hpp"
#include "probe/netlink_wire.hpp"

namespace diag::probe {
namespace {

// The id that this kernel gave the family, and the commands it knows.
struct Family {
    int id = 0;
    std::vector<unsigned> commands;
    bool knows(unsigned command) const { return std::find(commands.begin(), commands.end(), command) != commands.end(); }
};

template <class Visit>
void each_nested(nlattr* outer, Visit visit) {
    int left = nla_len(outer);
    for (auto* at = static_cast<nlattr*>(nla_data(outer)); nla_ok(at, left) != 0; at = nla_next(at, &left)) visit(at);
}

// Throws diag::Unreadable: a kernel before 5.6, or one without ethtool netlink.
Family ethtool_family() {
    const std::string name = ETHTOOL_GENL_NAME, subject = "its ethtool family";
    genlmsghdr header{};
    header.cmd = CTRL_CMD_GETFAMILY;
    header.version = 1;
    NetlinkRequest request(GENL_ID_CTRL, 0);
    request.header(header).attribute(CTRL_ATTR_FAMILY_NAME, name.c_str(), name.size() + 1);
    const NetlinkReply reply = netlink_ask(request, subject, NETLINK_GENERIC);
    if (reply.error == ENOENT) throw Unreadable("this kernel has no ethtool netlink (Linux 5.6 and later have)");
    expect_success(reply, subject);
    if (reply.messages.empty()) throw Unreadable("the kernel's answer about " + subject + " is empty");
    const auto a = reply.messages.front().attributes(sizeof header, CTRL_ATTR_MAX);
    if (a[CTRL_ATTR_FAMILY_ID] == nullptr || a[CTRL_ATTR_OPS] == nullptr) throw Unreadable("the kernel tells no id of " + subject);
    Family family;
    family.id = nla_get_u16(a[CTRL_ATTR_FAMILY_ID]);
    each_nested(a[CTRL_ATTR_OPS], [&](nlattr* operation) {
        each_nested(operation, [&](nlattr* part) {
            if (nla_type(part) == CTRL_ATTR_OP_ID) family.commands.push_back(nla_get_u32(part));
        });
    });
    return family;
}

// `outer`: the attribute that names the device; 1 in every ethtool message.
NetlinkReply ask(unsigned command, int outer, const std::string& interface, const std::string& subject) {
    if (interface.empty() || interface.size() >= IFNAMSIZ) throw Absent("no interface can be called '" + base::printable(interface) + "'");
    const Family family = ethtool_family();
    // Asked all the same, such a kernel would answer EOPNOTSUPP: what a driver says that has none.
    if (!family.knows(command)) throw Unreadable(fmt::format("this kernel does not tell {} by netlink", subject));
    genlmsghdr header{};
    header.cmd = static_cast<unsigned char>(command);
    header.version = ETHTOOL_GENL_VERSION;
    NetlinkRequest request(family.id, 0);
    request.header(header).nested(outer, ETHTOOL_A_HEADER_DEV_NAME, interface.c_str(), interface.size() + 1, ETHTOOL_A_HEADER_FLAGS,
                                  ETHTOOL_FLAG_COMPACT_BITSETS);
    NetlinkReply reply = netlink_ask(request, subject, NETLINK_GENERIC);
    if (reply.error == ENODEV) throw Absent(fmt::format("no interface '{}' here", base::printable(interface)));
    if (reply.error == 0 && reply.messages.empty()) throw Unreadable("the kernel's answer about " + subject + " is empty");
    return reply;
}

// The bits that are set in a compact bitset of ethtool netlink.
std::vector<unsigned> set_bits(nlattr* bitset) {
    std::vector<unsigned> bits;
    std::array<nlattr*, ETHTOOL_A_BITSET_MAX + 1> a{};
    if (bitset == nullptr || nla_parse_nested(a.data(), ETHTOOL_A_BITSET_MAX, bitset, nullptr) < 0) return bits;
    nlattr* words = a[ETHTOOL_A_BITSET_VALUE];
    for (int i = 0; words != nullptr && i < nla_len(words) / 4; ++i) {
        std::uint32_t word = 0;
        std::memcpy(&word, static_cast<const char*>(nla_data(words)) + static_cast<std::ptrdiff_t>(4) * i, sizeof word);
        for (unsigned bit = 0; bit < 32; ++bit)
            if ((word >> bit & 1U) != 0) bits.push_back(static_cast<unsigned>(i) * 32 + bit);
    }
    return bits;
}

std::string errno_text(int error) { return std::generic_category().message(error); }

Fec live_fec(const std::string& interface) {
    const NetlinkReply reply = ask(ETHTOOL_MSG_FEC_GET, ETHTOOL_A_FEC_HEADER, interface, "forward error correction of " + interface);
    if (reply.error == EOPNOTSUPP) return {FecMode::unsupported, {}, "the driver has no FEC settings"};
    if (reply.error != 0) return {FecMode::unreadable, {}, errno_text(reply.error)};
    const auto a = reply.messages.front().attributes(sizeof(genlmsghdr), ETHTOOL_A_FEC_MAX);
    return fec_from(a[ETHTOOL_A_FEC_ACTIVE] != nullptr ? nla_get_u32(a[ETHTOOL_A_FEC_ACTIVE]) : 0, set_bits(a[ETHTOOL_A_FEC_MODES]),
                    a[ETHTOOL_A_FEC_AUTO] != nullptr && nla_get_u8(a[ETHTOOL_A_FEC_AUTO]) != 0);
}

Speed speed_from(nlattr* attribute) {
    if (attribute == nullptr) return {std::nullopt, "the driver tells no speed"};
    const std::uint32_t mbit = nla_get_u32(attribute);
    if (mbit == 0 || mbit == static_cast<std::uint32_t>(SPEED_UNKNOWN)) return {std::nullopt, "the driver does not know its speed"};
    return {Rate{static_cast<std::int64_t>(mbit) * 1'000'000}, ""};
}

LinkSettings live_settings(const std::string& interface) {
    const NetlinkReply reply = ask(ETHTOOL_MSG_LINKMODES_GET, ETHTOOL_A_LINKMODES_HEADER, interface, "link settings of " + interface);
    LinkSettings found;
    if (reply.error != 0) {
        found.state = reply.error == EOPNOTSUPP ? LinkSettings::State::unsupported : LinkSettings::State::unreadable;
        found.why = reply.error == EOPNOTSUPP ? "the driver has no link settings" : errno_text(reply.error);
        return found;
    }
    const auto a = reply.messages.front().attributes(sizeof(genlmsghdr), ETHTOOL_A_LINKMODES_MAX);
    found.state = LinkSettings::State::told;
    if (nlattr* autoneg = a[ETHTOOL_A_LINKMODES_AUTONEG]) found.autonegotiation = nla_get_u8(autoneg) == AUTONEG_ENABLE;
    found.speed = speed_from(a[ETHTOOL_A_LINKMODES_SPEED]);
    if (nlattr* duplex = a[ETHTOOL_A_LINKMODES_DUPLEX])
        found.duplex = nla_get_u8(duplex) == DUPLEX_FULL ? "full" : nla_get_u8(duplex) == DUPLEX_HALF ? "half" : "";
    return found;
}

std::string captured(const std::filesystem::path& root, const std::string& interface, const char* ending) {
    static_cast<void>(port(root, interface));  // absent where the tree has no such interface; its name is a plain one, too
    try {
        return read_text(root, "/ethtool/" + interface + ending);
    } catch (const Absent&) {
        throw Unreadable("the captured tree has no file ethtool/" + interface + ending);
    }
}

FecMode mode_of(unsigned bit) {
    switch (bit) {
        case ETHTOOL_LINK_MODE_FEC_NONE_BIT:
            return FecMode::off;
        case ETHTOOL_LINK_MODE_FEC_RS_BIT:
            return FecMode::rs;
        case ETHTOOL_LINK_MODE_FEC_BASER_BIT:
            return FecMode::baser;
        case ETHTOOL_LINK_MODE_FEC_LLRS_BIT:
            return FecMode::llrs;
        default:
            return FecMode::unreadable;
    }
}

}  // namespace

std::string_view to_text(FecMode mode) {
    constexpr std::array<std::string_view, 7> words = {"unreadable", "unsupported", "off", "rs", "baser", "llrs", "auto"};
    return words.at(static_cast<std::size_t>(mode));
}

Fec fec_from(unsigned active, const std::vector<unsigned>& modes, bool automatic) {
    Fec found;
    if (automatic) found.configured.emplace_back("auto");
    for (const unsigned bit : modes)
        found.configured.push_back(mode_of(bit) == FecMode::unreadable ? fmt::format("mode {}", bit) : std::string(to_text(mode_of(bit))));
    if (active != 0) {
        found.mode = mode_of(active);
        if (found.mode == FecMode::unreadable) found.why = fmt::format("an active mode that is not known here: {}", active);
    } else if (found.configured.empty()) {  // ETHTOOL_FEC_NONE: some drivers say so in place of EOPNOTSUPP, <linux/ethtool.h>
        found.mode = FecMode::unsupported;
        found.why = "the driver has no FEC settings";
    } else if (automatic) {
        found.mode = FecMode::automatic;
    } else if (modes.size() == 1 && mode_of(modes[0]) != FecMode::unreadable) {
        found.mode = mode_of(modes[0]);
    } else {
        found.why = fmt::format("no mode is active; configured: {}", fmt::join(found.configured, ", "));
    }
    return found;
}

Fec fec(const std::filesystem::path& root, const std::string& interface) {
    try {
        return root.empty() ? live_fec(interface) : parse_fec(captured(root, interface, ".fec"));
    } catch (const Unreadable& e) {
        return {FecMode::unreadable, {}, e.what()};
    }
}

LinkSettings link_settings(const std::filesystem::path& root, const std::string& interface) {
    try {
        return root.empty() ? live_settings(interface) : parse_link_settings(captured(root, interface, ""));
    } catch (const Unreadable& e) {
        LinkSettings none;
        none.why = e.what();
        return none;
    }
}

}  // namespace diag::probe
