// How a plugin declares its checks; the catalogue (JSON) is made from the declarations.
// diag plugins, diag explain, diag lint and the documentation all read that catalogue.
#pragma once

#include <deque>
#include <functional>
#include <optional>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include <diag/context.hpp>
#include <diag/look.hpp>

namespace diag {

using CheckFunction = std::function<Verdict(Context&)>;

// One check; every call returns the same object, so that a declaration reads as one sentence.
class Check {
  public:
    Check(std::string name, const std::string& title, CheckFunction run) : name_(std::move(name)), run_(std::move(run)) {
        entry_ = {{"name", name_},
                  {"title", title},
                  {"params", json::array()},
                  {"causes", json::array()},
                  {"columns", json::array()},
                  {"needs", json::array()},
                  {"exclusive", false},
                  {"side_by_side", false},
                  {"pair", "no"},
                  {"reusable_while", json::array()},
                  {"takes", {{"seconds", 1.0}, {"per", json::object()}}}};
    }

    // A parameter that must be given.
    Check& param(const std::string& name, ParamType type, const std::string& help) {
        return add_param(name, type, help, "required", nullptr);
    }
    // A parameter with a default, written as in a runbook: 9000, "20s", "80%", true.  Throws BadValue for what is no such value.
    Check& param(const std::string& name, ParamType type, const std::string& help, const json& fallback) {
        return add_param(name, type, help, "default", default_value(name, type, fallback));
    }
    // A parameter that may be missing; ask Context::given().
    Check& optional(const std::string& name, ParamType type, const std::string& help) {
        return add_param(name, type, help, "optional", nullptr);
    }
    // A parameter without which the check has no subject: absent in the site file, the check is skipped.
    Check& param_or_skip(const std::string& name, ParamType type, const std::string& help) {
        return add_param(name, type, help, "skip", nullptr);
    }
    // Bounds of the parameter declared just before, both included, in the unit in which a check receives it.
    // Throws std::logic_error where there is none, or where it is no quantity.
    Check& within(double low, double high) {
        if (entry_["params"].empty()) throw std::logic_error("check '" + name_ + "': within() stands before any parameter");
        auto& param = entry_["params"].back();
        const auto& type = param["type"].get_ref<const std::string&>();
        if (type == to_text(ParamType::text) || type == to_text(ParamType::boolean) || type == to_text(ParamType::list))
            throw std::logic_error("check '" + name_ + "': within() bounds '" + param["name"].get<std::string>() + "', which is a " + type);
        param["min"] = low;
        param["max"] = high;
        return *this;
    }

    // A cause that warn() or fail() may name.  `remedy` is the next step, as a command where there is one;
    // {parameter} and {value} placeholders are filled in.
    Check& cause(const std::string& code, Mover who, const std::string& meaning, const std::string& remedy) {
        entry_["causes"].push_back({{"code", code}, {"mover", to_text(who)}, {"meaning", meaning}, {"remedy", remedy}});
        return *this;
    }
    // The declared cause that an escaping diag::Absent or diag::Unreadable stands for.
    Check& on_absent(std::string code) {
        entry_["on_absent"] = absent_ = std::move(code);
        return *this;
    }
    Check& on_unreadable(std::string code) {
        entry_["on_unreadable"] = unreadable_ = std::move(code);
        return *this;
    }

    // A column of the sheet (diag show --format sheet), in the row of the link that this check was asked of: its title, and what
    // stands in it: "measured.X" (a measurement), "param.X", "fact.X", or a text as it is where the check measured anything.
    // Checks that give the same title share the column.
    Check& column(const std::string& title, const std::string& from) {
        entry_["columns"].push_back({{"title", title}, {"from", from}});
        return *this;
    }

    // What it cannot run without: "root", "icmp", "net_admin", "net_raw", or "program:NAME"; "program:chronyc=chrony" where
    // the package that holds it has another name.  Without the package the report cannot say what to install.
    Check& needs(const std::string& what) {
        entry_["needs"].push_back(what);
        return *this;
    }
    // How long it takes at most: `seconds`, and `factor` more for each unit of a numeric parameter, or of a product of
    // several ("count*interval").
    Check& takes(double seconds) {
        entry_["takes"]["seconds"] = seconds;
        return *this;
    }
    Check& takes_per(const std::string& parameter, double factor) {
        entry_["takes"]["per"][parameter] = factor;
        return *this;
    }
    // It loads a link or a disk: one at a time on each machine.
    Check& exclusive() {
        entry_["exclusive"] = true;
        return *this;
    }
    // Its rows may run at the same time, eight at once on a machine: it loads nothing, and its answer stays the same beside others.
    Check& side_by_side() {
        entry_["side_by_side"] = true;
        return *this;
    }
    // It has another half, which runs on the machine at the other end of the row while this one runs here; the two talk by
    // Context::tell() and hear(), and what the other half measures and keeps is told under "there.NAME".  `serve` gets the same
    // parameters; its verdict counts where it is worse.
    Check& there(CheckFunction serve) {
        entry_["pair"] = "needed";
        serve_ = std::move(serve);
        return *this;
    }
    // The same for a check that can do without: where the other half cannot run, this one runs alone (Context::companion() is "").
    Check& there_if_it_can(CheckFunction serve) {
        there(std::move(serve));
        entry_["pair"] = "wanted";
        return *this;
    }

