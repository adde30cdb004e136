#include "bulk_server.hpp"

#include <sys/socket.h>

#include <algorithm>
#include <chrono>
#include <memory>

#include <fmt/format.h>

#include "base/fd.hpp"
#include "base/file.hpp"
#include "base/utf8.hpp"
#include "bulk_memory.hpp"
#include "bulk_run.hpp"
#include "bulk_subject.hpp"
#include "probe/netlink.hpp"
#include "probe/subprocess.hpp"

namespace diag::bulk {
namespace {

using namespace std::chrono_literals;

constexpr auto start_patience = 5s;
constexpr auto offer_patience = 30s;
constexpr auto farewell_patience = 10s;
constexpr auto question_patience = 30s;  // the near half looks up a name and measures the idle latency first
constexpr int attempts = 3;              // somebody else may take the port between our looking and the server's start

bool is_own(const probe::Address& address) {
    for (const auto& own : probe::addresses())
        if (own.address == address) return true;
    return false;
}

// A port that is free on this address now.
unsigned free_port(const probe::Address& address) {
    const base::Fd socket(::socket(address.family(), SOCK_STREAM | SOCK_CLOEXEC, 0));
    const probe::Address any = address.with_port(0);
    sockaddr_storage name{};
    socklen_t size = sizeof name;
    if (!socket || ::bind(socket.get(), any.get(), any.size()) != 0 ||
        ::getsockname(socket.get(), reinterpret_cast<sockaddr*>(&name), &size) != 0)
        base::throw_errno(address.text());
    return probe::Address(reinterpret_cast<const sockaddr*>(&name), size).port();
}

bool listens(probe::Subprocess& server) {
    for (const auto until = std::chrono::steady_clock::now() + start_patience; std::chrono::steady_clock::now() < until;) {
        if (server.so_far().out.find("listening") != std::string::npos) return true;
        if (server.wait_for(20ms)) return false;
    }
    return false;
}

struct Server {
    std::unique_ptr<probe::Subprocess> process;  // none where it did not start
    unsigned port = 0;
    std::string problem;
};

Server start_server(const probe::Address& address) {
    Server server;
    for (int attempt = 0; attempt < attempts; ++attempt) {
        server.port = free_port(address);
        server.process = std::make_unique<probe::Subprocess>(
            probe::Command{.argv = {"iperf3", "--server", "--bind", address.text(), "--port", std::to_string(server.port), "--forceflush"},
                           .timeout = 24h,
                           .most_output = std::size_t{256} << 10});
        if (listens(*server.process)) return server;
        const auto& said = server.process->stop();
        server.problem = base::printable((said.err + said.out).substr(0, 300));
    }
    server.process.reset();
    return server;
}

using Servers = std::vector<Server>;

bool has_ended(const Servers& servers) {
    return std::any_of(servers.begin(), servers.end(), [](const Server& server) { return server.process->wait_for(0ms); });
}

// Until the other half is done with them, or gone.
void stand_by(Context& c, const Servers& servers) {
    try {
        while (!has_ended(servers) && !c.listen(200ms)) {
        }
    } catch (const CompanionGone&) {  // it is done, in its own way
    }
}

// What became of the carrier while they served, for each address.
json told_losses(const CarrierWatch& carriers, const std::vector<std::string>& interfaces) {
    const auto losses = carriers.losses();
    json told = json::array();
    for (const auto& interface : interfaces) {
        const auto loss = losses.find(interface);
        told.push_back(nullptr);
        if (loss != losses.end())
            told.back() = {{"interface", loss->second.interface}, {"times", loss->second.times}, {"gone", loss->second.gone}};
    }
    return told;
}

// What they said is kept; why they did not last as long as the test, or "".
std::string stop(Context& c, const Servers& servers) {
    std::string ended;
    int number = 0;
    for (const Server& server : servers) {
        const bool early = server.process->wait_for(0ms);
        const auto& said = server.process->stop();
        c.evidence(++number == 1 ? "iperf3-server" : fmt::format("iperf3-server-{}", number), said.out + said.err);
        if (early) ended = fmt::format("the iperf3 server ended in the middle of the test: {}", base::printable(said.err.substr(0, 200)));
    }
    return ended;
}

}  // namespace

std::vector<Offer> ask_for_servers(Context& c, const std::vector<probe::Address>& addresses) {
    json question = json::array();
    for (const auto& address : addresses) question.push_back(address.text());
    c.tell({{"addresses", question}});
    const json answer = c.hear(offer_patience);
    std::vector<Offer> offers;
    for (const json& offer : answer.at("servers")) offers.push_back({offer.at("port"), offer.at("version")});
    if (offers.size() != addresses.size()) throw Unknown(fmt::format("asked for {} servers, got {}", addresses.size(), offers.size()));
    return offers;
}

Farewell end_servers(Context& c) {
    c.tell("done");
    Farewell farewell;
    try {
        const json said = c.hear(farewell_patience);
        for (const json& told : said.at("lost")) {
            farewell.lost.emplace_back();
            if (!told.is_null()) farewell.lost.back() = {c.companion(), told.at("interface"), told.at("times"), told.at("gone")};
        }
        if (const json idle = said.value("idle", json()); idle.is_number()) farewell.idle = idle.get<double>();
    } catch (const CompanionGone&) {  // it has ended early: what was measured here stands without it
    }
    return farewell;
}

Verdict serve_bulk(Context& c) {
    const json question = c.hear(question_patience).at("addresses");
    const auto streams = c.integer("streams") * static_cast<std::int64_t>(question.size());
    if (const auto why = refusal(memory_of(c.root()), streams); !why.empty()) return fail("link.bulk-memory", "{}", why);
    Servers servers;
    json offers = json::array();
    std::string served;
    std::vector<std::string> interfaces;
    for (const json& text : question) {
        const auto address = probe::Address::parse(text.get<std::string>());
        if (!address || !is_own(*address))
            return fail("link.bulk-not-its-address", "{} is asked to serve on {}, which is no address of its own", c.machine(),
                        text.get<std::string>());
        interfaces.push_back(own_end({.name = {}, .address = address->text(), .interface = {}}).interface);
        servers.push_back(start_server(*address));
        if (!servers.back().process)
            throw Unknown(fmt::format("no iperf3 server starts on {}: {}", address->text(), servers.back().problem));
        offers.push_back({{"port", servers.back().port}, {"version", installed_version()}});
        served += fmt::format("{}{} port {}", served.empty() ? "" : ", ", address->text(), servers.back().port);
    }
    const CarrierWatch carriers(c.machine(), interfaces);
    const auto processors = processors_of(c.root());
    c.tell({{"servers", offers}});
    stand_by(c, servers);
    const auto idle = idle_processors(processors, processors_of(c.root()));
    c.tell({{"lost", told_losses(carriers, interfaces)}, {"idle", idle ? json(*idle) : json()}});
    if (const std::string ended = stop(c, servers); !ended.empty()) return fail("link.bulk-broken", "{}", ended).with("name", c.machine());
    return pass("served on {}", served);
}

}  // namespace diag::bulk
