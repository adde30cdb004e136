#include "bulk_carrier.hpp"

#include <fmt/format.h>

#include <diag/verdict.hpp>

namespace diag::bulk {
namespace {

// One that is not there, or not any more, tells nothing: others notice that.
std::optional<probe::Interface> look_at(const std::string& interface) {
    try {
        return probe::interface(interface);
    } catch (const Absent&) {
    } catch (const Unreadable&) {
    }
    return std::nullopt;
}

}  // namespace

std::optional<CarrierLoss> carrier_loss(const probe::Interface& before, const probe::Interface& after) {
    if (before.index != after.index || !before.carrier) return std::nullopt;
    CarrierLoss loss{.machine = "", .interface = after.name, .times = 0, .gone = !after.carrier};
    // Going and coming back count one each.
    if (before.carrier_changes && after.carrier_changes) loss.times = (*after.carrier_changes - *before.carrier_changes + 1) / 2;
    return loss.times > 0 || loss.gone ? std::optional(loss) : std::nullopt;
}

std::string words_of(const CarrierLoss& loss) {
    const std::string where = loss.interface + (loss.machine.empty() ? "" : " of " + loss.machine);
    if (loss.times == 0) return where + " has lost its carrier during the test";
    return fmt::format("{} lost its carrier {} time{} during the test{}", where, loss.times, loss.times == 1 ? "" : "s",
                       loss.gone ? ", and has none now" : "");
}

CarrierWatch::CarrierWatch(std::string machine, const std::vector<std::string>& interfaces) : machine_(std::move(machine)) {
    for (const auto& interface : interfaces)
        if (auto seen = look_at(interface)) before_.emplace(interface, std::move(*seen));
}

std::map<std::string, CarrierLoss> CarrierWatch::losses() const {
    std::map<std::string, CarrierLoss> found;
    for (const auto& [name, before] : before_) {
        const auto after = look_at(name);
        auto loss = after ? carrier_loss(before, *after) : std::nullopt;
        if (!loss) continue;
        loss->machine = machine_;
        found.emplace(name, std::move(*loss));
    }
    return found;
}

}  // namespace diag::bulk