    // It is costly, and a resume may reuse its pass while its parameters and these facts are equal.  `tell` reports
    // every one of them with Context::fact(), quickly and without load: before the check runs, and alone on a resume.
    // Key a fact by what survives a reboot (permanent MAC, PCI path).  A fact that cannot be told is no fact: throw.
    Check& reusable_while(const std::vector<std::string>& facts, std::function<void(Context&)> tell) {
        entry_["reusable_while"] = facts;
        tell_facts_ = std::move(tell);
        return *this;
    }

    const std::string& name() const { return name_; }
    const json& entry() const { return entry_; }
    // Runs the check; an Absent or Unreadable that escapes becomes its declared cause, or goes on to the caller.
    Verdict run(Context& context) const { return run(context, run_); }
    // Runs its other half, which has done its work when the first one has ended.
    Verdict serve(Context& context) const {
        if (!serve_) throw std::logic_error("the check has no other half");
        try {
            return run(context, serve_);
        } catch (const CompanionGone& e) {
            return pass("{}", e.what());
        }
    }
    // Its facts alone, as a verdict that says nothing else.
    Verdict facts(Context& context) const {
        if (!tell_facts_) return skip("it has no facts");
        tell_facts_(context);
        return pass("facts told");
    }

  private:
    Verdict run(Context& context, const CheckFunction& half) const {
        try {
            if (tell_facts_) tell_facts_(context);
            return half(context);
        } catch (const Absent& e) {
            if (absent_.empty()) throw;
            return fail(absent_, "{}", e.what());
        } catch (const Unreadable& e) {
            if (unreadable_.empty()) throw;
            return fail(unreadable_, "{}", e.what());
        }
    }
    Check& add_param(const std::string& name, ParamType type, const std::string& help, const char* when_missing, const json& fallback) {
        entry_["params"].push_back(
            {{"name", name}, {"type", to_text(type)}, {"help", help}, {"when_missing", when_missing}, {"default", fallback}});
        return *this;
    }

    // A bare 5 is no duration, and no runbook could say so.  What is out of range is the host's to refuse.
    json default_value(const std::string& name, ParamType type, const json& fallback) const {
        const bool needs_unit = fallback.is_number() && (type == ParamType::duration || type == ParamType::rate);
        try {
            if (needs_unit) return typed_value(type, fallback.dump());
            return fallback.is_string() && type != ParamType::text ? typed_value(type, fallback.get<std::string>()) : fallback;
        } catch (const BadValue& e) {
            throw BadValue(fmt::format("check '{}': parameter '{}': its default, {}: {}", name_, name, fallback.dump(), e.what()));
        }
    }

    std::string name_, absent_, unreadable_;
    CheckFunction run_, serve_;
    std::function<void(Context&)> tell_facts_;
    json entry_;
};

// What DIAG_PLUGIN's body sees: `check(...)` declares one check.
class Plugin {
  public:
    explicit Plugin(std::string name) : name_(std::move(name)) {}

    Check& check(const std::string& name, const std::string& title, CheckFunction run) {
        return checks_.emplace_back(name, title, std::move(run));
    }
    // What this plugin sees on this machine without being told anything (diag look).  Its causes: its own, and those of the checks.
    Check& look(std::function<void(Look&)> run) {
        return look_.emplace("look", "What " + name_ + " sees on this machine", [run = std::move(run)](Context& context) {
            Look look(context);
            run(look);
            return pass("looked");
        });
    }
    // What to keep from an end of which a check has failed: texts by Context::evidence(), quickly, bounded, and without secrets.
    Check& snapshot(std::function<void(Context&)> run) {
        return snapshot_.emplace("snapshot", "What " + name_ + " keeps from an end when a check has failed there",
                                 [run = std::move(run)](Context& context) {
                                     run(context);
                                     return pass("kept");
                                 });
    }
    // One sentence about the whole plugin.
    void about(std::string sentence) { about_ = std::move(sentence); }

    const Check* find(const std::string& name) const {
        for (const auto& check : checks_)
            if (check.name() == name) return &check;
        for (const auto* own : {&look_, &snapshot_})
            if (*own && (*own)->name() == name) return &**own;
        return nullptr;
    }
    json catalogue() const {
        json checks = json::array();
        for (const auto& check : checks_) checks.push_back(check.entry());
        return {{"plugin", name_},
                {"about", about_},
                {"checks", checks},
                {"look", look_ ? look_->entry() : json(nullptr)},
                {"snapshot", snapshot_ ? snapshot_->entry() : json(nullptr)}};
    }

  private:
    std::string name_, about_;
    std::deque<Check> checks_;  // check() hands out references
    std::optional<Check> look_, snapshot_;
};

}  // namespace diag
