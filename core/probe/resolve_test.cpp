#include "probe/resolve.hpp"

#include <chrono>
#include <cstdint>
#include <string>
#include <thread>

#include <poll.h>
#include <sys/socket.h>

#include "base/fd.hpp"
#include "catch.hpp"
#include "probe/resolve_config.hpp"
#include "probe/resolve_dns.hpp"
#include "probe/testing_net.hpp"
#include "probe/testing_resolver.hpp"
#include "probe/testing_skip.hpp"

using namespace diag::probe;
using namespace std::chrono_literals;
using Bytes = std::vector<std::uint8_t>;

TEST_CASE("getaddrinfo's answers come once each; a name that cannot exist is unknown") {
    const auto numeric = resolve("127.0.0.1");
    REQUIRE(numeric.status == Resolution::Status::resolved);
    CHECK(numeric.addresses.size() == 1);
    CHECK(numeric.addresses.at(0) == *Address::parse("127.0.0.1"));
    CHECK(resolve("").status != Resolution::Status::resolved);
    CHECK(resolve("bad name with spaces").status != Resolution::Status::resolved);
}

TEST_CASE("a resolver that is told to wait for minutes holds nobody up for longer than his patience") {
    if (testing::skipped(testing::no_resolver())) return;
    CHECK(testing::with_resolver("nameserver 192.0.2.53\noptions timeout:30 attempts:5\n", [] {
        const auto began = std::chrono::steady_clock::now();
        const auto found = resolve("node-b.example", 500ms);
        return found.status == Resolution::Status::no_answer && found.error == "the resolver gave no answer within 0.5 s" &&
               std::chrono::steady_clock::now() - began < 5s;
    }));
    CHECK(testing::with_resolver("nameserver 192.0.2.53\noptions timeout:1 attempts:1\n", [] {  // the twin: glibc ends it by itself
        const auto found = resolve("node-b.example", 20s);
        return found.status == Resolution::Status::no_answer && found.error.find("within") == std::string::npos;
    }));
}

TEST_CASE("hosts lines keep their number and every alias; comments and junk do not count") {
    const auto lines =
        hosts_lines("# head\n127.0.0.1\tlocalhost\n\n127.0.1.1 node-a.lan node-a # mine\n10.0.0.1\n#10.0.0.2 off\n::1 ip6-localhost\n");
    REQUIRE(lines.size() == 3);
    CHECK(lines[1].number == 4);
    CHECK(lines[1].address == "127.0.1.1");
    CHECK(lines[1].text == "127.0.1.1 node-a.lan node-a # mine");
    CHECK(lines[1].has("NODE-A"));
    CHECK(lines[1].has("node-a.lan."));
    CHECK_FALSE(lines[1].has("node"));
    CHECK_FALSE(lines[1].has("mine"));
}

TEST_CASE("nsswitch actions belong to the service before them, and only NOTFOUND=return ends a search") {
    const auto services =
        hosts_services("passwd: files\nhosts:\tfiles mdns4_minimal [NOTFOUND=return] resolve [!UNAVAIL=return] dns # end\n");
    REQUIRE(services.size() == 4);
    CHECK(services[1].name == "mdns4_minimal");
    CHECK(services[1].action == "[NOTFOUND=return]");
    CHECK(services[1].not_found_ends());
    CHECK(services[2].not_found_ends());  // everything but UNAVAIL returns, so NOTFOUND does
    CHECK_FALSE(services[0].not_found_ends());
    CHECK_FALSE(services[3].not_found_ends());
    CHECK_FALSE(HostsService{"x", "[!NOTFOUND=return]"}.not_found_ends());
    CHECK_FALSE(HostsService{"x", "[UNAVAIL=return]"}.not_found_ends());
    CHECK_FALSE(HostsService{"x", "[NOTFOUND=continue]"}.not_found_ends());
    CHECK(HostsService{"x", "[ SUCCESS=return notfound=RETURN ]"}.not_found_ends());
    CHECK(hosts_services("passwd: files\n").empty());
    CHECK(hosts_services("hosts:\n").empty());
}

TEST_CASE("the last search line of resolv.conf holds, and what is no address is no server") {
    const auto config = resolver_config(
        "; comment\nnameserver 10.0.0.53\nnameserver fd00::53\nnameserver dns.lan\nsearch a.lan\ndomain b.lan\noptions ndots:2 edns0\n");
    CHECK(config.servers.size() == 2);
    CHECK(config.search == std::vector<std::string>{"b.lan"});
    CHECK(config.ndots == 2);
    CHECK(resolver_config("").ndots == 1);
}

static Bytes answer_to(const Bytes& question, std::uint8_t code, const Bytes& records = {}, std::uint8_t count = 0) {
    Bytes packet = question;
    packet[2] |= 0x80;
    packet[3] = code;
    packet[7] = count;
    packet.insert(packet.end(), records.begin(), records.end());
    return packet;
}

