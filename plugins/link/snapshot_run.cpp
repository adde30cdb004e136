#include "snapshot_run.hpp"

#include <algorithm>
#include <array>
#include <cctype>
#include <memory>
#include <optional>
#include <string_view>

#include <unistd.h>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <diag/verdict.hpp>

#include "base/program.hpp"
#include "base/trust.hpp"
#include "base/utf8.hpp"
#include "probe/subprocess.hpp"

namespace diag::link {
namespace {

using Clock = std::chrono::steady_clock;
using std::chrono::milliseconds;

constexpr std::size_t side_by_side = 8;
constexpr std::size_t collected = std::size_t{4} << 20;  // of each; a kernel log is cut at its beginning, so it is read to its end

struct Running {
    std::size_t number = 0;
    std::unique_ptr<probe::Subprocess> process;
};

std::string written(const probe::Finished& done, const Wanted& wanted, std::size_t most) {
    std::string text = bounded(without_secrets(base::clean_utf8(done.out)), most, wanted.newest);
    if (!text.empty() && text.back() != '\n') text += "\n";
    if (done.cut) text += "(more than was read)\n";
    if (done.timed_out) text += "(stopped: it took too long)\n";
    if (done.signal != 0 && !done.timed_out) text += fmt::format("(ended by signal {})\n", done.signal);
    if (done.status != 0) text += fmt::format("(exit status {})\n", done.status);
    constexpr std::size_t most_errors = 1000;
    const std::string errors = base::printable(base::clean_utf8(std::string_view(done.err).substr(0, most_errors)));
    if (!errors.empty()) text += "(it said: " + errors + ")\n";
    return text.empty() ? "(nothing)\n" : text;
}

// As root only what nobody else could have written is run.
std::optional<std::string> why_not(const std::string& program) {
    const auto path = base::find_program(program);
    if (!path) return "there is no program '" + program + "' here";
    if (const auto reason = ::geteuid() == 0 ? base::distrust(*path, 0) : std::nullopt)
        return "not run as root: " + base::printable(*reason);
    return std::nullopt;
}

bool begins_word(const std::string& text, std::size_t at) {
    if (at == 0) return true;
    const auto before = static_cast<unsigned char>(text[at - 1]);
    return std::isalnum(before) == 0 && before != '_' && before != '-';
}

std::size_t end_of_value(const std::string& text, std::size_t at) { return std::min(text.find_first_of(", \t\n&;", at), text.size()); }

}  // namespace

std::string bounded(const std::string& text, std::size_t most, bool newest) {
    if (text.size() <= most) return text;
    if (!newest) {
        const auto line = text.rfind('\n', most);
        const std::size_t end = line == std::string::npos || line == 0 ? most : line + 1;
        return base::clean_utf8(std::string_view(text).substr(0, std::min(end, most))) +
               fmt::format("\n({} more bytes were left out)\n", text.size() - std::min(end, most));
    }
    const std::size_t least = text.size() - most, line = text.find('\n', least);
    const std::size_t begin = line == std::string::npos || line + 1 == text.size() ? least : line + 1;
    return fmt::format("({} earlier bytes were left out)\n", begin) + base::clean_utf8(std::string_view(text).substr(begin));
}

std::string without_secrets(const std::string& text) {
    constexpr std::array<std::string_view, 8> keys = {
        "password=", "password2=", "passwd=", "pass=", "secret=", "token=", "psk=", "credentials="};
    std::string clean = text;
    for (const auto& key : keys)
        for (auto at = clean.find(key); at != std::string::npos; at = clean.find(key, at + key.size()))
            if (begins_word(clean, at)) clean.replace(at + key.size(), end_of_value(clean, at + key.size()) - at - key.size(), "...");
    for (auto at = clean.find("://"); at != std::string::npos; at = clean.find("://", at + 3)) {  // user:password@host
        const auto host = clean.find_first_of("/ \t\n,@", at + 3), colon = clean.find(':', at + 3);
        if (host != std::string::npos && clean[host] == '@' && colon < host) clean.replace(colon + 1, host - colon - 1, "...");
    }
    return clean;
}

std::vector<std::string> run_all(const std::vector<Wanted>& wanted, milliseconds each, milliseconds all, std::size_t most) {
    std::vector<std::string> texts;
    texts.reserve(wanted.size());
    for (const auto& one : wanted) texts.push_back(fmt::format("$ {}\n", base::printable(fmt::format("{}", fmt::join(one.argv, " ")))));
    const auto deadline = Clock::now() + all;
    std::vector<Running> running;
    std::size_t next = 0;
    const auto begin = [&](std::size_t number) {
        const auto& argv = wanted[number].argv;
        try {
            if (const auto reason = why_not(argv.at(0))) throw Absent(*reason);
            running.push_back({number, std::make_unique<probe::Subprocess>(
                                           probe::Command{.argv = argv, .timeout = each, .most_output = collected, .environment = {}})});
        } catch (const std::exception& e) {
            texts[number] += fmt::format("({})\n", base::printable(e.what()));
        }
    };
    while (next < wanted.size() || !running.empty()) {
        const bool over = Clock::now() > deadline;
        while (next < wanted.size() && (over || running.size() < side_by_side)) {
            if (over) texts[next] += "(not run: the snapshot's time was over)\n";
            if (!over) begin(next);
            ++next;
        }
        for (auto& one : running) {
            if (over) one.process->stop();
            if (!over && !one.process->wait_for(milliseconds(5))) continue;
            texts[one.number] += written(one.process->so_far(), wanted[one.number], most);
            one.process.reset();
        }
        running.erase(std::remove_if(running.begin(), running.end(), [](const Running& one) { return !one.process; }), running.end());
    }
    return texts;
}

}  // namespace diag::link
