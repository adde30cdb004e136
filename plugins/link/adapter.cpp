#include "adapter.hpp"

#include <algorithm>
#include <cctype>

namespace diag::link {
namespace {

bool hex(char c) { return std::isxdigit(static_cast<unsigned char>(c)) != 0; }

std::string lower_case(std::string text) {
    std::transform(text.begin(), text.end(), text.begin(), [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
    return text;
}

// Six octets of Ethernet, or twenty of InfiniBand, in pairs.
std::string hardware_address(const std::string& text) {
    bool good = text.size() == 17 || text.size() == 59;
    for (std::size_t i = 0; i < text.size(); ++i) good = good && (i % 3 == 2 ? text[i] == ':' : hex(text[i]));
    if (!good) throw BadValue("'" + text + "' is no MAC address such as 48:b0:2d:00:00:01");
    return lower_case(text);
}

// "0000:01:00.0", or without the domain, as lspci prints it where there is only one.
std::string pci_function(const std::string& text) {
    const std::string full = std::count(text.begin(), text.end(), ':') == 1 ? "0000:" + text : text;
    const std::string shape = "xxxx:xx:xx.x";
    bool good = full.size() == shape.size();
    for (std::size_t i = 0; good && i < shape.size(); ++i) good = shape[i] == 'x' ? hex(full[i]) : full[i] == shape[i];
    if (!good) throw BadValue("'" + text + "' is no PCI function such as 0000:01:00.0");
    return lower_case(full);
}

}  // namespace

Adapter::Adapter(const std::optional<std::string>& mac, const std::optional<std::string>& path)
    : mac_(mac ? hardware_address(*mac) : ""), path_(path ? pci_function(*path) : "") {}

std::string Adapter::words() const { return mac_.empty() ? "at PCI path " + path_ : "with the permanent MAC " + mac_; }

std::optional<bool> Adapter::differs(const Seen& seen) const {
    const std::string& mac = seen.interface.permanent_mac;
    if (!mac_.empty()) return mac.empty() ? std::nullopt : std::optional(mac != mac_);
    if (path_.empty() || !seen.port || seen.port->pci.empty()) return std::nullopt;
    return seen.port->pci != path_;
}

const Seen* Adapter::find(const Machine& machine) const {
    for (const auto& seen : machine.all())
        if (seen.hardware() && differs(seen) == false) return &seen;
    return nullptr;
}

std::string lasting_key(const Seen& seen) {
    if (!seen.hardware()) return "";
    if (!seen.interface.permanent_mac.empty()) return seen.interface.permanent_mac;
    return seen.port ? seen.port->pci : "";
}

}  // namespace diag::link
