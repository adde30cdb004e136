// What the checks of this plugin see of the outside: one interface, so that their judgement is tested without a network.
// system_world() is the real one; the tests have a twin in memory (fake_world.hpp).
#pragma once

#include <chrono>
#include <cstddef>
#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "probe/echo.hpp"
#include "probe/netlink.hpp"
#include "probe/resolve.hpp"
#include "probe/resolve_dns.hpp"
#include "sweep_run.hpp"

namespace diag::names {

struct EchoPlan {
    std::string interface;  // "": the route decides
    unsigned count = 5;
    std::chrono::milliseconds interval{200}, timeout{1000};
    // How long after the first probe a router's word is waited for where nothing at all came back and a router is on the way.
    std::chrono::milliseconds late_word{0};
};

// What came of the probes to one address.
struct EchoRun {
    probe::Address address;
    probe::EchoMethod method = probe::EchoMethod::icmp_raw;
    unsigned sent = 0;                       // sequences 1 to sent, refused ones too
    std::vector<probe::EchoAnswer> answers;  // replies, ICMP errors and local refusals, as they came
    std::size_t duplicates = 0;
};

enum class Asked { answered, silent, impossible };  // impossible: no right to ask, or nothing to ask on such a link

class World {
  public:
    virtual ~World() = default;
    // Throws diag::Absent or diag::Unreadable.
    virtual std::string read(const std::string& path) = 0;
    virtual std::string host_name() = 0;
    virtual probe::Resolution resolve(const std::string& name) = 0;
    // The name that the system's resolver has for an address; "" where it has none, or nobody to ask.
    virtual std::string name_of(const probe::Address& address) = 0;
    virtual probe::DnsAnswer ask_dns(const probe::Address& server, const std::string& name) = 0;
    // Throws diag::Absent where there is no such interface.
    virtual probe::Interface interface(const std::string& name) = 0;
    virtual probe::Interface interface(unsigned index) = 0;
    // The one that has the addresses of that interface: its bridge or bond, or itself (probe::bearer_of()).  Throws as above.
    virtual probe::Interface bearer(const std::string& name) = 0;
    virtual std::vector<probe::InterfaceAddress> addresses() = 0;
    // As the packets of a program go (probe::program_route()); and what a rule by source has to do with it (probe::source_rule()).
    virtual std::optional<probe::Route> route(const probe::Address& destination) = 0;
    virtual std::string source_rule(const probe::Address& destination, const std::optional<probe::Route>& way) = 0;
    // The bare look-up of probe::route_to().
    virtual std::optional<probe::Route> route_to(const probe::Address& destination, unsigned output, bool fib_match) = 0;
    virtual std::optional<probe::Neighbour> neighbour(const probe::Address& address, unsigned interface_index) = 0;
    // Whether somebody on that link says, now, that the address is his (ARP, neighbour discovery).
    virtual Asked ask_neighbour(const probe::Address& address, unsigned interface_index) = 0;
    // All addresses side by side; returns one run an address, in their order.
    virtual std::vector<EchoRun> echo(const std::vector<probe::Address>& addresses, const EchoPlan& plan) = 0;
    // Each address once; thousands at an even pace.
    virtual SweepRun sweep(const std::vector<probe::Address>& addresses, const SweepPlan& plan) = 0;
    // Whether a TCP port of it accepts or refuses: either takes somebody who is alive.
    virtual bool tcp_answers(const probe::Address& address, unsigned port, const EchoPlan& plan) = 0;
    // Calls work(0) to work(count - 1), which ask by this interface and wait: side by side where the world can do that.
    virtual void each(std::size_t count, const std::function<void(std::size_t)>& work) = 0;
};

// `root`: where /etc is read; everything else is this machine, live.
std::unique_ptr<World> system_world(const std::filesystem::path& root);

}  // namespace diag::names
