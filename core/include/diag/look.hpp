// What a plugin sees on this machine without being told anything: things with properties, and what looks wrong.
// `diag look` joins what all plugins see of one thing, so a thing is named as the kernel or its tool names it.
#pragma once

#include <filesystem>
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
    // Something that looks wrong, under a cause that this look or a check of this plugin declares; `values` fill
    // the placeholders of its remedy.
    void wrong(const std::string& cause, const std::string& reason, const json& values = json::object()) {
        context_.send({{"event", "wrong"}, {"cause", cause}, {"reason", reason}, {"values", values}});
    }

  private:
    Context& context_;
};

}  // namespace diag
