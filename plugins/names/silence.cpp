#include "silence.hpp"

#include <algorithm>
#include <cerrno>
#include <cstring>

#include <fmt/format.h>

#include "causes.hpp"
#include "icmp_words.hpp"

namespace diag::names {

namespace {

using probe::EchoAnswer;
using Judged = std::optional<Verdict>;
using Kind = EchoAnswer::Kind;

class Silence {
  public:
    Silence(const EchoRun& run, const ReachQuestion& question, World& world, std::string& evidence)
        : run_(run), question_(question), world_(world), evidence_(evidence), target_(run.address.text()) {
        if (!question.plan.interface.empty()) output_ = world.interface(question.plan.interface).index;
        route_ = output_ != 0 ? world.route_to(run.address, output_, true) : world.route(run.address);
    }
    Silenced explained();

  private:
    const EchoAnswer* last(Kind kind) const;
    bool is_own(const probe::Address& address);
    Judged refused_here();
    Judged refused_by_somebody();
    Judged no_route();
    Judged no_neighbour();
    bool answers_once(const std::string& interface);
    Judged answers_elsewhere();
    Judged answers_tcp();
    Verdict verdict();
    bool udp() const { return run_.method == probe::EchoMethod::udp; }
    std::string unanswered() const;
    std::string over() const { return question_.plan.interface.empty() ? "" : " over " + question_.plan.interface; }

