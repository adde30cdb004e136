#include "lab/settle.hpp"

#include <algorithm>
#include <chrono>
#include <filesystem>
#include <thread>

#include <fmt/format.h>

#include "base/json.hpp"
#include "lab/command.hpp"
#include "lab/namespaces.hpp"

namespace diag::lab {
namespace {

using base::json;

bool has_link_local(const json& link) {
    const auto& addresses = link.at("addr_info");
    return std::any_of(addresses.begin(), addresses.end(), [](const json& address) {
        return address.at("family") == "inet6" && address.at("scope") == "link" && !address.contains("tentative");
    });
}

bool settled(const json& link, bool ipv6) {
    const auto& flags = link.at("flags");
    const auto has = [&](const char* flag) { return std::find(flags.begin(), flags.end(), flag) != flags.end(); };
    if (has("LOOPBACK") || !has("UP")) return true;
    if (!has("LOWER_UP")) return link.at("operstate") != "UP";
    // A bridge without members stays at UNKNOWN.
    return (link.at("operstate") == "UP" || link.at("operstate") == "UNKNOWN") && (!ipv6 || has_link_local(link));
}

// The interfaces of this thread's network that are not there yet, by name.
std::string unsettled(bool ipv6) {
    const json links = base::parse_json(run({"ip", "-j", "addr", "show"}));
    for (const json& link : links)
        if (link.contains("ifname") && !settled(link, ipv6)) return link.at("ifname");
    return {};
}

}  // namespace

void settle(const Topology& lab) {
    using namespace std::chrono_literals;
    const bool ipv6 = std::filesystem::exists("/proc/sys/net/ipv6");
    const auto deadline = std::chrono::steady_clock::now() + 5s;
    for (const std::string& node : lab.nodes) {
        const Inside inside(node);
        for (;;) {
            const std::string name = unsettled(ipv6);
            if (name.empty()) break;
            if (std::chrono::steady_clock::now() > deadline)
                throw CommandFailed(fmt::format("{} of {} does not come up", name, machine_of(node)));
            std::this_thread::sleep_for(10ms);
        }
    }
}

}  // namespace diag::lab
