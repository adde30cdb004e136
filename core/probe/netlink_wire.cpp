#include "probe/netlink_wire.hpp"

#include <cerrno>
#include <cstring>
#include <new>
#include <system_error>

#include <linux/netlink.h>
#include <netlink/errno.h>
#include <netlink/netlink.h>
#include <netlink/socket.h>

#include <diag/verdict.hpp>

namespace diag::probe {
namespace {

using Socket = std::unique_ptr<nl_sock, void (*)(nl_sock*)>;

[[noreturn]] void unreadable(std::string_view subject, std::string_view why) {
    throw Unreadable(fmt::format("the kernel would not tell {}: {}", subject, why));
}

Socket connect(std::string_view subject, int protocol) {
    Socket socket(nl_socket_alloc(), nl_socket_free);
    if (!socket) throw std::bad_alloc();
    if (const int error = nl_connect(socket.get(), protocol); error < 0) unreadable(subject, nl_geterror(error));
    nl_socket_enable_msg_peek(socket.get());  // a link's message can be longer than libnl's one page
    return socket;
}

// Called from C, so nothing may be thrown through it.
int keep_message(nl_msg* message, void* reply) {
    auto& kept = *static_cast<NetlinkReply*>(reply);
    try {
        kept.messages.emplace_back(nlmsg_hdr(message));
        return NL_OK;
    } catch (const std::bad_alloc&) {
        kept.error = ENOMEM;
        return NL_STOP;
    }
}

int keep_error(sockaddr_nl*, nlmsgerr* answer, void* reply) {
    static_cast<NetlinkReply*>(reply)->error = -answer->error;
    return NL_STOP;
}

// Nothing where the dump was interrupted (NLM_F_DUMP_INTR: entries may be missing or twice).
std::optional<NetlinkReply> ask_once(const NetlinkRequest& request, std::string_view subject, int protocol) {
    NetlinkReply reply;
    const Socket socket = connect(subject, protocol);
    const std::unique_ptr<nl_cb, void (*)(nl_cb*)> callbacks(nl_cb_alloc(NL_CB_DEFAULT), nl_cb_put);
    if (!callbacks) throw std::bad_alloc();
    nl_cb_set(callbacks.get(), NL_CB_VALID, NL_CB_CUSTOM, keep_message, &reply);
    nl_cb_err(callbacks.get(), NL_CB_CUSTOM, keep_error, &reply);

    nlmsghdr* header = nlmsg_hdr(request.get());
    header->nlmsg_seq = NL_AUTO_SEQ;  // set by an earlier attempt
    header->nlmsg_pid = NL_AUTO_PORT;
    if (const int sent = nl_send_auto(socket.get(), request.get()); sent < 0) unreadable(subject, nl_geterror(sent));
    const int received = nl_recvmsgs(socket.get(), callbacks.get());
    if (received == -NLE_DUMP_INTR) return std::nullopt;
    if (received < 0 && reply.error == 0) unreadable(subject, nl_geterror(received));
    return reply;
}

}  // namespace

NetlinkRequest::NetlinkRequest(int type, int flags) : message_(nlmsg_alloc_simple(type, NLM_F_REQUEST | flags), nlmsg_free) {
    if (!message_) throw std::bad_alloc();
}

NetlinkRequest& NetlinkRequest::bytes(const void* data, std::size_t size) {
    if (nlmsg_append(message_.get(), const_cast<void*>(data), size, NLMSG_ALIGNTO) < 0) throw std::bad_alloc();
    return *this;
}

NetlinkRequest& NetlinkRequest::attribute(int type, const void* data, std::size_t size) {
    if (nla_put(message_.get(), type, static_cast<int>(size), data) < 0) throw std::bad_alloc();
    return *this;
}

NetlinkRequest& NetlinkRequest::attribute(int type, const Address& address) {
    if (address.v6()) return attribute(type, &reinterpret_cast<const sockaddr_in6*>(address.get())->sin6_addr, sizeof(in6_addr));
    return attribute(type, &reinterpret_cast<const sockaddr_in*>(address.get())->sin_addr, sizeof(in_addr));
}

NetlinkRequest& NetlinkRequest::nested(int outer, int type, const void* data, std::size_t size, int flags_type, std::uint32_t flags) {
    nlattr* nest = nla_nest_start(message_.get(), outer | NLA_F_NESTED);
    if (nest == nullptr) throw std::bad_alloc();
    attribute(type, data, size).attribute(flags_type, flags);
    nla_nest_end(message_.get(), nest);
    return *this;
}

NetlinkMessage::NetlinkMessage(nlmsghdr* header) : copy_(header->nlmsg_len) { std::memcpy(copy_.data(), header, header->nlmsg_len); }

std::vector<nlattr*> NetlinkMessage::attributes(std::size_t header_size, int highest) const {
    std::vector<nlattr*> found(static_cast<std::size_t>(highest) + 1, nullptr);
    const int error = nlmsg_parse(raw(), static_cast<int>(header_size), found.data(), highest, nullptr);
    if (error < 0) throw Unreadable(fmt::format("a netlink message is malformed: {}", nl_geterror(error)));
    return found;
}

NetlinkReply netlink_ask(const NetlinkRequest& request, std::string_view subject, int protocol) {
    constexpr int attempts = 5;
    for (int attempt = 0; attempt < attempts; ++attempt)
        if (auto reply = ask_once(request, subject, protocol)) return std::move(*reply);
    unreadable(subject, "the list kept changing while it was read");
}

void expect_success(const NetlinkReply& reply, std::string_view subject) {
    if (reply.error != 0) unreadable(subject, std::generic_category().message(reply.error));
}

std::string hardware_address(nlattr* attribute) {
    std::string text;
    if (attribute == nullptr) return text;
    const auto* bytes = static_cast<const unsigned char*>(nla_data(attribute));
    for (int i = 0; i < nla_len(attribute); ++i) text += fmt::format("{}{:02x}", i == 0 ? "" : ":", bytes[i]);
    return text;
}

// `interface` becomes the scope of a link-local IPv6 address.
Address ip_address(int family, nlattr* attribute, unsigned interface) {
    if (family == AF_INET && nla_len(attribute) == sizeof(in_addr)) {
        sockaddr_in v4{};
        v4.sin_family = AF_INET;
        std::memcpy(&v4.sin_addr, nla_data(attribute), sizeof v4.sin_addr);
        return {reinterpret_cast<const sockaddr*>(&v4), sizeof v4};
    }
    if (family != AF_INET6 || nla_len(attribute) != sizeof(in6_addr)) throw Unreadable("a netlink message carries a malformed address");
    sockaddr_in6 v6{};
    v6.sin6_family = AF_INET6;
    std::memcpy(&v6.sin6_addr, nla_data(attribute), sizeof v6.sin6_addr);
    if (IN6_IS_ADDR_LINKLOCAL(&v6.sin6_addr)) v6.sin6_scope_id = interface;
    return {reinterpret_cast<const sockaddr*>(&v6), sizeof v6};
}

}  // namespace diag::probe
