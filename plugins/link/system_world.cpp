#include <algorithm>
#include <future>
#include <thread>

#include "probe/address_owners.hpp"
#include "probe/echo.hpp"
#include "tree_world.hpp"

namespace diag::link {
namespace {

using Answerers = std::optional<std::vector<std::string>>;

// An ordinary user may ask nobody for a MAC, but may send an echo out of an interface and read what the kernel has learned by it.
Answerers answerers_by_echo(const probe::Address& address, const probe::Interface& link) {
    constexpr std::size_t packet_bytes = 84;  // as ping(8) sends
    constexpr std::chrono::milliseconds patience{400};
    probe::EchoSocket::Options options;
    options.interface = link.name;
    auto socket = probe::EchoSocket::open(address, options);
    bool answered = false;
    for (std::uint16_t sequence = 1; sequence <= 2 && !answered; ++sequence) {
        if (socket.send(sequence, packet_bytes)) continue;
        const auto answer = socket.receive(std::chrono::steady_clock::now() + patience);
        answered = answer && answer->kind == probe::EchoAnswer::Kind::reply;
    }
    const auto entry = probe::neighbour(address, link.index);
    // Without an echo (a firewall), an entry that was confirmed a moment ago tells as much; an older one may be of another time.
    const bool told = entry && !entry->mac.empty() && (answered || entry->state == "reachable");
    return told ? std::vector{entry->mac} : std::vector<std::string>{};
}

class LiveWorld : public World {
  public:
    std::vector<probe::Interface> interfaces() override { return probe::interfaces(); }
    probe::Interface interface(const std::string& name) override { return probe::interface(name); }
    std::vector<probe::InterfaceAddress> addresses() override { return probe::addresses(); }
    std::optional<probe::Route> route(const probe::Address& destination, const std::optional<probe::Address>& source) override {
        return source ? probe::route_from(*source, destination) : probe::program_route(destination);
    }
    std::optional<std::vector<std::string>> owners(const probe::Address& address, unsigned interface) override {
        constexpr std::chrono::milliseconds patience{300};  // an answer on a local network takes a few milliseconds, of a sleepy port more
        return probe::address_owners(address, interface, patience);
    }
    std::vector<Answerers> heard(const std::vector<probe::Address>& addresses, const probe::Interface& link) override {
        constexpr std::size_t at_once = 32;
        std::vector<Answerers> all;
        for (std::size_t first = 0; first < addresses.size(); first += at_once) {
            std::vector<std::future<Answerers>> asked;
            for (std::size_t i = first; i < std::min(first + at_once, addresses.size()); ++i)
                asked.push_back(std::async(std::launch::async, [this, &address = addresses[i], &link] {
                    auto told = owners(address, link.index);
                    return told ? std::move(told) : answerers_by_echo(address, link);
                }));
            for (auto& one : asked) all.push_back(one.get());
        }
        return all;
    }
    std::filesystem::path root() const override { return {}; }
    void wait(std::chrono::milliseconds time) override { std::this_thread::sleep_for(time); }
};

}  // namespace

std::unique_ptr<World> system_world(const std::filesystem::path& root) {
    if (root.empty()) return std::make_unique<LiveWorld>();
    return std::make_unique<TreeWorld>(root);
}

}  // namespace diag::link
