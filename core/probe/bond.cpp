#include "probe/bond.hpp"

#include <array>
#include <charconv>
#include <sstream>

#include <linux/rtnetlink.h>

#include <diag/verdict.hpp>

#include "base/utf8.hpp"
#include "probe/bond_wire.hpp"
#include "probe/files.hpp"
#include "probe/netlink.hpp"
#include "probe/port.hpp"

namespace diag::probe {
namespace {

using std::filesystem::path;

const std::string folder = "/sys/class/net/";

Bond from_kernel(const std::string& name) {
    const Interface link = interface(name);
    const NetlinkReply reply = netlink_ask(NetlinkRequest(RTM_GETLINK, NLM_F_DUMP).header(ifinfomsg{}), "interfaces");
    expect_success(reply, "interfaces");
    std::optional<BondMessage> found;
    std::vector<BondMember> members;
    for (const auto& message : reply.messages) {
        if (message.header<ifinfomsg>().ifi_index == static_cast<int>(link.index)) found = read_bond(message);
        if (auto member = read_bond_member(message, link.index)) members.push_back(std::move(*member));
    }
    if (!found) throw Absent(link.name + " is no bond");
    for (const auto& member : members)
        if (member.index == found->active) found->bond.active = member.name;
    found->bond.members = std::move(members);
    return found->bond;
}

// "N/A" where the mode has no such thing, "" where there is no such file.
std::optional<unsigned> number(const path& root, const std::string& file) {
    const std::string text = sysfs_word(root, file);
    unsigned value = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    return error == std::errc{} && end == text.data() + text.size() ? std::optional(value) : std::nullopt;
}

std::optional<LacpState> state(const path& root, const std::string& file) {
    const auto bits = number(root, file);
    return bits ? std::optional(LacpState{static_cast<std::uint8_t>(*bits)}) : std::nullopt;
}

BondMember member_from_tree(const path& root, const std::string& name) {
    const std::string own = folder + name + "/bonding_slave/";
    BondMember found;
    found.index = port(root, name).index;
    found.name = name;
    found.mii = sysfs_word(root, own + "mii_status");
    if (const std::string state = sysfs_word(root, own + "state"); !state.empty()) found.in_backup = state == "backup";
    found.link_failures = number(root, own + "link_failure_count");
    found.permanent_mac = sysfs_word(root, own + "perm_hwaddr");
    found.aggregator = number(root, own + "ad_aggregator_id");
    found.actor = state(root, own + "ad_actor_oper_port_state");
    found.partner = state(root, own + "ad_partner_oper_port_state");
    return found;
}

// What the tree must hold: an empty file is an answer, a missing one is none.
std::string captured(const path& root, const std::string& file) {
    try {
        return read_text(root, file);
    } catch (const Absent&) {
        throw Unreadable("the captured tree does not hold " + file);
    }
}

Bond from_tree(const path& root, const std::string& name) {
    const std::string own = folder + name + "/bonding/";
    const bool called_bond = port(root, name).type == "bond";
    Bond found;
    const std::string mode = called_bond ? captured(root, own + "mode") : sysfs_word(root, own + "mode");
    if (mode.empty()) throw Absent(base::printable(name) + " is no bond");
    found.mode = mode.substr(0, mode.find_first_of(" \n"));
    found.miimon = number(root, own + "miimon");
    found.arp_interval = number(root, own + "arp_interval");
    found.active = sysfs_word(root, own + "active_slave");
    found.aggregator = number(root, own + "ad_aggregator");
    found.ports = number(root, own + "ad_num_ports");
    found.partner_mac = sysfs_word(root, own + "ad_partner_mac");
    std::istringstream names(captured(root, own + "slaves"));
    for (std::string each; names >> each;) found.members.push_back(member_from_tree(root, each));
    return found;
}

}  // namespace

std::string LacpState::text() const {
    constexpr std::array<std::pair<unsigned, const char*>, 5> words = {
        {{0x08, "in sync"}, {0x10, "collecting"}, {0x20, "distributing"}, {0x40, "defaulted"}, {0x80, "expired"}}};
    std::string text;
    for (const auto& [bit, word] : words)
        if ((bits & bit) != 0) text += (text.empty() ? "" : ", ") + std::string(word);
    return text.empty() ? "nothing" : text;
}

void read_churn(const std::string& text, std::vector<BondMember>& members) {
    BondMember* member = nullptr;
    std::istringstream lines(text);
    for (std::string line; std::getline(lines, line);) {
        const auto colon = line.find(": ");
        if (colon == std::string::npos) continue;
        const std::string key = line.substr(0, colon), value = line.substr(colon + 2);
        if (key == "Slave Interface") {
            member = nullptr;
            for (auto& each : members)
                if (each.name == value) member = &each;
        }
        if (member == nullptr) continue;
        if (key == "Actor Churn State") member->actor_churn = value;
        if (key == "Partner Churn State") member->partner_churn = value;
    }
}

Bond bond(const path& root, const std::string& name) {
    Bond found = root.empty() ? from_kernel(name) : from_tree(root, name);
    try {
        read_churn(read_text(root, "/proc/net/bonding/" + name), found.members);
    } catch (const Absent&) {  // the states stay empty, as this kernel does not tell them
    } catch (const Unreadable&) {
    }
    return found;
}

}  // namespace diag::probe
