// For tests only: two hosts and a third in the middle that switches or routes, each a network namespace that this
// process holds open: nothing is named, mounted or left behind, however the test ends.
//   host a "wire" 10.99.1.1 fd99:1::1  --  middle "to-a", "to-b"  --  "wire" host b
// Switched, b is 10.99.1.2 fd99:1::2; routed, it is 10.99.2.2 fd99:2::2 behind 10.99.1.254.  All links carry 9000.
#pragma once

#include <fcntl.h>
#include <netinet/in.h>
#include <sched.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cstdint>
#include <cstdlib>
#include <stdexcept>
#include <string>

#include "base/fd.hpp"
#include "probe/netlink.hpp"
#include "probe/testing_net.hpp"

namespace mtu {

using diag::base::Fd;
using diag::probe::testing::must;

class PathLab {
  public:
    enum Middle { switched, routed };

    explicit PathLab(Middle kind) : kind_(kind), home_(current()), a_(make()), b_(make()), middle_(make()) {
        cable("to-a", a_);
        cable("to-b", b_);
        kind == switched ? bridge() : route();
        host(a_, "1", "1");
        host(b_, kind == switched ? "1" : "2", "2");
        settle(b_);
        settle(a_);
    }
    ~PathLab() { enter(home_); }
    PathLab(const PathLab&) = delete;
    PathLab& operator=(const PathLab&) = delete;

    // One command of plain words at each place; the caller stays in a.
    void at_a(const std::string& line) { at(a_, line); }
    void at_b(const std::string& line) { at(b_, line); }
    void in_middle(const std::string& line) { at(middle_, line); }
    // What `match` says is dropped in silence as it comes in at that port of the middle; one port a lab.
    void drop_in_middle(const std::string& port, const std::string& match) {
        in_middle("nft add table netdev drops");
        in_middle("nft add chain netdev drops in { type filter hook ingress device " + port + " priority 0 ; }");
        in_middle("nft add rule netdev drops in " + match + " drop");
    }
    // One more rule of b's firewall.
    void filter_at_b(const std::string& rule) {
        at_b("nft add table inet filter");
        at_b("nft add chain inet filter in { type filter hook input priority 0 ; }");
        at_b("nft add rule inet filter in " + rule);
    }
    // A TCP port at b that accepts, for as long as the result lives.
    Fd listen_at_b(unsigned port) {
        enter(b_);
        Fd fd(::socket(AF_INET6, SOCK_STREAM | SOCK_CLOEXEC, 0));
        sockaddr_in6 any{};
        any.sin6_family = AF_INET6;
        any.sin6_port = htons(static_cast<std::uint16_t>(port));
        const bool listening = ::bind(fd.get(), reinterpret_cast<const sockaddr*>(&any), sizeof any) == 0 && ::listen(fd.get(), 8) == 0;
        enter(a_);
        if (!listening) throw std::runtime_error("no listener");
        return fd;
    }
    std::string b(bool v6 = false) const {
        const std::string net = kind_ == switched ? "1" : "2";
        return v6 ? "fd99:" + net + "::2" : "10.99." + net + ".2";
    }

  private:
    static Fd current() { return Fd(::open("/proc/self/ns/net", O_RDONLY | O_CLOEXEC)); }
    static Fd make() {
        if (::unshare(CLONE_NEWNET) != 0) throw std::runtime_error("no network namespace");
        must("ip link set lo up");
        must("sysctl -qw net.ipv6.conf.default.accept_dad=0");  // it would keep IPv6 silent for two seconds
        return current();
    }
    static void enter(const Fd& ns) {
        if (::setns(ns.get(), CLONE_NEWNET) != 0) std::abort();  // a test in the wrong network must not go on
    }
    void at(const Fd& ns, const std::string& line) {
        enter(ns);
        must(line);
        enter(a_);
    }
    static std::string path(const Fd& ns) { return "/proc/" + std::to_string(::getpid()) + "/fd/" + std::to_string(ns.get()); }
    static void cable(const std::string& name, const Fd& to) {  // from the namespace we are in
        must("ip link add " + name + " mtu 9000 type veth peer name wire mtu 9000 netns " + path(to));
        must("ip link set " + name + " up");
    }
    static void bridge() {
        must("ip link add br0 type bridge");
        must("ip link set to-a master br0");
        must("ip link set to-b master br0");
        must("ip link set br0 up");
    }
    static void route() {
        must("sysctl -qw net.ipv4.ip_forward=1 net.ipv6.conf.all.forwarding=1");
        for (const std::string side : {"1", "2"}) {
            const std::string port = side == "1" ? "to-a" : "to-b";
            must("ip addr add 10.99." + side + ".254/24 dev " + port);
            must("ip addr add fd99:" + side + "::fe/64 dev " + port + " nodad");
        }
    }
    void host(const Fd& ns, const std::string& net, const std::string& number) {
        enter(ns);
        must("ip addr add 10.99." + net + "." + number + "/24 dev wire");
        must("ip addr add fd99:" + net + "::" + number + "/64 dev wire nodad");
        must("ip link set wire up");
        if (kind_ == switched) return;
        must("ip route add default via 10.99." + net + ".254");
        must("ip route add default via fd99:" + net + "::fe");
    }

    // The kernel announces a carrier late, and then sets IPv6's MTU anew.
    static void settle(const Fd& ns) {
        enter(ns);
        for (int tries = 0; diag::probe::interface("wire").operstate != "up"; ++tries) {
            if (tries == 300) throw std::runtime_error("the cable has no carrier");
            ::usleep(10'000);
        }
    }

    Middle kind_;
    Fd home_, a_, b_, middle_;
};

}  // namespace mtu
