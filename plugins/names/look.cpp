#include "look_judge.hpp"
#include "names.hpp"

namespace diag::names {

static void run(Look& look) {
    const auto world = system_world(look.root());
    const auto finding = look_at_names(*world, look.root().empty());
    look.see("machine", "", finding.machine);
    if (const auto others = look.others())
        tell_names(*others, *world, [&](const auto& asked, const auto& name, const auto& all) { look.known_as(asked, name, all); });
    for (const auto& wrong : finding.wrong) look.wrong(wrong.cause, wrong.reason, wrong.values);
}

// The causes of the own name are those of names.resolve.
void declare_look(Plugin& plugin) {
    plugin.look(run)
        .optional(others_parameter, type::list, "addresses and names of other machines, to be looked up")
        .cause("names.no-servers", mover::configuration,
               "Programs are to ask DNS, and no server is named: they ask 127.0.0.1, where mostly nobody listens.",
               "ls -l /etc/resolv.conf; name a server there, or start what writes it (systemd-resolved, NetworkManager)")
        .cause("names.local-domain", mover::configuration,
               "The search domain is .local, which belongs to mDNS here: what only the DNS server knows of it stays unknown to programs.",
               "name the domain otherwise (home.arpa), or put dns before the mdns service in the hosts line of /etc/nsswitch.conf");
}

}  // namespace diag::names
