#include "causes.hpp"
#include "keys_judge.hpp"
#include "ssh.hpp"

namespace diag::ssh {

static Verdict check_keys(Context& c) {
    const auto given = [&](const char* parameter, const char* otherwise) { return c.given(parameter) ? c.text(parameter) : otherwise; };
    const std::string side = c.text("side");
    if (side != "here" && side != "there" && side != "both") throw BadValue(fmt::format("side is here, there or both, not '{}'", side));
    const KeysQuestion question{
        {given("host", "localhost"), given("user", ""), given("config", "")}, side != "there", side != "here", !c.given("host")};
    try {
        base::ssh_command(question.target, "");
    } catch (const std::invalid_argument& e) {
        throw BadValue(e.what());
    }
    const auto world = system_world();
    auto finding = judge_keys(question, *world);
    c.asked(finding.asked);
    c.saw(finding.saw);
    c.evidence("keys", finding.evidence);
    return std::move(finding.verdict);
}

void declare_keys(Plugin& plugin) {
    auto& check =
        plugin.check("keys", "This account has a key to log in with, and sshd would read the keys that may log in to it", check_keys)
            .optional("host", type::text, "for which host the ssh configuration is read")
            .optional("user", type::text, "account on that host")
            .optional("config", type::text, "configuration file for ssh (-F); ~/ is the home of the user who logs in")
            .param("side", type::text, "here: what it logs in with; there: the files that let others in; or both", "both")
            .takes(60);
    declare_keys_causes(check);
}

}  // namespace diag::ssh
