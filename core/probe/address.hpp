// An IPv4 or IPv6 address with its port and scope, as sockets want it and as people write it.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include <netinet/in.h>
#include <sys/socket.h>

namespace diag::probe {

class Address {
  public:
    Address() = default;
    Address(const sockaddr* address, socklen_t length);

    // "10.0.0.1", "fe80::1%eth0" (the scope must name an interface that is there).  Nothing where it is no address.
    static std::optional<Address> parse(std::string_view text);

    int family() const { return storage_.ss_family; }  // AF_INET, AF_INET6, or AF_UNSPEC when empty
    bool v6() const { return family() == AF_INET6; }
    bool loopback() const;     // 127/8, ::1 and ::ffff:127/104
    std::string text() const;  // without port, with %scope for link-local
    unsigned scope() const;    // interface index for link-local IPv6, else 0
    // A link-local IPv6 address that does not say on which link: no packet can be sent to it (RFC 4007).
    bool lacks_scope() const;
    // On that link, where it lacks one (index; 0: none is known).  Give it to every address that a person or a file wrote beside an
    // interface: the kernel's own carry their scope, and equal no other.
    Address on(unsigned interface) const;
    unsigned port() const;  // 0 unless one was given
    Address with_port(unsigned port) const;

    const sockaddr* get() const { return reinterpret_cast<const sockaddr*>(&storage_); }
    socklen_t size() const { return v6() ? sizeof(sockaddr_in6) : sizeof(sockaddr_in); }
    bool operator==(const Address& other) const;  // address and scope; the port does not count

  private:
    sockaddr_storage storage_{};
};

// The first `bits` bits of both are equal, and both are of one family.
bool in_prefix(const Address& address, const Address& network, unsigned bits);

}  // namespace diag::probe
