#include "bulk_floor.hpp"

#include <unistd.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstdint>
#include <cstdlib>
#include <system_error>

#include <diag/verdict.hpp>

#include "probe/files.hpp"

namespace diag::bulk {
namespace {

namespace fs = std::filesystem;

// One line of a file; "" where it is not there or the driver refuses.
std::string word(const fs::path& root, const std::string& path) {
    try {
        const std::string text = probe::read_text(root, path);
        return text.substr(0, text.find('\n'));
    } catch (const Absent&) {
    } catch (const Unreadable&) {
    }
    return "";
}

std::optional<std::int64_t> whole(const std::string& text) {
    std::int64_t value = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    if (error != std::errc{} || end != text.data() + text.size()) return std::nullopt;
    return value;
}

// Mbit/s; -1, 0, 65535 and 4294967295 all mean unknown, depending on the driver's age (SPEED_UNKNOWN, <linux/ethtool.h>).
std::optional<Rate> port_speed(const std::string& text) {
    const auto megabits = whole(text);
    if (!megabits || *megabits <= 0 || *megabits == 65535 || *megabits == 4294967295) return std::nullopt;
    return Rate{*megabits * 1'000'000};
}

// The folders from a device up to its root complex are nested, and each PCI function of them has its link.
std::optional<Rate> narrowest(const fs::path& root, fs::path place) {
    std::optional<Rate> least;
    for (; place.has_filename() && place != place.root_path(); place = place.parent_path()) {
        const std::string at = place.string();
        // The virtual PCIe links inside a USB4 tunnel call themselves 2.5 GT/s x1, and carry what the tunnel does.
        const bool tunnel = word(root, at + "/max_link_speed").starts_with("2.5") && word(root, at + "/max_link_width") == "1";
        const auto rate = pcie_rate(word(root, at + "/current_link_speed"), word(root, at + "/current_link_width"));
        if (rate && !tunnel && (!least || *rate < *least)) least = rate;
    }
    return least;
}

}  // namespace

std::optional<Floor> floor_from(const std::string& written, const std::vector<Ceiling>& ceilings) {
    try {
        const Rate rate = units::parse_rate(written);
        if (rate.bits_per_second <= 0) throw BadValue("");
        return Floor{static_cast<double>(rate.bits_per_second), "the floor that was given"};
    } catch (const BadValue&) {
    }
    double share = 0;
    try {
        share = units::parse_fraction(written);
    } catch (const BadValue&) {
    }
    if (share <= 0) throw BadValue(fmt::format("parameter 'floor': '{}' is neither a rate (20Gbit) nor a share (80%) above zero", written));
    const auto lowest = std::min_element(ceilings.begin(), ceilings.end(), [](const auto& a, const auto& b) { return a.rate < b.rate; });
    if (lowest == ceilings.end()) return std::nullopt;
    const auto bits = share * static_cast<double>(lowest->rate.bits_per_second);
    return Floor{bits, fmt::format("{:.3g} % of {}, {}", share * 100, units::show_rate(lowest->rate), lowest->what)};
}

std::optional<Rate> pcie_rate(const std::string& speed, const std::string& width) {
    const double transfers = std::strtod(speed.c_str(), nullptr) * 1e9;
    const auto lanes = whole(width);
    if (transfers <= 0 || !lanes || *lanes <= 0 || *lanes > 32) return std::nullopt;
    // 8b/10b up to 5 GT/s, 128b/130b up to 32 GT/s, FLITs of 256 bytes with 242 of payload above (PCIe base specification).
    const double share = transfers < 6e9 ? 0.8 : transfers < 40e9 ? 128.0 / 130 : 242.0 / 256;
    return Rate{std::llround(transfers * static_cast<double>(*lanes) * share)};
}

Hardware hardware_of(const fs::path& root, const std::string& interface, unsigned index) {
    const std::string own = "/sys/class/net/" + interface;
    if (whole(word(root, own + "/ifindex")) != std::optional<std::int64_t>(index)) return {};
    std::error_code error;
    const fs::path place = fs::canonical(root.string() + own + "/device", error);
    if (error) return {};  // no device: a virtual interface, whose speed is an invention
    Hardware found;
    const std::string absolute = place.string();
    const std::string top = root.empty() ? "" : fs::canonical(root, error).string();
    found.place = absolute.starts_with(top) ? absolute.substr(top.size()) : absolute;
    found.port = port_speed(word(root, own + "/speed"));
    found.pcie = narrowest(root, found.place);
    return found;
}

}  // namespace diag::bulk
