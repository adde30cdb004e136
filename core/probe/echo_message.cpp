#include "probe/echo_message.hpp"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <ctime>

#include <netinet/in.h>
#include <sys/socket.h>

namespace diag::probe {

namespace {

template <class T>
T content(const cmsghdr* header) {
    T value{};
    std::memcpy(&value, CMSG_DATA(header), std::min<std::size_t>(sizeof value, header->cmsg_len - CMSG_LEN(0)));
    return value;
}

// The wall clock is compared over the moments since reception only, so a step of it can hardly fall in between.
std::chrono::nanoseconds age_of(const timespec& stamp) {
    timespec now{};
    clock_gettime(CLOCK_REALTIME, &now);
    const auto age = std::chrono::seconds(now.tv_sec - stamp.tv_sec) + std::chrono::nanoseconds(now.tv_nsec - stamp.tv_nsec);
    return std::max<std::chrono::nanoseconds>(age, std::chrono::nanoseconds(0));
}

// sock_extended_err and, behind it, the offender's address (ip(7), IP_RECVERR).
void read_error(const cmsghdr* header, EchoMessage& message) {
    struct {
        sock_extended_err error;
        sockaddr_in6 offender;
    } both = content<decltype(both)>(header);
    message.error = both.error;
    const sa_family_t family = both.offender.sin6_family;
    if (family == AF_INET || family == AF_INET6)
        message.offender = Address(reinterpret_cast<const sockaddr*>(&both.offender), sizeof both.offender).with_port(0);
}

void read_control(const cmsghdr* header, EchoMessage& message) {
    const int level = header->cmsg_level, type = header->cmsg_type;
    if (level == SOL_SOCKET && type == SO_TIMESTAMPNS) message.age = age_of(content<timespec>(header));
    if ((level == IPPROTO_IP && type == IP_RECVERR) || (level == IPPROTO_IPV6 && type == IPV6_RECVERR)) read_error(header, message);
    if ((level == IPPROTO_IP && type == IP_RECVFRAGSIZE) || (level == IPPROTO_IPV6 && type == IPV6_RECVFRAGSIZE))
        message.fragment_size = content<int>(header);
}

}  // namespace

std::optional<EchoMessage> read_message(int fd, int flags, std::vector<std::uint8_t>& buffer) {
    sockaddr_storage name{};
    alignas(cmsghdr) char control[512];
    iovec part{buffer.data(), buffer.size()};
    msghdr header{};
    header.msg_name = &name;
    header.msg_namelen = sizeof name;
    header.msg_iov = &part;
    header.msg_iovlen = 1;
    header.msg_control = control;
    header.msg_controllen = sizeof control;
    ssize_t size = 0;
    // An error other than "nothing there" repeats what the error queue tells with its sender; reading it clears it.
    do size = ::recvmsg(fd, &header, flags | MSG_DONTWAIT);
    while (size < 0 && errno != EAGAIN);
    if (size < 0) return std::nullopt;
    EchoMessage message;
    message.peer = Address(reinterpret_cast<const sockaddr*>(&name), header.msg_namelen);
    message.size = static_cast<std::size_t>(size);
    for (auto* item = CMSG_FIRSTHDR(&header); item != nullptr; item = CMSG_NXTHDR(&header, item)) read_control(item, message);
    return message;
}

}  // namespace diag::probe
