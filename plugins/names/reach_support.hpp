// For the tests of names.reach: questions, and what comes back for them.
#pragma once

#include <chrono>
#include <cstdint>
#include <string>
#include <vector>

#include "catch.hpp"
#include "fake_world.hpp"
#include "reach_judge.hpp"

namespace reach_test {

using namespace diag;
using namespace diag::names;
using namespace std::chrono_literals;
using probe::EchoAnswer;
using Kind = EchoAnswer::Kind;

inline constexpr const char* peer = "10.10.0.2";

inline ReachQuestion to(const std::string& address, const std::string& interface = "wire") {
    ReachQuestion question;
    question.address = address;
    question.plan.interface = interface;
    return question;
}

inline EchoAnswer reply(unsigned sequence, std::chrono::nanoseconds time = 100us) {
    EchoAnswer answer;
    answer.sequence = static_cast<std::uint16_t>(sequence);
    answer.round_trip = time;
    return answer;
}
inline EchoAnswer error(unsigned type, unsigned code, const std::string& sender) {
    EchoAnswer answer = reply(1);
    answer.kind = Kind::icmp_error;
    answer.type = static_cast<std::uint8_t>(type);
    answer.code = static_cast<std::uint8_t>(code);
    answer.sender = at(sender);
    return answer;
}
inline EchoAnswer refused(int number) {
    EchoAnswer answer = reply(1);
    answer.kind = Kind::local_error;
    answer.error = number;
    return answer;
}
inline std::vector<EchoAnswer> replies(unsigned count) {
    std::vector<EchoAnswer> all;
    for (unsigned i = 1; i <= count; ++i) all.push_back(reply(i, i * 100us));
    return all;
}
inline double reading(const Finding& finding, const std::string& name) {
    for (const auto& r : finding.readings)
        if (r.name == name) return r.value;
    FAIL("no reading " << name);
    return -1;
}
inline std::string cause(const std::vector<EchoAnswer>& answers, FakeWorld world = {}, const std::string& address = peer) {
    world.answers[address] = answers;
    return judge_reach(to(address), world).verdict.cause;
}
inline std::vector<EchoAnswer> replies_to(const std::vector<unsigned>& sequences) {
    std::vector<EchoAnswer> all;
    for (const unsigned sequence : sequences) all.push_back(reply(sequence));
    return all;
}

}  // namespace reach_test
