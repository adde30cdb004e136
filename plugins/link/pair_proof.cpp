#include "pair_proof.hpp"

#include <algorithm>
#include <random>
#include <thread>

#include <sys/socket.h>

#include "base/fd.hpp"
#include "family.hpp"
#include "probe/hail.hpp"

namespace diag::link {
namespace {

using namespace std::chrono_literals;

constexpr auto ears_open = 500ms;        // three frames 30 ms apart, and what a busy machine takes to send them
constexpr auto answer_patience = 10s;    // far more than the ears are open
constexpr auto neighbour_patience = 1s;  // the kernel asks a neighbour three times, a second apart (arp(7))
constexpr std::size_t longest_word = 64;

std::string fresh_word() {
    std::random_device random;
    std::string word;
    for (int i = 0; i < 4; ++i) word += fmt::format("{:08x}", random());
    return word;
}

json heard_json(const std::vector<Heard>& heard) {
    json list = json::array();
    for (const auto& one : heard) list.push_back({{"interface", one.interface}, {"mac", one.mac}});
    return list;
}

std::vector<Heard> heard_from(const json& answer) {
    std::vector<Heard> heard;
    try {
        for (const json& one : answer.at("heard")) heard.push_back({one.at("interface"), one.at("mac")});
    } catch (const json::exception& e) {
        throw Unreadable(fmt::format("what the far end heard is malformed: {}", e.what()));
    }
    return heard;
}

// A datagram to the discard port (RFC 863): it makes the kernel look for the neighbour, and needs no right of any kind.
void make_kernel_ask(const probe::Address& address, const std::string& interface) {
    const base::Fd socket(::socket(address.family(), SOCK_DGRAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0));
    const probe::Address discard = address.with_port(9);
    ::setsockopt(socket.get(), SOL_SOCKET, SO_BINDTODEVICE, interface.data(), static_cast<socklen_t>(interface.size()));
    static_cast<void>(::sendto(socket.get(), "", 0, MSG_NOSIGNAL, discard.get(), discard.size()));  // its failure shows as silence
}

// The MAC that answers for the address on this interface; "" where none does.
std::string neighbour_mac(const std::string& address_text, const std::string& interface_name) {
    const auto address = probe::Address::parse(address_text);
    if (!address) throw BadValue("'" + address_text + "' is no address");
    const probe::Interface interface = probe::interface(interface_name);
    make_kernel_ask(*address, interface.name);
    for (const auto until = std::chrono::steady_clock::now() + neighbour_patience; std::chrono::steady_clock::now() < until;) {
        const auto entry = probe::neighbour(*address, interface.index);
        if (entry && !entry->mac.empty() && entry->state != "failed" && entry->state != "incomplete") return entry->mac;
        std::this_thread::sleep_for(20ms);
    }
    return "";
}

WiringProof by_frames(Context& c, const EndState& here) {
    const std::string word = fresh_word();
    c.tell({{"want", "ears"}, {"word", word}});
    const std::string deaf = c.hear(answer_patience).value("deaf", "");
    if (!deaf.empty()) return {std::nullopt, fmt::format("on {}: {}", c.companion(), deaf)};
    const std::string problem = probe::hail(probe::interface(here.interface).index, word);
    const auto heard = heard_from(c.hear(answer_patience));
    if (!problem.empty()) return {std::nullopt, fmt::format("on {}: {}", here.machine, problem)};
    if (heard.empty()) return {std::nullopt, "three Ethernet frames (type 0x88b5) were sent, and arrived nowhere"};
    return {heard, "the wiring is proved by Ethernet frames (type 0x88b5)"};
}

WiringProof by_neighbour(Context& c, const EndState& here, const std::string& why) {
    if (!c.given("peer_address")) return {std::nullopt, why + "; and no peer_address is given to prove the wiring by"};
    const std::string mac = neighbour_mac(c.text("peer_address"), here.interface);
    if (mac.empty()) return {std::nullopt, fmt::format("{}; and nobody answers for {} on {}", why, c.text("peer_address"), here.interface)};
    c.tell({{"want", "owner"}, {"mac", mac}, {"own_mac", here.mac}});
    return {heard_from(c.hear(answer_patience)),
            fmt::format("{}; so the wiring is proved by the MAC that answers for {}: {}", why, c.text("peer_address"), mac)};
}

// A bridge or a bond over the planned interface, or one that is below it, heard the same frame by the same cable.
std::vector<Heard> heard_by(const std::vector<unsigned>& indices, const std::string& planned_name) {
    const auto world = system_world({});
    const Machine machine(*world);
    const Seen& planned = machine.find(planned_name);
    std::vector<Heard> heard;
    for (const unsigned index : indices) {
        const Seen* seen = machine.find(index);
        if (seen == nullptr || seen->interface.loopback) continue;
        const probe::Interface& told = one_family(machine, *seen, planned) ? planned.interface : seen->interface;
        const bool again = std::any_of(heard.begin(), heard.end(), [&](const Heard& one) { return one.interface == told.name; });
        if (!again) heard.push_back({told.name, told.mac});
    }
    return heard;
}

void lend_ears(Context& c, const json& question) {
    const std::string word = question.at("word");
    if (word.empty() || word.size() > longest_word) throw Unreadable("the far end asks to listen for a word of no use");
    probe::HailEar ear(word);
    c.tell({{"deaf", ear.problem()}});
    if (!ear.problem().empty()) return;
    c.tell({{"heard", heard_json(heard_by(ear.listen(ears_open), c.text("peer_interface")))}});
}

// Linux answers for an address of one interface on all others as well (arp_ignore, ip-sysctl): a MAC of another interface does not
// prove that the planned one is plugged in elsewhere.  If that one finds the asking end, it is on the same wire.
void tell_owner(Context& c, const json& question) {
    const std::string mac = question.at("mac"), own_mac = question.at("own_mac");
    const auto world = system_world({});
    const Machine machine(*world);
    const Seen& planned = machine.find(c.text("peer_interface"));
    std::vector<Heard> heard;
    for (const Seen& seen : machine.all())
        if (!seen.interface.loopback && seen.interface.mac == mac) heard.push_back({seen.interface.name, mac});
    if (heard.empty()) heard.push_back({"", mac});
    if (planned.interface.mac != mac && c.given("address") && neighbour_mac(c.text("address"), planned.interface.name) == own_mac)
        heard.push_back({planned.interface.name, planned.interface.mac});
    c.tell({{"heard", heard_json(heard)}});
}

}  // namespace

WiringProof prove_wiring(Context& c, const EndState& here, const EndState& there) {
    using Presence = EndState::Presence;
    if (here.presence != Presence::here || there.presence != Presence::here || !here.up || !there.up || !here.carrier) return {};
    if (!c.root().empty()) return {std::nullopt, "a captured tree sends nothing"};
    WiringProof proof = by_frames(c, here);
    return proof.heard ? proof : by_neighbour(c, here, proof.words);
}

bool answer_wiring(Context& c, const json& question) {
    const std::string want = question.value("want", "");
    if (want == "ears") lend_ears(c, question);
    if (want == "owner") tell_owner(c, question);
    return want == "ears" || want == "owner";
}

}  // namespace diag::link
