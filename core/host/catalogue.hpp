// What the plugins of one machine offer: checks, parameters, causes.  Plain data, read from describe().
#pragma once

#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <diag/types.hpp>

namespace diag::host {

// Whether a check has a half on the machine at the other end of its row; wanted: it can do without.
enum class Pair { no, wanted, needed };

enum class WhenMissing { required, fallback, optional, skip };

struct Param {
    std::string name;
    ParamType type = ParamType::text;
    std::string help;
    WhenMissing when_missing = WhenMissing::required;
    json fallback;   // as a check receives it; null where there is none
    Limit bounds{};  // of a number
};

// "1 to 1000", "0 ms to 1 s"; "" where there are no bounds.
std::string bounds_text(const Param& param);

struct Cause {
    std::string code, mover, meaning, remedy;
};

// A column of the sheet: its title, and what stands in it ("measured.X", "param.X", "fact.X", or a text as it is).
struct Column {
    std::string title, from;
};

struct CheckInfo {
    std::string plugin, name, title;
    std::vector<Param> params;
    std::vector<Cause> causes;
    std::vector<Column> columns;
    std::vector<std::string> needs;
    bool exclusive = false, side_by_side = false;
    Pair pair = Pair::no;
    std::vector<std::string> reusable_while;
    double takes_seconds = 1;
    std::map<std::string, double> takes_per;  // by parameter, or by a product of them: "count*interval"

    std::string dotted() const { return plugin + "." + name; }
    // Seconds the check says it needs with these parameters.
    double takes(const json& params_given) const;
    const Param* param(std::string_view param_name) const;
    const Cause* cause(std::string_view code) const;
};

// The parameters of a key of takes_per.
std::vector<std::string> takes_factors(std::string_view product);

struct PluginInfo {
    std::string name, about, file, sha256;
    std::vector<CheckInfo> checks;
    std::optional<CheckInfo> look{}, snapshot{};  // their names are "look" and "snapshot"
};

// The plugin's check of this dotted name, its look or its snapshot; nullptr where it has none such.
const CheckInfo* check_in(const PluginInfo& plugin, std::string_view dotted);

// A file on the search path that was not loaded, and why; `code` is a plugin.* cause.
struct Refusal {
    std::string file, code, reason;
};

struct Catalogue {
    std::vector<PluginInfo> plugins;
    std::vector<Refusal> refusals;

    const CheckInfo* check(std::string_view dotted) const;
    const PluginInfo* plugin_of(std::string_view dotted) const;
    std::vector<std::string> check_names() const;
    std::vector<std::string> cause_codes() const;
};

// Reads one plugin's describe() text.  Throws BadCatalogue with what is wrong; nothing in it is trusted.
struct BadCatalogue : std::runtime_error {
    using std::runtime_error::runtime_error;
};
PluginInfo read_catalogue(std::string_view describe);

// The causes that the host itself gives (worker.*, plugin.*, machine.*, peer.*): same shape as a check's own.
const std::vector<Cause>& host_causes();

}  // namespace diag::host
