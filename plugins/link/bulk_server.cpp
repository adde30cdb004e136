#include "bulk_server.hpp"

#include <sys/socket.h>

#include <chrono>
#include <memory>

#include "base/fd.hpp"
#include "base/file.hpp"
#include "base/utf8.hpp"
#include "bulk_memory.hpp"
#include "bulk_run.hpp"
#include "probe/netlink.hpp"
#include "probe/subprocess.hpp"

namespace diag::bulk {
namespace {

using namespace std::chrono_literals;

constexpr auto start_patience = 5s;
constexpr auto offer_patience = 30s;
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

// Until the other half is done with it, or gone.
void stand_by(Context& c, probe::Subprocess& server) {
    try {
        while (!server.wait_for(0ms) && !c.listen(200ms)) {
        }
    } catch (const CompanionGone&) {  // it is done, in its own way
    }
}

}  // namespace

Offer ask_for_server(Context& c, const probe::Address& address) {
    c.tell({{"address", address.text()}});
    const json offer = c.hear(offer_patience);
    return {offer.at("port"), offer.at("version")};
}

Verdict serve_bulk(Context& c) {
    const json question = c.hear(question_patience);
    const auto address = probe::Address::parse(question.at("address").get<std::string>());
    if (!address || !is_own(*address))
        return fail("link.bulk-not-its-address", "{} is asked to serve on {}, which is no address of its own", c.machine(),
                    question.at("address").get<std::string>());
    if (const auto why = refusal(memory_of(c.root()), c.integer("streams")); !why.empty()) return fail("link.bulk-memory", "{}", why);
    const Server server = start_server(*address);
    if (!server.process) throw Unknown(fmt::format("no iperf3 server starts on {}: {}", address->text(), server.problem));
    c.tell({{"port", server.port}, {"version", installed_version()}});
    stand_by(c, *server.process);
    const bool ended = server.process->wait_for(0ms);
    const auto& said = server.process->stop();
    c.evidence("iperf3-server", said.out + said.err);
    if (ended)
        return fail("link.bulk-broken", "the iperf3 server ended in the middle of the test: {}", base::printable(said.err.substr(0, 200)));
    return pass("served on {} port {}", address->text(), server.port);
}

}  // namespace diag::bulk
