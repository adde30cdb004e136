#include "probe/pcie.hpp"

#include <charconv>
#include <cstdint>

#include "probe/port.hpp"

namespace diag::probe {
namespace {

// "32.0 GT/s PCIe" and "4"; nothing for "Unknown", no file, and widths that mean unknown (0, 255).
std::optional<PcieSpeed> speed(const std::filesystem::path& root, const std::string& folder, const std::string& which) {
    const std::string transfers = sysfs_word(root, folder + "/" + which + "_link_speed");
    const std::string width = sysfs_word(root, folder + "/" + which + "_link_width");
    PcieSpeed found;
    const auto [speed_end, speed_error] = std::from_chars(transfers.data(), transfers.data() + transfers.size(), found.gigatransfers);
    const auto [width_end, width_error] = std::from_chars(width.data(), width.data() + width.size(), found.lanes);
    constexpr unsigned widest = 32;
    if (speed_error != std::errc{} || width_error != std::errc{} || found.lanes == 0 || found.lanes > widest) return std::nullopt;
    return found;
}

bool usb4(const PcieSpeed& most) { return most.lanes == 1 && most.gigatransfers <= 2.5; }

}  // namespace

Rate PcieSpeed::rate() const {
    const double code = gigatransfers > 32 ? 242.0 / 256 : gigatransfers > 5 ? 128.0 / 130 : 8.0 / 10;
    return {static_cast<std::int64_t>(gigatransfers * 1e9 * code * lanes)};
}

std::string PcieSpeed::text() const { return fmt::format("{:g} GT/s x{}", gigatransfers, lanes); }

std::vector<PcieStep> pcie_path(const std::filesystem::path& root, const std::string& device) {
    std::vector<PcieStep> steps;
    const std::filesystem::path whole(device);
    std::filesystem::path folder;
    bool tunnelled = false;
    for (const auto& part : whole) {
        folder /= part;
        if (!is_pci_function(part.string())) continue;
        const auto now = speed(root, folder.string(), "current"), most = speed(root, folder.string(), "max");
        const bool is_device = folder == whole;
        if (is_device && (!now || !most || (tunnelled && usb4(*now)))) return {};
        if (most && !is_device && usb4(*most)) {
            tunnelled = true;
            steps.clear();  // what is above it is not what limits it
        } else if (now && most) {
            steps.push_back({part.string(), *now, *most});
        }
    }
    return is_pci_function(whole.filename().string()) ? steps : std::vector<PcieStep>{};
}

}  // namespace diag::probe
