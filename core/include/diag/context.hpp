// What a check receives: its parameters, and the channel for what it finds.
// Lives as long as one run of one check; not thread-safe.
#pragma once

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <limits>
#include <optional>
#include <stdexcept>
#include <string>
#include <system_error>
#include <utility>
#include <vector>

#include <unistd.h>

#include <diag/channel_lines.hpp>
#include <diag/evidence.hpp>
#include <diag/fmt.hpp>
#include <diag/types.hpp>
#include <diag/verdict.hpp>

namespace diag {

class Context {
  public:
    // `request` is {"check", "params": {...}, "root", "machine", "half", "companion"}; `channel` is never closed.
    // `declared`: the "params" of its check's catalogue entry; null where nothing is known but the values.
    Context(const json& request, int channel, json declared = nullptr)
        : params_(request.value("params", json::object())),
          declared_(std::move(declared)),
          root_(request.value("root", "")),
          machine_(request.value("machine", "")),
          there_(request.value("half", "") == "there"),
          alone_because_(request.value("alone_because", "")),
          companion_(request.value("companion", "")),
          channel_(channel) {}

    // A parameter by its declared type.  Throws std::logic_error where it was not given and has no default, is of another type, or
    // is not declared.
    std::string text(const std::string& name) const { return value<std::string>(name, ParamType::text); }
    std::int64_t integer(const std::string& name) const { return value<std::int64_t>(name, ParamType::integer); }
    double number(const std::string& name) const { return value<double>(name, ParamType::number); }
    bool boolean(const std::string& name) const { return value<bool>(name, ParamType::boolean); }
    std::int64_t bytes(const std::string& name) const { return value<std::int64_t>(name, ParamType::bytes); }
    Rate rate(const std::string& name) const { return {value<std::int64_t>(name, ParamType::rate)}; }
    double fraction(const std::string& name) const { return value<double>(name, ParamType::fraction); }
    RateOrFraction rate_or_fraction(const std::string& name) const {
        return units::parse_rate_or_fraction(value<std::string>(name, ParamType::rate_or_fraction));
    }
    std::vector<std::string> list(const std::string& name) const { return value<std::vector<std::string>>(name, ParamType::list); }
    std::chrono::nanoseconds duration(const std::string& name) const {
        return std::chrono::nanoseconds(std::llround(value<double>(name, ParamType::duration) * 1e9));
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

    // Reports a value in `unit` against a limit; returns whether it keeps to it.  The host judges it again.  A value or a limit
    // that is no number (NaN, or an infinity that nothing can keep to) makes the check `not_run`.
    bool measure(const std::string& name, double value, std::string_view unit, Limit limit = no_limit) {
        send({{"event", "measurement"},
              {"name", name},
              {"value", value},
              {"unit", unit},
              {"min", bound(limit.min, -std::numeric_limits<double>::infinity())},
              {"max", bound(limit.max, std::numeric_limits<double>::infinity())}});
        return limit.holds(value);
    }
    // Keeps a text beside the verdict, as a file of the record.  What is longer than about 1 MB, or does not fit into the 12 MB
    // of all evidence of one check, is cut, with a mark at its end.
    void evidence(const std::string& name, const std::string& content) {
        const std::string kept = detail::cut_evidence(content, std::min(detail::most_of_one, evidence_left_));
        evidence_left_ -= std::min(evidence_left_, detail::json_size(kept));
        send({{"event", "evidence"}, {"name", name}, {"text", kept}});
    }
    // Something a reusable verdict relies on; compared again on resume.  null, NaN and "" tell nothing.
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
        if (!declared_.is_null() && declared_type(name).empty())
            throw std::logic_error("parameter '" + name + "' was read, but it is not declared");
        if (!given(name)) throw std::logic_error("parameter '" + name + "' was read, but it has no value and no default");
        return params_[name];
    }
    // As its check declares it; "" where that is not known.
    std::string declared_type(const std::string& name) const {
        for (const auto& declared : declared_)
            if (declared.at("name") == name) return declared.at("type");
        return "";
    }
    // The library converts between numbers without a word: 0.8 as an integer is 0.
    template <class T>
    T value(const std::string& name, ParamType type) const {
        const json& given = param(name);
        const std::string declared = declared_type(name);
        if (!declared.empty() && declared != to_text(type))
            throw std::logic_error(fmt::format("parameter '{}' was read as {}, and is declared as {}", name, to_text(type), declared));
        if (!fits(type, given))
            throw std::logic_error(fmt::format("parameter '{}' was read as {}, and is {}", name, to_text(type), given.dump()));
        return given.get<T>();
    }
    // JSON has no spelling for NaN and the infinities, and null means no limit: they go as a text, which the host refuses.
    static json bound(const std::optional<double>& limit, double no_limit_at_all) {
        if (!limit || *limit == no_limit_at_all) return nullptr;
        return std::isfinite(*limit) ? json(*limit) : json(fmt::format("{}", *limit));
    }

    static std::string seconds_text(std::chrono::milliseconds time) {
        return fmt::format("{:g} s", std::chrono::duration<double>(time).count());
    }

    json params_, declared_;
    std::filesystem::path root_;
    std::string machine_;
    bool there_;
    std::string alone_because_, companion_;
    detail::ChannelLines lines_;
    int channel_;
    std::size_t evidence_left_ = detail::most_of_all;
};

}  // namespace diag
