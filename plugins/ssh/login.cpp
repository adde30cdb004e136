#include <sys/random.h>

#include <fmt/ranges.h>

#include "base/file.hpp"
#include "causes.hpp"
#include "login_judge.hpp"
#include "probe/address.hpp"
#include "ssh.hpp"
#include "world.hpp"

namespace diag::ssh {
namespace {

// A line that nothing on the peer can say by itself.
std::string fresh_nonce() {
    unsigned char bytes[12];
    if (::getrandom(bytes, sizeof bytes, 0) != sizeof bytes) base::throw_errno("getrandom");
    std::string text = "diag-";
    for (const unsigned char byte : bytes) text += fmt::format("{:02x}", byte);
    return text;
}

std::string given(const Context& c, const std::string& parameter) { return c.given(parameter) ? c.text(parameter) : ""; }

base::SshTarget target_of(const Context& c, const std::string& host) {
    base::SshTarget target{host, given(c, "user"), given(c, "config")};
    try {
        base::ssh_command(target, "");
    } catch (const std::invalid_argument& e) {
        throw BadValue(e.what());
    }
    return target;
}

std::chrono::milliseconds span(const Context& c, const char* parameter) {
    return std::chrono::duration_cast<std::chrono::milliseconds>(c.duration(parameter));
}

Config configuration(World& world, const base::SshTarget& target) {
    const auto dump = world.configuration(target);
    return dump.status == 0 ? read_config(dump.out) : Config{};
}

// -S none: a connection that stands already would answer in place of a login.
Login login_of(const base::SshTarget& target, const std::string& nonce, std::chrono::milliseconds timeout) {
    return {target, {"-S", "none"}, nonce + "\n", timeout};
}

// To `address`, and still with the key that is known for the host.  A '%' would begin a token of ssh's.
void go_to(Login& login, const std::string& text, const Config& config) {
    if (!probe::Address::parse(text)) throw BadValue(fmt::format("'{}' is no address", text));
    std::string escaped;
    for (const char c : text) escaped += c == '%' ? std::string("%%") : std::string(1, c);
    login.options.insert(login.options.end(), {"-o", "HostName=" + escaped});
    if (!config.empty()) login.options.insert(login.options.end(), {"-o", "HostKeyAlias=" + host_key_name(config)});
}

Case case_of(World& world, const Login& login, Answer answer, Config config) {
    Case c{login.target.host, login.target.user, login.target.config, std::move(answer), {}, std::move(config), {}};
    c.trace = read_trace(c.answer.log);
    if (c.trace.offered.empty())
        for (const auto& path : c.trace.tried) c.keys[path] = world.private_key(path).state;
    return c;
}

Verdict tell(Context& c, LoginFinding finding) {
    c.asked(finding.asked);
    c.saw(finding.saw);
    c.evidence("ssh", finding.evidence);
    return std::move(finding.verdict);
}

Verdict check_login(Context& c) {
    const auto world = system_world();
    const auto target = target_of(c, c.text("host"));
    const std::string nonce = fresh_nonce();
    const Config config = configuration(*world, target);
    Login login = login_of(target, nonce, span(c, "timeout"));
    if (c.given("address")) go_to(login, c.text("address"), config);
    const auto answers = world->log_in({login}, 1, login.timeout);
    const Case one = case_of(*world, login, answers.front(), config);
    auto finding = judge_login(one, nonce);
    if (finding.in) c.measure("login", one.answer.seconds, unit::seconds);
    return tell(c, std::move(finding));
}

// The configuration is asked only for logins that failed: what it would do to launchers is ssh.login's question.
Verdict check_logins(Context& c) {
    const auto world = system_world();
    std::vector<Login> logins;
    std::vector<std::string> nonces;
    for (const auto& host : c.list("hosts")) {
        nonces.push_back(fresh_nonce());
        logins.push_back(login_of(target_of(c, host), nonces.back(), span(c, "timeout")));
    }
    const auto answers = world->log_in(logins, static_cast<std::size_t>(c.integer("width")), span(c, "total"));
    std::vector<std::pair<std::string, LoginFinding>> findings;
    std::vector<std::string> left;
    double slowest = 0;
    for (std::size_t i = 0; i < logins.size(); ++i) {
        if (!answers[i].begun) {
            left.push_back(logins[i].target.host);
            continue;
        }
        Case one = case_of(*world, logins[i], answers[i], {});
        if (one.answer.status != 0 || one.answer.timed_out) one.config = configuration(*world, logins[i].target);
        slowest = std::max(slowest, one.answer.seconds);
        findings.emplace_back(logins[i].target.host, judge_login(one, nonces[i]));
    }
    auto finding = judge_logins(findings);
    if (!left.empty()) {
        const double in_all = std::chrono::duration<double>(c.duration("total")).count();
        finding.evidence += fmt::format("\nnot tried within {:.0f} s: {}\n", in_all, fmt::join(left, " "));
        if (finding.verdict.outcome != Outcome::fail) {
            tell(c, std::move(finding));
            throw Unknown(fmt::format("{} of {} machines were not tried within {:.0f} s", left.size(), logins.size(), in_all));
        }
    }
    if (finding.in && !logins.empty()) c.measure("slowest", slowest, unit::seconds);
    return tell(c, std::move(finding));
}

void declare_common(Check& check) {
    check.optional("user", type::text, "account on the peer; without it the ssh configuration decides")
        .optional("config", type::text, "configuration file for ssh (-F); ~/ is the home of the user who logs in")
        .param("timeout", type::duration, "how long one login may take; a stalled key exchange is told after 15 s", "30s")
        .within(1, 300);
    declare_login_causes(check);
}

}  // namespace

void declare_login(Plugin& plugin) {
    auto& check = plugin.check("login", "A login needs nobody, and a command runs and returns", check_login)
                      .param_or_skip("host", type::text, "whom to log in to, as behind ssh on a command line")
                      .optional("address", type::text, "connect to this address of the host instead; its known host key still counts")
                      .takes(10)
                      .takes_per("timeout", 1)
                      .side_by_side();
    declare_common(check);
}

void declare_logins(Plugin& plugin) {
    auto& check = plugin.check("logins", "Many machines let a login in at once", check_logins)
                      .param("hosts", type::list, "whom to log in to")
                      .param("width", type::integer, "how many logins at most run side by side", 8)
                      .within(1, 64)
                      .param("total", type::duration, "how long all of them may take together", "120s")
                      .within(1, 3600)
                      .takes(10)
                      .takes_per("total", 1);
    declare_common(check);
}

}  // namespace diag::ssh
