#include "lab/faults.hpp"

#include <algorithm>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

namespace diag::lab {

const std::vector<Fault>& faults() {
    static const std::vector<Fault> all = [] {
        std::vector<Fault> table = link_faults();
        for (const auto& more : {name_faults(), ssh_faults(), account_faults(), end_faults(), peer_faults(), mtu_faults(), bulk_faults()})
            table.insert(table.end(), more.begin(), more.end());
        return table;
    }();
    return all;
}

std::string faults_as_text() {
    std::size_t widest = 0, widest_cause = 0;
    for (const Fault& fault : faults()) {
        widest = std::max(widest, fault.name.size());
        widest_cause = std::max(widest_cause, fault.cause.size());
    }
    std::string faulty, healthy;
    for (const Fault& fault : faults()) {
        const std::string name = fmt::format("  {:{}}", fault.name, widest);
        const std::string how = fault.settings.empty() ? "" : " (--set " + fault.settings + ")";
        if (fault.twin())
            healthy += fmt::format("{}  {}{}\n", name, fault.summary, how);
        else
            faulty += fmt::format("{}  {:13}  {:{}}  {}{}{}\n", name, fault.checkpoint, fault.cause, widest_cause, fault.summary,
                                  fault.warns ? " (warns)" : "", how);
    }
    return "Faults: the checkpoint that fails, the cause it names\n" + faulty + "\nTwins: they look like a fault, and must pass\n" +
           healthy;
}

std::string faults_as_json() {
    auto list = nlohmann::ordered_json::array();
    for (const Fault& fault : faults()) {
        nlohmann::ordered_json one{
            {"name", fault.name}, {"summary", fault.summary}, {"checkpoint", fault.checkpoint}, {"cause", fault.cause}};
        if (fault.warns) one["warns"] = true;
        if (!fault.settings.empty()) one["settings"] = fault.settings;
        if (fault.twin()) {
            one["twin"] = true;
            one["not_cause"] = fault.not_cause;
        }
        list.push_back(one);
    }
    return list.dump(2) + "\n";
}

}  // namespace diag::lab