    const EchoRun& run_;
    const ReachQuestion& question_;
    World& world_;
    std::string& evidence_;
    std::string target_, heard_on_;
    bool heard_ = false;     // the target, or the router to it, said now or a moment ago that it is there
    std::string unasked_{};  // why nobody can tell whether it is
    unsigned output_ = 0;
    std::optional<probe::Route> route_;
};

const EchoAnswer* Silence::last(Kind kind) const {
    const auto found = std::find_if(run_.answers.rbegin(), run_.answers.rend(), [&](const EchoAnswer& a) { return a.kind == kind; });
    return found == run_.answers.rend() ? nullptr : &*found;
}

bool Silence::is_own(const probe::Address& address) {
    const auto route = world_.route_to(address, 0, false);
    return route && route->local;
}

Verdict blocked_here(const std::string& target, const std::string& how) {
    return fail("names.blocked-here", "a firewall of this machine does not let probes to {} out ({})", target, how);
}

Judged Silence::refused_here() {
    const EchoAnswer* refusal = last(Kind::local_error);
    if (refusal == nullptr) return std::nullopt;
    const std::string words = std::strerror(refusal->error);
    if (refusal->error == EPERM) return blocked_here(target_, words);
    if (routing_error(refusal->error)) return fail("names.no-route", "this machine has no route to {}{} ({})", target_, over(), words);
    return fail("names.send-failed", "this machine could not send a probe to {}{}: {}", target_, over(), words);
}

Judged Silence::refused_by_somebody() {
    const EchoAnswer* error = last(Kind::icmp_error);
    if (error == nullptr) return std::nullopt;
    const bool v6 = run_.address.v6();
    const std::string words = icmp_words(*error, v6), sender = error->sender.text();
    const Refusal refusal = refusal_of(*error, v6, error->sender == run_.address);
    if (is_own(error->sender) && !(error->sender == run_.address)) {  // our kernel reports its own firewall, or an unanswered ARP
        if (refusal == Refusal::firewall) return blocked_here(target_, words);
        return std::nullopt;
    }
    const std::string who = error->sender == run_.address ? "it itself" : sender;
    if (refusal == Refusal::firewall && udp())  // that of UDP to odd ports is usual, and says nothing of echo
        if (auto alive = answers_tcp()) return alive;
    if (refusal == Refusal::firewall)
        return fail("names.rejected", "{} is refused, by a firewall or by a route that prohibits it: {} says '{}'", target_, who, words)
            .with("sender", sender);
    if (refusal == Refusal::loop)
        return fail("names.routing-loop", "probes to {} go round in a loop: {} says '{}'", target_, who, words).with("sender", sender);
    return fail("names.unreachable", "the router {} does not reach {}: it says '{}'", sender, target_, words).with("sender", sender);
}

// A probe bound to an interface is sent even without a route there; the routing table itself tells.
Judged Silence::no_route() {
    if (route_) return std::nullopt;
    return fail("names.no-route", "no route to {}{}", target_, over());
}

Judged Silence::no_neighbour() {
    if (route_->local) return std::nullopt;
    const probe::Address next = route_->gateway.value_or(run_.address);
    const auto entry = world_.neighbour(next, route_->interface);
    const std::string state = entry ? entry->state : "no entry";
    evidence_ += fmt::format("  neighbour {} on {}: {} {}\n", next.text(), route_->interface_name, state, entry ? entry->mac : "");
    const bool fixed = state == "noarp" || state == "permanent";  // the kernel asks nobody
    bool silent = state == "failed" || state == "incomplete";
    if (!silent) {  // a resolved entry may be older than the silence
        const Asked asked = world_.ask_neighbour(next, route_->interface);
        evidence_ += fmt::format("  asked again: {}\n", asked == Asked::answered ? "answered"
                                                        : asked == Asked::silent ? "silent"
                                                                                 : "not possible");
        silent = asked == Asked::silent && !fixed;  // whoever has such an entry may be told to answer nobody
        heard_ = asked == Asked::answered || (asked == Asked::impossible && state == "reachable");
        unasked_ = fixed ? fmt::format("its neighbour entry is fixed ({})", state) : "it cannot be asked for here";
    }
    if (heard_ && !route_->gateway) heard_on_ = route_->interface_name;  // a router that is heard proves nothing of who is behind it
    if (!silent) return std::nullopt;
    const bool carrier = world_.interface(route_->interface).carrier;
    const std::string wire = route_->interface_name + (carrier ? "" : ", which has no carrier");
    const char* protocol = next.v6() ? "neighbour discovery" : "ARP";
    if (route_->gateway)
        return fail("names.no-gateway", "the router {} on the way to {} does not answer {} on {}", next.text(), target_, protocol, wire)
            .with("gateway", next.text());
    return fail("names.no-neighbour", "nobody answers {} at {} on {}", protocol, target_, wire).with("output", route_->interface_name);
}

bool Silence::answers_once(const std::string& interface) {
    const auto runs = world_.echo({run_.address}, {interface, 1, question_.plan.interval, question_.plan.timeout});
    const auto& answers = runs.at(0).answers;
    return !answers.empty() && answers[0].kind == Kind::reply;
}

// A probe bound to an interface hears the answers that come in by it; one that is not hears them all.
Judged Silence::answers_elsewhere() {
    const std::string& interface = question_.plan.interface;
    if (interface.empty() || !answers_once("")) return std::nullopt;
    const auto usual = world_.route(run_.address);
    if (!usual || usual->interface_name != interface)
        return fail("names.answers-elsewhere", "{} is silent over {}, but answers when the route decides (by {})", target_, interface,
                    usual ? usual->interface_name : "another");
    if (answers_once(interface))  // it has come back meanwhile
        return fail("names.loss", "{} lost {} of {} probes{}, and answers now", target_, run_.sent, run_.sent, over());
    return fail("names.answers-return-elsewhere",
                "probes to {} leave by {} and are answered, but the answers come in by another interface of this machine", target_,
                interface)
        .with("peer", target_)
        .with("own", usual->source ? usual->source->text() : "ADDRESS-HERE");
}

Judged Silence::answers_tcp() {
    if (question_.tcp_port == 0) return std::nullopt;
    const bool alive = world_.tcp_answers(run_.address, question_.tcp_port, question_.plan);
    evidence_ += fmt::format("  TCP port {}: {}\n", question_.tcp_port, alive ? "answers" : "silent");
    if (!alive) return std::nullopt;
    if (udp())
        return warn("names.echo-unasked",
                    "{} answers TCP port {}, so it is alive, and no UDP probe; this user may send no ICMP echo, so what becomes of that is "
                    "not known",
                    target_, question_.tcp_port);
    return warn("names.echo-filtered", "{} answers no echo, but TCP port {} answers: it is alive, and echo is filtered", target_,
                question_.tcp_port);
}

Verdict Silence::verdict() {
    using Step = Judged (Silence::*)();
    for (const Step step : {&Silence::refused_here, &Silence::refused_by_somebody, &Silence::no_route, &Silence::no_neighbour,
                            &Silence::answers_elsewhere, &Silence::answers_tcp})
        if (auto judged = (this->*step)()) return *judged;
    if (heard_ && !route_->gateway) return fail("names.silent", "{} is on its link{}, but {}", target_, over(), unanswered());
    const std::string router = route_->gateway ? "the router " + route_->gateway->text() + " on the way to it" : "";
    if (heard_) return fail("names.silent", "{} {}{}; {} is on its link", target_, unanswered(), over(), router);
    if (unasked_.empty()) return fail("names.silent", "{} {}{}", target_, unanswered(), over());
    return fail("names.silent", "{} {}{}; whether {} is on the link is not known: {}", target_, unanswered(), over(),
                router.empty() ? "it" : router, unasked_);
}

// What was asked in vain.  A UDP probe is no echo: a firewall that lets echo in may drop it.
std::string Silence::unanswered() const {
    return fmt::format("answers neither {}{}", udp() ? "UDP probes (this user may send no ICMP echo)" : "echo",
                       question_.tcp_port == 0 ? " nor anything else that was asked" : fmt::format(" nor TCP port {}", question_.tcp_port));
}

Silenced Silence::explained() {
    Verdict told = verdict();
    return {std::move(told), heard_on_};
}

}  // namespace

Silenced explain_silence(const EchoRun& run, const ReachQuestion& question, World& world, std::string& evidence) {
    return Silence(run, question, world, evidence).explained();
}

}  // namespace diag::names
