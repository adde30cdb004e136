#include "runbook/site_fields.hpp"

#include <algorithm>
#include <cctype>
#include <cstdint>
#include <cstring>
#include <optional>

#include <arpa/inet.h>
#include <netinet/in.h>

namespace diag::runbook {
namespace {

// An address in IPv6's form; IPv4's is mapped (RFC 4291, 2.5.5.2).  The zone is not in it.
std::optional<in6_addr> parsed(const std::string& text) {
    in6_addr whole{};
    in_addr four{};
    if (::inet_pton(AF_INET, text.c_str(), &four) == 1) {
        whole.s6_addr[10] = whole.s6_addr[11] = 0xff;
        std::memcpy(&whole.s6_addr[12], &four, sizeof four);
        return whole;
    }
    if (::inet_pton(AF_INET6, text.substr(0, text.find('%')).c_str(), &whole) == 1) return whole;
    return std::nullopt;
}

// What this address is, where it is none that one machine has on a link; else "".
std::string no_ends(const in6_addr& address) {
    const bool four = IN6_IS_ADDR_V4MAPPED(&address);
    const std::uint8_t first = address.s6_addr[four ? 12 : 0];
    if (IN6_IS_ADDR_LOOPBACK(&address) || (four && first == 127)) return "every machine's own (loopback)";
    if (IN6_IS_ADDR_UNSPECIFIED(&address) || (four && first == 0)) return "no machine's (unspecified)";
    if (IN6_IS_ADDR_MULTICAST(&address) || (four && first >= 224 && first < 240)) return "a group's (multicast)";
    if (four && std::all_of(address.s6_addr + 12, address.s6_addr + 16, [](auto byte) { return byte == 255; }))
        return "everybody's (broadcast)";
    return "";
}

}  // namespace

std::string same_address(const std::string& text) {
    const auto address = parsed(text);
    if (!address) return text;
    char shown[INET6_ADDRSTRLEN];
    ::inet_ntop(AF_INET6, &*address, shown, sizeof shown);
    return shown + (text.find('%') == std::string::npos ? "" : text.substr(text.find('%')));
}

std::string same_name(std::string text) {
    std::transform(text.begin(), text.end(), text.begin(), [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
    return text;
}

bool is_address(const std::string& text) {
    in6_addr room;
    if (::inet_pton(AF_INET, text.c_str(), &room) == 1) return true;
    const std::size_t zone = text.find('%');
    if (zone != std::string::npos && (zone + 1 == text.size() || text.compare(0, 4, "fe80") != 0)) return false;
    return ::inet_pton(AF_INET6, text.substr(0, zone).c_str(), &room) == 1;
}

// RFC 1123 labels; an underscore is let through, since resolvers do.
bool is_host_name(const std::string& text) {
    if (text.empty() || text.size() > 253) return false;
    for (std::size_t start = 0; start <= text.size();) {
        const std::size_t end = std::min(text.find('.', start), text.size());
        const std::string label = text.substr(start, end - start);
        const auto fits = [](char c) {
            return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '-' || c == '_';
        };
        if (label.empty() || label.size() > 63 || label.front() == '-' || label.back() == '-' ||
            !std::all_of(label.begin(), label.end(), fits))
            return false;
        start = end + 1;
    }
    return true;
}

std::string read_name(Fields& fields) {
    std::string name = fields.text("name");
    if (name.empty()) return "";
    const Mark& mark = fields.node().find("name")->mark;
    if (is_address(name))
        fields.findings().error(mark, "'" + name + "' is an address; write it under 'address'");
    else if (!is_host_name(name))
        fields.findings().error(mark, "'" + name + "' is no host name (letters, digits and '-', in parts joined by '.')");
    return name;
}

std::string read_address(Fields& fields) {
    std::string address = fields.text("address");
    if (address.empty()) return "";
    if (is_address(address)) {
        if (const std::string whose = no_ends(*parsed(address)); !whose.empty())
            fields.findings().error(fields.node().find("address")->mark,
                                    "'" + address + "' cannot be the address of an end: it is " + whose);
        return address;
    }
    const bool prefix = address.find('/') != std::string::npos && is_address(address.substr(0, address.find('/')));
    fields.findings().error(fields.node().find("address")->mark,
                            "'" + address + "' is no IPv4 or IPv6 address" + (prefix ? "; leave the prefix length out" : ""));
    return address;
}

// A Host of ssh's configuration looks like a host name; the user is told apart (`ssh: {user: ...}`).
std::string read_ssh_host(Fields& fields) {
    std::string host = fields.text("ssh");
    if (!host.empty() && !is_address(host) && !is_host_name(host))
        fields.findings().error(fields.node().find("ssh")->mark,
                                "'" + host + "' is not whom ssh can call: a host name, an address, or a Host of ssh's configuration");
    return host;
}

}  // namespace diag::runbook
