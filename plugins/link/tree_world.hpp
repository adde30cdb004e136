// Interfaces as a captured tree shows them (--root): what netlink says of a live machine, as far as /sys has it too.
// Not for addresses and routes: /sys has none, and asking for them is an error.
#pragma once

#include "world.hpp"

namespace diag::link {

class TreeWorld : public World {
  public:
    explicit TreeWorld(std::filesystem::path root) : root_(std::move(root)) {}

    std::vector<probe::Interface> interfaces() override;
    probe::Interface interface(const std::string& name) override;
    std::vector<probe::InterfaceAddress> addresses() override;
    std::optional<probe::Route> route(const probe::Address& destination, const std::optional<probe::Address>& source) override;
    std::optional<std::vector<std::string>> owners(const probe::Address&, unsigned) override { return std::nullopt; }
    std::filesystem::path root() const override { return root_; }
    void wait(std::chrono::milliseconds) override {}  // nothing in it moves

  private:
    std::filesystem::path root_;
};

}  // namespace diag::link
