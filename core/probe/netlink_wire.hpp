// One question to rtnetlink (or, as told, to another family) and its answers, as raw messages: what netlink.cpp is written on.
// Not for users of diag::probe.  libnl frames and receives; the kernel's errno is kept as it is
// (libnl's own codes fold EHOSTUNREACH, ENETUNREACH and others into one).
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <netlink/attr.h>
#include <netlink/msg.h>

#include "probe/address.hpp"

namespace diag::probe {

// A request under construction.  Throws std::bad_alloc where libnl has no room.
class NetlinkRequest {
  public:
    NetlinkRequest(int type, int flags);
    template <class Header>
    NetlinkRequest& header(const Header& h) {
        return bytes(&h, sizeof h);
    }
    NetlinkRequest& attribute(int type, const void* data, std::size_t size);
    NetlinkRequest& attribute(int type, const Address& address);
    // One attribute within another: a header of generic netlink families, as a rule.
    NetlinkRequest& nested(int outer, int type, const void* data, std::size_t size, int flags_type, std::uint32_t flags);
    NetlinkRequest& attribute(int type, std::uint32_t value) { return attribute(type, &value, sizeof value); }
    nl_msg* get() const { return message_.get(); }

  private:
    NetlinkRequest& bytes(const void* data, std::size_t size);
    std::unique_ptr<nl_msg, void (*)(nl_msg*)> message_;
};

// One answer, with its attributes indexed by type.
class NetlinkMessage {
  public:
    explicit NetlinkMessage(nlmsghdr* header);
    template <class Header>
    const Header& header() const {
        return *static_cast<const Header*>(nlmsg_data(raw()));
    }
    // Indexes the attributes behind a header of `header_size` bytes; types above `highest` are left out.
    std::vector<nlattr*> attributes(std::size_t header_size, int highest) const;

  private:
    nlmsghdr* raw() const { return reinterpret_cast<nlmsghdr*>(const_cast<std::byte*>(copy_.data())); }
    std::vector<std::byte> copy_;
};

// The kernel's answers, or its errno; `error` 0 with no messages is an empty answer.
struct NetlinkReply {
    std::vector<NetlinkMessage> messages;
    int error = 0;
};

// Asks once.  A dump that changed under the kernel's hands is asked again, a few times.
// Throws diag::Unreadable where it stays inconsistent, or where netlink itself fails.
// `protocol`: NETLINK_ROUTE (0) or NETLINK_GENERIC.
NetlinkReply netlink_ask(const NetlinkRequest& request, std::string_view subject, int protocol = 0);

// Throws diag::Unreadable where the kernel answered with an error.
void expect_success(const NetlinkReply& reply, std::string_view subject);

// "02:00:5e:10:00:01"; "" for an attribute that is not there.
std::string hardware_address(nlattr* attribute);

// `interface` becomes the scope of a link-local IPv6 address.  Throws diag::Unreadable on a wrong length.
Address ip_address(int family, nlattr* attribute, unsigned interface);

}  // namespace diag::probe
