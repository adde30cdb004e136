// Names to addresses, and back, as every program on this machine gets them: getaddrinfo(), whatever NSS does behind it.
// Not for asking one DNS server: resolve_dns.hpp.
#pragma once

#include <chrono>
#include <string>
#include <vector>

#include "probe/address.hpp"

namespace diag::probe {

struct Resolution {
    enum class Status {
        resolved,
        unknown,    // an authority says that the name, or an address of it, does not exist (EAI_NONAME, EAI_NODATA)
        no_answer,  // nobody could be asked, or nobody answered: it may exist (EAI_AGAIN)
        broken,     // the resolver itself failed (EAI_FAIL, EAI_SYSTEM, ...)
    };
    Status status = Status::unknown;
    std::vector<Address> addresses;  // in getaddrinfo's order, each once
    std::string canonical;           // "" where the resolver gave none
    std::string error;               // gai_strerror's words, and errno's for EAI_SYSTEM
};

// What glibc takes with three silent servers and its own times (resolv.conf(5), timeout and attempts), and a little more.
constexpr std::chrono::seconds resolver_patience{31};

// Both families, also those that this machine has no address of.  resolv.conf may let a look-up take minutes; after `patience` it is
// `no_answer`, and what was begun goes on in a thread that nobody waits for.
Resolution resolve(const std::string& name, std::chrono::milliseconds patience = resolver_patience);

// The other way round, getnameinfo(): the name of an address; "" where it has none, or nobody answered.
std::string name_of(const Address& address);

}  // namespace diag::probe
