#include "world.hpp"

#include <algorithm>
#include <cerrno>
#include <climits>
#include <cstdint>
#include <future>
#include <system_error>
#include <thread>

#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/fd.hpp"
#include "base/file.hpp"
#include "probe/files.hpp"
#include "probe/neighbour_ask.hpp"

namespace diag::names {

namespace {

using std::chrono::steady_clock;

constexpr std::chrono::milliseconds dns_patience{1000};
constexpr std::size_t probe_bytes = 84;  // IP bytes, as ping(8) sends; also a legal IPv6 probe

void drain(probe::EchoSocket& socket, EchoRun& run, steady_clock::time_point deadline) {
    while (auto answer = socket.receive(deadline)) run.answers.push_back(*answer);
}

// Waits at most until `deadline`, and no longer than answers are missing.
void collect(probe::EchoSocket& socket, EchoRun& run, steady_clock::time_point deadline) {
    drain(socket, run, steady_clock::now());
    while (run.answers.size() < run.sent) {
        auto answer = socket.receive(deadline);
        if (!answer) return;
        run.answers.push_back(*answer);
    }
    drain(socket, run, steady_clock::now());
}

// The address that a program's packets would come from: rules by source address lead them, and so they must lead the probes.
std::optional<probe::Address> source_for(const probe::Address& destination, const EchoPlan& plan) {
    if (!plan.interface.empty() || destination.v6()) return std::nullopt;
    const auto way = probe::program_route(destination);
    return way ? way->source : std::nullopt;
}

bool has_router(const probe::Address& destination, const EchoPlan& plan) {
    const auto way = plan.interface.empty() ? probe::program_route(destination)
                                            : probe::route_to(destination, probe::interface(plan.interface).index, true);
    return way && way->gateway;
}

class SystemWorld : public World {
  public:
    explicit SystemWorld(std::filesystem::path root) : root_(std::move(root)) {}

    std::string read(const std::string& path) override { return probe::read_text(root_, path); }
    std::string host_name() override;
    probe::Resolution resolve(const std::string& name) override;
    std::string name_of(const probe::Address& address) override { return probe::name_of(address); }
    probe::DnsAnswer ask_dns(const probe::Address& server, const std::string& name) override {
        return probe::ask_dns(server, name, dns_patience);
    }
    probe::Interface interface(const std::string& name) override { return probe::interface(name); }
    probe::Interface interface(unsigned index) override { return probe::interface(index); }
    probe::Interface bearer(const std::string& name) override { return probe::bearer_of(probe::interface(name)); }
    std::vector<probe::InterfaceAddress> addresses() override { return probe::addresses(); }
    std::optional<probe::Route> route(const probe::Address& destination) override { return probe::program_route(destination); }
    std::string source_rule(const probe::Address& destination, const std::optional<probe::Route>& way) override {
        return probe::source_rule(destination, way);
    }
    std::optional<probe::Route> route_to(const probe::Address& destination, unsigned output, bool fib_match) override {
        return probe::route_to(destination, output, fib_match);
    }
    std::optional<probe::Neighbour> neighbour(const probe::Address& address, unsigned index) override {
        return probe::neighbour(address, index);
    }
    Asked ask_neighbour(const probe::Address& address, unsigned index) override {
        const auto answered = probe::ask_neighbour(address, index, std::chrono::milliseconds(500));
        return !answered ? Asked::impossible : *answered ? Asked::answered : Asked::silent;
    }
    std::vector<EchoRun> echo(const std::vector<probe::Address>& addresses, const EchoPlan& plan) override;
    SweepRun sweep(const std::vector<probe::Address>& addresses, const SweepPlan& plan) override { return names::sweep(addresses, plan); }
    bool tcp_answers(const probe::Address& address, unsigned port, const EchoPlan& plan) override;
    void each(std::size_t count, const std::function<void(std::size_t)>& work) override;

