#include "bulk_floor.hpp"

#include <algorithm>

#include <diag/verdict.hpp>

#include "probe/pcie.hpp"
#include "probe/port.hpp"

namespace diag::bulk {

std::optional<Floor> floor_from(const RateOrFraction& given, const std::vector<Ceiling>& ceilings) {
    if (given.rate) return Floor{static_cast<double>(given.rate->bits_per_second), "the floor that was given"};
    const auto lowest = std::min_element(ceilings.begin(), ceilings.end(), [](const auto& a, const auto& b) { return a.rate < b.rate; });
    if (lowest == ceilings.end()) return std::nullopt;
    const auto bits = given.fraction * static_cast<double>(lowest->rate.bits_per_second);
    return Floor{bits, fmt::format("{:.3g} % of {}, {}", given.fraction * 100, units::show_rate(lowest->rate), lowest->what)};
}

Hardware hardware_of(const std::filesystem::path& root, const std::string& interface, unsigned index) {
    Hardware found;
    try {
        const probe::Port port = probe::port(root, interface);
        if (port.index != index || port.device.empty()) return found;  // no device: a virtual interface, whose speed is an invention
        found.place = port.device;
        found.port = port.speed.rate;
        for (const auto& step : probe::pcie_path(root, port.device))
            if (!found.pcie || step.now.rate() < *found.pcie) found.pcie = step.now.rate();
    } catch (const Absent&) {
    } catch (const Unreadable&) {
    }
    return found;
}

}  // namespace diag::bulk
