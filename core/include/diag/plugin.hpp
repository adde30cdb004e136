// The plugin kit: include this, write functions that return a Verdict, list them in DIAG_PLUGIN.
//
//     static diag::Verdict run(diag::Context& c) { ... return diag::pass("..."); }
//     DIAG_PLUGIN("site") { check("disk", "The disk answers", run).param("path", diag::type::text, "a file on it"); }
//
// Link with the version script that the kit installs: one symbol leaves the shared object.
#pragma once

#if __cplusplus < 202002L
#error "diag's plugin kit needs C++20: compile with -std=c++20"
#endif

#include <cxxabi.h>

#include <cstdlib>
#include <exception>
#include <memory>
#include <new>
#include <string>
#include <typeinfo>

#include <diag/abi.h>
#include <diag/context.hpp>
#include <diag/declare.hpp>
#include <diag/look.hpp>
#include <diag/types.hpp>
#include <diag/units.hpp>
#include <diag/verdict.hpp>

namespace diag::detail {

inline std::string_view to_text(Outcome outcome) {
    switch (outcome) {
        case Outcome::pass:
            return "pass";
        case Outcome::warn:
            return "warn";
        case Outcome::fail:
            return "fail";
        case Outcome::skip:
            return "skip";
    }
    return "?";
}

inline json error_event(const std::string& kind, const std::string& text) { return {{"event", "error"}, {"kind", kind}, {"text", text}}; }

inline std::string type_name(const std::exception& e) {
    int status = 0;
    const std::unique_ptr<char, void (*)(void*)> name(abi::__cxa_demangle(typeid(e).name(), nullptr, nullptr, &status), std::free);
    return status == 0 ? name.get() : typeid(e).name();
}

// Runs one request and sends what came of it; nothing thrown by a check gets past this function.
inline int serve(const Plugin& plugin, const char* request_text, int channel) {
    const json request = json::parse(request_text);
    const std::string name = request.at("check");
    const Check* check = plugin.find(name);
    Context context(request, channel, check != nullptr ? check->entry().at("params") : json());
    json answer;
    try {
        if (check == nullptr) {
            answer = error_event("no-such-check", "the plugin has no check '" + name + "'");
        } else {
            if (!context.companion().empty()) context.hear_begin();
            Verdict v = request.value("facts", false)          ? check->facts(context)
                        : request.value("half", "") == "there" ? check->serve(context)
                                                               : check->run(context);
            answer = {
                {"event", "verdict"}, {"outcome", to_text(v.outcome)}, {"cause", v.cause}, {"reason", v.reason}, {"values", v.values}};
        }
    } catch (const BadValue& e) {
        answer = error_event("parameter", e.what());
    } catch (const CompanionGone& e) {
        answer = error_event("companion", e.what());
    } catch (const Unknown& e) {
        answer = error_event("unknown", e.what());
    } catch (const std::bad_alloc&) {
        answer = error_event("memory", "the check ran out of the memory it may use");
    } catch (const std::exception& e) {
        answer = error_event("exception", type_name(e) + ": " + e.what());
    } catch (...) {
        answer = error_event("exception", "something that is not a std::exception was thrown");
    }
    context.send(answer);
    return answer["event"] == "verdict" ? 0 : 1;
}

// One Plugin per shared object, declared on first use.
template <class Body>
const Plugin& plugin() {
    static const Body body;
    return body;
}

template <class Body>
const diag_abi* entry() {
    static const diag_abi abi = {DIAG_ABI_MAGIC, DIAG_ABI_VERSION, sizeof(diag_abi),
                                 +[] {
                                     static const std::string catalogue = plugin<Body>().catalogue().dump();
                                     return catalogue.c_str();
                                 },
                                 +[](const char* request, int channel) {
                                     try {
                                         return serve(plugin<Body>(), request, channel);
                                     } catch (...) {  // the channel is gone: the worker sees the missing verdict
                                         return 1;
                                     }
                                 }};
    return &abi;
}

}  // namespace diag::detail

#define DIAG_PLUGIN(name)                                                                                                                  \
    namespace {                                                                                                                            \
    struct DiagPluginBody : ::diag::Plugin {                                                                                               \
        DiagPluginBody() : ::diag::Plugin(name) { declare(); }                                                                             \
        void declare();                                                                                                                    \
    };                                                                                                                                     \
    }                                                                                                                                      \
    extern "C" __attribute__((visibility("default"))) const diag_abi* diag_plugin_v1() { return ::diag::detail::entry<DiagPluginBody>(); } \
    void DiagPluginBody::declare()