  private:
    std::filesystem::path root_;
    std::chrono::milliseconds resolver_patience_ = probe::resolver_patience;  // what is left of it
};

// One patience for all look-ups of a check: what hangs once hangs again, and the check's time is for one such wait.
probe::Resolution SystemWorld::resolve(const std::string& name) {
    constexpr std::chrono::milliseconds least{1000};
    const auto began = steady_clock::now();
    auto resolution = probe::resolve(name, std::max(resolver_patience_, least));
    resolver_patience_ -= std::chrono::duration_cast<std::chrono::milliseconds>(steady_clock::now() - began);
    return resolution;
}

std::string SystemWorld::host_name() {
    char name[HOST_NAME_MAX + 1] = "";
    if (::gethostname(name, sizeof name) != 0) base::throw_errno("gethostname");
    return name;
}

std::vector<EchoRun> SystemWorld::echo(const std::vector<probe::Address>& addresses, const EchoPlan& plan) {
    std::vector<probe::EchoSocket> sockets;
    std::vector<EchoRun> runs(addresses.size());
    for (std::size_t i = 0; i < addresses.size(); ++i) {
        sockets.push_back(probe::EchoSocket::open(addresses[i], {plan.interface, false, std::nullopt, source_for(addresses[i], plan)}));
        runs[i].address = addresses[i];
        runs[i].method = sockets[i].method();
    }
    const auto began = steady_clock::now();
    auto turn = began;
    for (unsigned sequence = 1; sequence <= plan.count; ++sequence, turn += plan.interval) {
        std::this_thread::sleep_until(turn);
        for (std::size_t i = 0; i < sockets.size(); ++i) {
            ++runs[i].sent;
            if (auto refused = sockets[i].send(static_cast<std::uint16_t>(sequence), probe_bytes)) runs[i].answers.push_back(*refused);
            drain(sockets[i], runs[i], steady_clock::now());
        }
    }
    const auto deadline = steady_clock::now() + plan.timeout;
    for (std::size_t i = 0; i < sockets.size(); ++i) {
        collect(sockets[i], runs[i], deadline);
        if (runs[i].answers.empty() && has_router(addresses[i], plan)) collect(sockets[i], runs[i], began + plan.late_word);
        runs[i].duplicates = sockets[i].duplicates();
    }
    return runs;
}

bool SystemWorld::tcp_answers(const probe::Address& address, unsigned port, const EchoPlan& plan) {
    const base::Fd socket(::socket(address.family(), SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0));
    if (!socket) base::throw_errno("a TCP socket");
    const auto& name = plan.interface;
    if (!name.empty() && ::setsockopt(socket.get(), SOL_SOCKET, SO_BINDTODEVICE, name.data(), static_cast<socklen_t>(name.size())) != 0)
        base::throw_errno("interface " + name);
    const probe::Address to = address.with_port(port);
    if (::connect(socket.get(), to.get(), to.size()) == 0 || errno == ECONNREFUSED) return true;
    if (errno != EINPROGRESS) return false;
    pollfd ready{socket.get(), POLLOUT, 0};
    if (::poll(&ready, 1, static_cast<int>(plan.timeout.count())) <= 0) return false;
    int error = 0;
    socklen_t size = sizeof error;
    if (::getsockopt(socket.get(), SOL_SOCKET, SO_ERROR, &error, &size) != 0) base::throw_errno("the state of a TCP socket");
    return error == 0 || error == ECONNREFUSED;
}

// Groups, since every thread has a stack that counts as data (core/worker/request.hpp bounds that).
void SystemWorld::each(std::size_t count, const std::function<void(std::size_t)>& work) {
    constexpr std::size_t at_once = 32;
    for (std::size_t first = 0; first < count; first += at_once) {
        std::vector<std::future<void>> started;
        for (std::size_t i = first; i < std::min(first + at_once, count); ++i)
            started.push_back(std::async(std::launch::async, [&work, i] { work(i); }));
        for (auto& one : started) one.get();
    }
}

}  // namespace

std::unique_ptr<World> system_world(const std::filesystem::path& root) { return std::make_unique<SystemWorld>(root); }

}  // namespace diag::names
