#include <thread>

#include "probe/address_owners.hpp"
#include "tree_world.hpp"

namespace diag::link {
namespace {

class LiveWorld : public World {
  public:
    std::vector<probe::Interface> interfaces() override { return probe::interfaces(); }
    probe::Interface interface(const std::string& name) override { return probe::interface(name); }
    std::vector<probe::InterfaceAddress> addresses() override { return probe::addresses(); }
    std::optional<probe::Route> route(const probe::Address& destination, const std::optional<probe::Address>& source) override {
        return source ? probe::route_from(*source, destination) : probe::route_to(destination);
    }
    std::optional<std::vector<std::string>> owners(const probe::Address& address, unsigned interface) override {
        constexpr std::chrono::milliseconds patience{300};  // an answer on a local network takes a few milliseconds, of a sleepy port more
        return probe::address_owners(address, interface, patience);
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
