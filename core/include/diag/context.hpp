// What a check receives: its parameters, and the channel for what it finds.
// Lives as long as one run of one check; not thread-safe.
#pragma once

#include <cerrno>
#include <chrono>
#include <cmath>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <stdexcept>
#include <string>
#include <system_error>
#include <utility>
#include <vector>

#include <unistd.h>

#include <diag/channel_lines.hpp>
#include <diag/fmt.hpp>
#include <diag/types.hpp>
#include <diag/verdict.hpp>

namespace diag {

class Context {
  public:
    // `request` is {"check", "params": {...}, "root", "machine", "half", "companion"}; `channel` is never closed.
    Context(const json& request, int channel)
        : params_(request.value("params", json::object())),
          root_(request.value("root", "")),
          machine_(request.value("machine", "")),
          there_(request.value("half", "") == "there"),
          alone_because_(request.value("alone_because", "")),
          companion_(request.value("companion", "")),
          channel_(channel) {}

    // A parameter by its declared type.  Throws std::logic_error where it was not given and has no default, or is of another type.
    std::string text(const std::string& name) const { return value<std::string>(name); }
    std::int64_t integer(const std::string& name) const { return value<std::int64_t>(name); }
    double number(const std::string& name) const { return value<double>(name); }
    bool boolean(const std::string& name) const { return value<bool>(name); }
    std::int64_t bytes(const std::string& name) const { return value<std::int64_t>(name); }
    Rate rate(const std::string& name) const { return {value<std::int64_t>(name)}; }
    double fraction(const std::string& name) const { return value<double>(name); }
    std::vector<std::string> list(const std::string& name) const { return value<std::vector<std::string>>(name); }
    std::chrono::nanoseconds duration(const std::string& name) const {
        return std::chrono::nanoseconds(std::llround(value<double>(name) * 1e9));
    }
    // Whether an optional parameter has a value.
    bool given(const std::string& name) const { return params_.contains(name) && !params_[name].is_null(); }

    // Where /sys, /proc and /etc are looked up: empty, or a captured tree (--root).
    const std::filesystem::path& root() const { return root_; }

    // This machine's key in the site file; "" without one.
    const std::string& machine() const { return machine_; }
    // Whether this is the half on the other machine, of a check with two.
    bool there() const { return there_; }
    // Of a check with two halves: the machine of the other one; "" where this half is alone.
    const std::string& companion() const { return companion_; }
    // Waits until the host says that both halves have started.
    void hear_begin() {
        for (;;) {
            const json event = json::parse(lines_.next(channel_, std::chrono::hours(24)).value_or("{}"));
            if (event.value("event", "") == "begin") return;
            if (event.value("event", "") == "alone") throw CompanionGone(event.value("why", "the other half has ended"));
        }
    }
    // Why the other half of a check that can do without is missing though there should be one; "" where none was meant.
    const std::string& alone_because() const { return alone_because_; }
    // Says something to the other half.  Throws CompanionGone where there is none.
    void tell(const json& message) {
        if (companion_.empty()) throw CompanionGone("there is no other half to talk to");
        send({{"event", "tell"}, {"message", message}});
    }
    // The next thing that the other half says, or nothing within the time.  Throws CompanionGone where it has ended.
    std::optional<json> listen(std::chrono::milliseconds patience) {
        if (companion_.empty()) throw CompanionGone("there is no other half to listen to");
        for (const auto until = std::chrono::steady_clock::now() + patience;;) {
            const auto left = std::chrono::ceil<std::chrono::milliseconds>(until - std::chrono::steady_clock::now());
            const auto line = lines_.next(channel_, left);
            if (!line) return std::nullopt;
            const json event = json::parse(*line);
            if (event.value("event", "") == "told") return event.at("message");
            if (event.value("event", "") == "alone") throw CompanionGone(event.value("why", "the other half has ended"));
        }
    }
    // The same, where silence is an end, too: throws CompanionGone.
    json hear(std::chrono::milliseconds patience) {
        if (auto message = listen(patience)) return *message;
        throw CompanionGone("the other half, on " + companion_ + ", said nothing for " + seconds_text(patience));
    }

    // Reports a value in `unit` against a limit; returns whether it keeps to it.  The host judges it again.
    bool measure(const std::string& name, double value, std::string_view unit, Limit limit = no_limit) {
        send({{"event", "measurement"},
              {"name", name},
              {"value", value},
              {"unit", unit},
              {"min", optional(limit.min)},
              {"max", optional(limit.max)}});
        return limit.holds(value);
    }
    // Keeps a text beside the verdict, as a file of the record.
    void evidence(const std::string& name, const std::string& content) { send({{"event", "evidence"}, {"name", name}, {"text", content}}); }
    // Something a reusable verdict relies on; compared again on resume.
    void fact(const std::string& name, json value) { send({{"event", "fact"}, {"name", name}, {"value", std::move(value)}}); }
    // One line for the person who waits.
    void progress(const std::string& line) { send({{"event", "progress"}, {"text", line}}); }
    // One sentence each for the report: what was asked of what, and what was seen.
    void asked(const std::string& sentence) { send({{"event", "asked"}, {"text", sentence}}); }
    void saw(const std::string& sentence) { send({{"event", "saw"}, {"text", sentence}}); }

    // One JSON line on the channel; invalid UTF-8 becomes U+FFFD.  Throws std::system_error when the host is gone.
    void send(const json& event) const {
        std::string line = event.dump(-1, ' ', false, json::error_handler_t::replace) + "\n";
        for (std::size_t done = 0; done < line.size();) {
            const ssize_t n = ::write(channel_, line.data() + done, line.size() - done);
            if (n < 0 && errno == EINTR) continue;
            if (n < 0) throw std::system_error(errno, std::generic_category(), "the host's channel");
            done += static_cast<std::size_t>(n);
        }
    }

  private:
    const json& param(const std::string& name) const {
        if (!given(name)) throw std::logic_error("parameter '" + name + "' was read, but it has no value and no default");
        return params_[name];
    }
    template <class T>
    T value(const std::string& name) const try {
        return param(name).get<T>();
    } catch (const json::type_error&) {
        throw std::logic_error("parameter '" + name + "' was read as another type than it is declared with: it is a " +
                               param(name).type_name());
    }
    static json optional(const std::optional<double>& value) { return value ? json(*value) : json(nullptr); }

    static std::string seconds_text(std::chrono::milliseconds time) {
        return fmt::format("{:g} s", std::chrono::duration<double>(time).count());
    }

    json params_;
    std::filesystem::path root_;
    std::string machine_;
    bool there_;
    std::string alone_because_, companion_;
    detail::ChannelLines lines_;
    int channel_;
};

}  // namespace diag
