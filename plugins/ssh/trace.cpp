#include "trace.hpp"

#include <algorithm>
#include <charconv>

namespace diag::ssh {
namespace {

// What follows `start` in `line`, or nothing.
std::optional<std::string> after(std::string_view line, std::string_view start) {
    if (!line.starts_with(start)) return std::nullopt;
    return std::string(line.substr(start.size()));
}

std::vector<std::string> split(std::string_view text, char separator) {
    std::vector<std::string> parts;
    while (!text.empty()) {
        const std::size_t end = std::min(text.find(separator), text.size());
        if (end > 0) parts.emplace_back(text.substr(0, end));
        text.remove_prefix(std::min(end + 1, text.size()));
    }
    return parts;
}

void reach(Trace& t, Stage stage) { t.stage = std::max(t.stage, stage); }

// "HOST [ADDRESS] port PORT."
void connecting(Trace& t, std::string_view rest) {
    const std::size_t open = rest.rfind(" ["), close = rest.rfind("] port ");
    if (open == std::string_view::npos || close == std::string_view::npos || close < open) return;
    t.address = rest.substr(open + 2, close - open - 2);
    t.port = rest.substr(close + 7);
    if (t.port.ends_with('.')) t.port.pop_back();
}

// "PATH:LINE: key options: command pty ..."
void remote(Trace& t, std::string_view rest) {
    constexpr std::string_view mark = ": key options: ";
    const std::size_t at = rest.find(mark);
    if (at == std::string_view::npos) return;
    const auto options = split(rest.substr(at + mark.size()), ' ');
    if (std::find(options.begin(), options.end(), "command") != options.end()) t.forced_key = true;
}

void exchange_line(Trace& t, std::string_view line) {
    if (const auto rest = after(line, "Connecting to ")) {
        reach(t, Stage::connecting);
        connecting(t, *rest);
    } else if (const auto proxy = after(line, "Executing proxy command: ")) {
        reach(t, Stage::connected);
        t.proxy = proxy->starts_with("exec ") ? proxy->substr(5) : *proxy;
    } else if (line.starts_with("Connection established")) {
        reach(t, Stage::connected);
    } else if (const auto said = after(line, "kex_exchange_identification: banner line ")) {
        const std::size_t colon = said->find(": ");
        if (colon != std::string::npos) t.greeting.push_back(said->substr(colon + 2));
    } else if (const auto version = after(line, "Remote protocol version ")) {
        const std::size_t at = version->find("remote software version ");
        if (at != std::string::npos) t.software = version->substr(at + 24);
        if (version->starts_with("2.") || version->starts_with("1.99")) reach(t, Stage::greeted);
    } else if (const auto key = after(line, "Server host key: ")) {
        reach(t, Stage::proven);
        t.host_key = *key;
    } else if (line.starts_with("SSH2_MSG_NEWKEYS received")) {
        reach(t, Stage::encrypted);
    }
}

void login_line(Trace& t, std::string_view line) {
    if (const auto methods = after(line, "Authentications that can continue: ")) {
        reach(t, Stage::authenticating);
        t.methods = split(*methods, ',');
    } else if (line.starts_with("Next authentication method: publickey")) {
        t.keys_asked = true;
    } else if (const auto offered = after(line, "Offering public key: ")) {
        t.offered.push_back(*offered);
    } else if (const auto tried = after(line, "Trying private key: ")) {
        t.tried.push_back(*tried);
    } else if (const auto accepted = after(line, "Server accepts key: ")) {
        t.accepted = *accepted;
    } else if (const auto done = after(line, "Authentication succeeded (")) {  // before OpenSSH 9.0
        t.method = done->substr(0, done->find(')'));
    } else if (line.starts_with("Sending command: ")) {
        reach(t, Stage::running);
    } else if (const auto said = after(line, "Remote: ")) {
        remote(t, *said);
    } else if (line.starts_with("client_input_channel_req: ") && line.find(" rtype exit-status ") != std::string_view::npos) {
        t.command_ended = true;
    } else if (line.starts_with("client_input_channel_req: ") && line.find(" rtype exit-signal ") != std::string_view::npos) {
        t.command_ended = t.command_killed = true;
    } else if (const auto status = after(line, "Exit status ")) {
        int value = -1;  // ssh says -1 itself where the session ended without a status
        if (std::from_chars(status->data(), status->data() + status->size(), value).ec == std::errc{} && value >= 0) t.exit_status = value;
    }
}

// Authenticated to HOST ([ADDRESS]:PORT) using "METHOD".   or   Authenticated using "METHOD" with partial success.
bool authenticated(Trace& t, const std::string& line) {
    if (!line.starts_with("Authenticated ")) return false;
    const std::size_t open = line.find("using \"");
    const std::size_t close = open == std::string::npos ? open : line.find('"', open + 7);
    if (close != std::string::npos) t.method = line.substr(open + 7, close - open - 7);
    if (line.find("with partial success") != std::string::npos) {
        t.partial = true;
    } else {
        reach(t, Stage::authenticated);
    }
    return true;
}

// What -v adds without calling it debug.
bool is_chatter(const std::string& line) {
    return line.starts_with("OpenSSH_") || line.starts_with("Transferred: sent ") || line.starts_with("Bytes per second: ");
}

}  // namespace

std::vector<std::string> lines_of(std::string_view text) {
    auto lines = split(text, '\n');
    for (auto& line : lines)
        while (line.ends_with('\r')) line.pop_back();
    std::erase_if(lines, [](const std::string& line) { return line.empty(); });
    return lines;
}

std::vector<std::string> words_of(std::string_view text) {
    auto lines = lines_of(text);
    std::erase_if(lines, [](const std::string& line) { return line.starts_with("debug1: ") || is_chatter(line); });
    return lines;
}

Trace read_trace(std::string_view log) {
    Trace t;
    for (const auto& line : lines_of(log)) {
        if (const auto debug = after(line, "debug1: ")) {
            exchange_line(t, *debug);
            login_line(t, *debug);
        } else if (!authenticated(t, line) && !is_chatter(line)) {
            t.words.push_back(line);
        }
    }
    return t;
}

}  // namespace diag::ssh
