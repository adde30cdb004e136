#include "one_way.hpp"

#include <cstddef>
#include <thread>

#include "pace.hpp"
#include "probe/echo.hpp"

namespace mtu {
namespace {

using diag::probe::Address;
using diag::probe::EchoAnswer;
using diag::probe::EchoMethod;
using diag::probe::EchoSocket;
using std::chrono::steady_clock;

constexpr int same_word = 2;  // rounds that say the same

// Any ICMP error of the destination's own shows that the packet came there: a firewall may refuse in other words than
// "no such port".
bool arrived(EchoSocket& socket, const Address& destination, steady_clock::time_point deadline) {
    while (const auto answer = socket.receive(deadline))
        if (answer->kind == EchoAnswer::Kind::reply ||
            (answer->kind == EchoAnswer::Kind::icmp_error && answer->mtu == 0 && answer->sender.text() == destination.text()))
            return true;
    return false;
}

}  // namespace

OneWay weigh(const std::function<Heard(int round)>& ask, const std::function<void()>& rest) {
    OneWay way;
    int lost = 0, silent = 0;
    for (int round = 1; lost < same_word && silent < same_word; ++round) {
        if (silent > 0) rest();
        const Heard heard = ask(round);
        way.small = way.small || heard.small || heard.large;
        if (heard.large) {
            way.large = true;
            return way;
        }
        heard.small ? ++lost : ++silent;
    }
    if (lost == same_word) way.large = false;
    return way;
}

OneWay ask_one_way(const Address& destination, const std::string& interface, std::int64_t small, std::int64_t large,
                   std::chrono::milliseconds patience) {
    // A socket for each probe: one alone would pace itself.  One port for both in each round: where somebody listens, neither
    // is answered, and that is no loss.
    const EchoSocket::Options options{.interface = interface, .dont_fragment = true, .method = EchoMethod::udp};
    const auto ask = [&](int round) {
        EchoSocket first = EchoSocket::open(destination, options), second = EchoSocket::open(destination, options);
        const auto number = static_cast<std::uint16_t>(round);
        first.send(number, static_cast<std::size_t>(large));
        second.send(number, static_cast<std::size_t>(small));
        const auto deadline = steady_clock::now() + patience;
        Heard heard;
        heard.large = arrived(first, destination, deadline);
        heard.small = !heard.large && arrived(second, destination, deadline);
        return heard;
    };
    return weigh(ask, [] { std::this_thread::sleep_for(one_answer); });
}

}  // namespace mtu
