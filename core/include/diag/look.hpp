// What a plugin sees on this machine without being told anything: things with properties, and what looks wrong.
// `diag look` joins what all plugins see of one thing, so a thing is named as the kernel or its tool names it.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <diag/context.hpp>

namespace diag {

// How a property is written in a site file: under which key ("link.speed", "end.address"), and as what ("200Gbit").  Where
// there is such a key and its value is not known, it is "".
struct SiteKey {
    std::string key = {}, value = {};
};

// One property of a thing: its name ("speed"), the text for people ("200G"), and the value for programs (200000000000).
struct Property {
    std::string name, text;
    json value;  // null: the text is all there is
    SiteKey site = {};
};

// The parameter of a look that also helps machines to find each other (diag init --peer); declare it with
// .optional(others_parameter, type::list, "...").  Such a look is asked twice: first with an empty list, then with the addresses
// that the other machines' looks have told, and their names.  Without the parameter it is asked for nobody but this machine.
inline constexpr const char* others_parameter = "others";

// An address by which other machines can be met.
struct Endpoint {
    std::string interface, address;
    std::string network;   // "10.10.0.0/24"; equal texts are one network
    std::string identity;  // what this interface answers neighbours with, as Look::heard() has it: its MAC
    bool login = false;    // the login by which this look was started arrives at this address
    bool gateway = false;  // what is for no neighbour leaves by this interface
};

// Lives as long as one look; not thread-safe.
class Look {
  public:
    explicit Look(Context& context) : context_(context) {}

    // Where /sys, /proc and /etc are looked up: empty, or a captured tree (--root).
    const std::filesystem::path& root() const { return context_.root(); }

    // A thing of a kind ("interface", "port", "mount") and some of its properties; kinds are tables, properties columns,
    // in the order of their first mention.  Kind "machine", name "", is the machine itself.  A property with an empty text is
    // not known; it is left out, unless a site file gives it.
    void see(const std::string& kind, const std::string& name, const std::vector<Property>& properties) {
        json list = json::array();
        for (const auto& p : properties) {
            if (p.text.empty() && p.site.key.empty()) continue;
            json property = {{"name", p.name}, {"text", p.text}, {"value", p.value.is_null() && !p.text.empty() ? json(p.text) : p.value}};
            if (!p.site.key.empty()) property["site"] = {{"key", p.site.key}, {"value", p.site.value}};
            list.push_back(std::move(property));
        }
        context_.send({{"event", "see"}, {"kind", kind}, {"name", name}, {"properties", list}});
    }
    // The other machines' addresses and names; nothing where nobody is looked for.
    std::optional<std::vector<std::string>> others() const {
        return context_.given(others_parameter) ? std::optional(context_.list(others_parameter)) : std::nullopt;
    }
    // Where others can meet this machine.  What is said here is for programs: `diag look` never asks for it.
    void endpoint(const Endpoint& e) {
        see("endpoint", e.address + "%" + e.interface,
            {{"interface", e.interface, {}},
             {"address", e.address, {}},
             {"network", e.network, {}},
             {"identity", e.identity, {}},
             {"login", e.login ? "yes" : "no", e.login},
             {"gateway", e.gateway ? "yes" : "no", e.gateway}});
    }
    // An interface by which nobody can be met, and why.
    void unfit(const std::string& interface, const std::string& why) { see("unfit", interface, {{"why", why, {}}}); }
    // Who answers, now and on this interface, for another machine's address; nobody: it was asked, and there was no answer.
    void heard(const std::string& interface, const std::string& address, const std::vector<std::string>& identities) {
        const std::string text = identities.empty() ? "nobody" : fmt::format("{}", fmt::join(identities, ", "));
        see("heard", address + "%" + interface,
            {{"interface", interface, {}}, {"address", address, {}}, {"identities", text, json(identities)}});
    }
    // The name that an address or name has here, and all the addresses that this name leads to.
    void known_as(const std::string& asked, const std::string& name, const std::vector<std::string>& addresses) {
        see("known", asked, {{"name", name, {}}, {"addresses", fmt::format("{}", fmt::join(addresses, ", ")), json(addresses)}});
    }
    // Something that looks wrong, under a cause that this look or a check of this plugin declares; `values` fill
    // the placeholders of its remedy.
    void wrong(const std::string& cause, const std::string& reason, const json& values = json::object()) {
        context_.send({{"event", "wrong"}, {"cause", cause}, {"reason", reason}, {"values", values}});
    }

  private:
    Context& context_;
};

}  // namespace diag