// An alias, then an A record behind it, both with compressed names.
static const Bytes alias_and_address = {0xc0, 12, 0, 5, 0, 1, 0, 0, 0,  60, 0, 2,  0xc0, 12, 0xc0,
                                        12,   0,  1, 0, 1, 0, 0, 0, 60, 0,  4, 10, 10,   0,  2};

TEST_CASE("a DNS question is RFC 1035's, and what is no name is not asked") {
    const Bytes expected = {0xab, 0xcd, 1, 0, 0, 1, 0, 0, 0, 0, 0, 0, 1, 'b', 3, 'l', 'a', 'n', 0, 0, 1, 0, 1};
    CHECK(*dns_question(0xabcd, "b.lan", 1) == expected);
    CHECK(*dns_question(0xabcd, "b.lan.", 1) == expected);
    for (const auto& name : {std::string(), std::string("."), std::string("a..b"), std::string(64, 'x'), std::string(254, 'x')})
        CHECK_FALSE(dns_question(1, name, 1).has_value());
}

TEST_CASE("an answer with an alias gives the address behind it") {
    const Bytes question = *dns_question(7, "b.lan", 1);
    const auto answer = dns_read(answer_to(question, 0, alias_and_address, 2), question);
    REQUIRE(answer);
    CHECK(answer->status == DnsAnswer::Status::answered);
    REQUIRE(answer->addresses.size() == 1);
    CHECK(answer->addresses[0].text() == "10.10.0.2");
}

TEST_CASE("no such name, a refusal, and somebody else's answer are told apart") {
    const Bytes question = *dns_question(7, "b.lan", 1);
    CHECK(dns_read(answer_to(question, 3), question)->status == DnsAnswer::Status::no_such_name);
    CHECK(dns_read(answer_to(question, 5), question)->status == DnsAnswer::Status::refused);
    CHECK(dns_read(answer_to(question, 2), question)->error == "SERVFAIL");
    CHECK(dns_read(answer_to(question, 0), question)->status == DnsAnswer::Status::answered);  // it exists, without addresses
    CHECK_FALSE(dns_read(question, question).has_value());
    CHECK_FALSE(dns_read(answer_to(*dns_question(8, "b.lan", 1), 0), question).has_value());
}

TEST_CASE("an answer cut anywhere is never read beyond its end, and gives no address that is not there") {
    const Bytes question = *dns_question(7, "b.lan", 1);
    const Bytes whole = answer_to(question, 0, alias_and_address, 2);
    for (std::size_t size = 0; size < whole.size(); ++size) {
        const Bytes cut(whole.begin(), whole.begin() + static_cast<std::ptrdiff_t>(size));
        const auto answer = dns_read(cut, question);
        CHECK((!answer || answer->addresses.empty()));
    }
}

TEST_CASE("a server is asked over UDP; a closed port and a silent one are two answers") {
    const diag::base::Fd server(::socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0));
    Address any = *Address::parse("127.0.0.1");
    REQUIRE(::bind(server.get(), any.get(), any.size()) == 0);
    sockaddr_storage bound{};
    socklen_t size = sizeof bound;
    REQUIRE(::getsockname(server.get(), reinterpret_cast<sockaddr*>(&bound), &size) == 0);
    const Address address(reinterpret_cast<const sockaddr*>(&bound), size);
    CHECK(ask_dns(address, "b.lan", 30ms).status == DnsAnswer::Status::silent);
    std::thread answering([&] {
        for (int left = 3; left > 0; --left) {  // the question nobody answered, A, AAAA
            Bytes packet(512);
            sockaddr_storage from{};
            socklen_t from_size = sizeof from;
            pollfd ready{server.get(), POLLIN, 0};
            if (::poll(&ready, 1, 5000) <= 0) return;
            const auto length = ::recvfrom(server.get(), packet.data(), packet.size(), 0, reinterpret_cast<sockaddr*>(&from), &from_size);
            packet.resize(static_cast<std::size_t>(length));
            const bool v4 = packet[packet.size() - 3] == 1;
            const Bytes reply = v4 ? answer_to(packet, 0, alias_and_address, 2) : answer_to(packet, 0);
            ::sendto(server.get(), reply.data(), reply.size(), 0, reinterpret_cast<const sockaddr*>(&from), from_size);
        }
    });
    const auto answer = ask_dns(address, "b.lan", 5000ms);
    answering.join();
    REQUIRE(answer.addresses.size() == 1);
    CHECK(answer.addresses[0].text() == "10.10.0.2");
    const Address closed = address.with_port(1);
    CHECK(ask_dns(closed, "b.lan", 1000ms).status == DnsAnswer::Status::refused);
}
