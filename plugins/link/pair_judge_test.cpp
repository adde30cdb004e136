#include "pair_judge.hpp"

#include <diag/verdict.hpp>

#include "catch.hpp"
#include "pair_causes.hpp"
#include "probe/testing_tree.hpp"

namespace pair_judge_test {

using namespace diag;
using namespace diag::link;
using probe::FecMode;

namespace {

EndState end_of(const std::string& machine) {
    EndState end{.machine = machine, .interface = "eth1"};
    end.mac = machine == "node-a" ? "02:00:00:00:00:0a" : "02:00:00:00:00:0b";
    end.speed.value = Rate{100'000'000'000};
    end.duplex.value = "full";
    end.autonegotiation.value = true;
    end.mtu.value = 9000;
    end.fec = FecMode::rs;
    return end;
}

// Two ends that agree, heard as planned; each test changes what it is about.
PairQuestion sound() { return {end_of("node-a"), end_of("node-b"), {}, std::vector<Heard>{{"eth1", "02:00:00:00:00:0b"}}}; }

Verdict judged(const PairQuestion& question) { return judge_pair(question).verdict; }

std::string cause(const PairQuestion& question) { return judged(question).cause; }

}  // namespace

TEST_CASE("two ends that agree pass, and it is said in what") {
    const auto finding = judge_pair(sound());
    CHECK(finding.verdict.outcome == Outcome::pass);
    CHECK(finding.verdict.reason ==
          "node-a eth1 and node-b eth1 agree: FEC rs, 100 Gbit/s, full duplex, autonegotiation on, MTU 9000; node-b eth1 answers on "
          "node-a eth1");
    CHECK_THAT(finding.saw, ContainsSubstring("both FEC rs"));
}

TEST_CASE("different FEC is a cause, with carrier or without; the end that departs from the plan has to move") {
    auto question = sound();
    question.there.fec = FecMode::baser;
    CHECK(cause(question) == "link.fec-differs");
    CHECK_THAT(judged(question).reason, ContainsSubstring("FEC rs on node-a eth1, baser on node-b eth1; the site file does not plan it"));
    question.here.carrier = question.there.carrier = false;
    question.plan.fec = FecMode::rs;
    const Verdict verdict = judged(question);
    CHECK(verdict.cause == "link.fec-differs");
    CHECK_THAT(verdict.reason, ContainsSubstring("rs is planned, so node-b eth1 has to move") && ContainsSubstring("no carrier"));
    CHECK(verdict.values["machine"] == "node-b");
    CHECK(verdict.values["wanted"] == "rs");
    question.here.fec = FecMode::off;
    CHECK_THAT(judged(question).reason, ContainsSubstring("node-a eth1 has to move and node-b eth1 too"));
}

TEST_CASE("a FEC that the driver does not have, does not tell, or chooses by itself is no off and no difference, and is said") {
    for (const auto mode : {FecMode::unsupported, FecMode::unreadable, FecMode::automatic})
        for (const auto other : {FecMode::off, FecMode::rs, FecMode::unsupported}) {
            auto question = sound();
            question.here.fec = other;
            question.there.fec = mode;
            const auto finding = judge_pair(question);
            CHECK(finding.verdict.outcome == Outcome::pass);
            CHECK_THAT(finding.verdict.reason, ContainsSubstring("; not compared: FEC"));
            CHECK_THAT(finding.saw, ContainsSubstring("not compared: FEC;"));
            CHECK_THAT(finding.evidence, ContainsSubstring("FEC is not compared: ") &&
                                             ContainsSubstring(mode == other ? "unsupported, at both ends" : "node-b eth1: "));
        }
    auto question = sound();
    question.there.fec = FecMode::unsupported;
    question.here.carrier = question.there.carrier = false;
    CHECK(cause(question) == "link.end-no-carrier");
    CHECK_THAT(judged(question).reason, ContainsSubstring("FEC rs on node-a eth1, and unsupported on node-b eth1, may not be the same"));
    question.here.fec = FecMode::unsupported;
    CHECK_THAT(judged(question).reason, !ContainsSubstring("FEC"));
}

TEST_CASE("different speeds are a cause where one is below the plan; both above it are a switch's business") {
    auto question = sound();
    question.there.speed.value = Rate{10'000'000'000};
    CHECK(cause(question) == "link.speed-differs");
    CHECK(judged(question).outcome == Outcome::warn);
    question.plan.speed = Rate{100'000'000'000};
    CHECK(judged(question).outcome == Outcome::fail);
    CHECK_THAT(judged(question).reason, ContainsSubstring("speed 100 Gbit/s on node-a eth1, 10 Gbit/s on node-b eth1") &&
                                            ContainsSubstring("node-b eth1 has to move"));
    question.plan.speed = Rate{10'000'000'000};
    CHECK(judged(question).outcome == Outcome::pass);
    CHECK_THAT(judged(question).reason, ContainsSubstring("10 Gbit/s are planned"));
}

TEST_CASE("a virtual interface's speed is not compared, and a stale one without carrier is not either") {
    auto question = sound();
    for (auto* end : {&question.here, &question.there}) {
        end->kind = "veth";
        end->speed = {.none = true, .why = "a veth interface reports an invented one"};
        end->duplex = end->speed.none ? Told<std::string>{.none = true, .why = "a veth interface has none of its own"} : end->duplex;
        end->fec = FecMode::unsupported;
    }
    question.plan.speed = Rate{200'000'000'000};
    CHECK(judged(question).outcome == Outcome::pass);
    CHECK_THAT(judge_pair(question).saw, ContainsSubstring("not compared: FEC, speed and duplex"));
    CHECK_THAT(judged(question).reason, ContainsSubstring("; not compared: FEC, speed and duplex"));
    CHECK_THAT(judged(sound()).reason, !ContainsSubstring("not compared"));
    CHECK_THAT(judge_pair(question).evidence,
               ContainsSubstring("speed is not compared: a veth interface reports an invented one, at both ends"));
    auto stale = sound();
    stale.there.carrier = false;
    stale.there.speed.value = Rate{10'000'000'000};
    stale.there.duplex.value = "half";
    CHECK(cause(stale) == "link.end-no-carrier");
    CHECK(judged(stale).values["machine"] == "node-b");
}

TEST_CASE("half duplex at one end names that end; at both it is no difference") {
    auto question = sound();
    question.there.duplex.value = "half";
    question.there.autonegotiation.value = false;
    const Verdict verdict = judged(question);
    CHECK(verdict.cause == "link.duplex-differs");
    CHECK(verdict.values["machine"] == "node-b");
    CHECK_THAT(verdict.reason, ContainsSubstring("also autonegotiation on on node-a eth1, off on node-b eth1"));
    question.here.duplex.value = "half";
    CHECK(cause(question) == "link.autoneg-differs");
    question.there.autonegotiation.value = true;
    CHECK(judged(question).outcome == Outcome::pass);
}

TEST_CASE("autonegotiation at one end alone is a warning on a link that works, and the cause of one that does not") {
    auto question = sound();
    question.here.autonegotiation.value = false;
    question.plan.autonegotiation = true;
    CHECK(cause(question) == "link.autoneg-differs");
    CHECK(judged(question).outcome == Outcome::warn);
    CHECK(judged(question).values["machine"] == "node-a");
    CHECK(judged(question).values["wanted"] == "on");
    question.here.carrier = false;
    CHECK(judged(question).outcome == Outcome::fail);
    question.here.carrier = true;
    question.here.autonegotiation = {.none = true, .why = "the driver has no link settings"};
    CHECK(judged(question).outcome == Outcome::pass);
}

TEST_CASE("different MTUs are a cause: the plan says whose, and without one the larger is suggested to whoever is meant") {
    auto question = sound();
    question.there.mtu.value = 1500;
    Verdict verdict = judged(question);
    CHECK(verdict.cause == "link.mtu-differs");
    CHECK(verdict.values["machine"] == "node-a/node-b");
    CHECK(verdict.values["wanted"] == "9000");
    question.plan.mtu = 1500;
    verdict = judged(question);
    CHECK(verdict.values["machine"] == "node-a");
    CHECK(verdict.values["wanted"] == "1500");
    question.there.mtu.value = 9000;
    CHECK(judged(question).outcome == Outcome::pass);  // both against the plan: mtu.interface says that
    question.there.mtu.value = 9216;
    CHECK(cause(question) == "link.mtu-differs");
    CHECK(judged(question).outcome == Outcome::warn);  // neither is below the plan
    question.there.mtu.value = 1500;
    question.here.carrier = false;  // an MTU keeps no link from coming up
    CHECK(cause(question) == "link.end-no-carrier");
    CHECK_THAT(judged(question).reason, ContainsSubstring("also MTU 9000 bytes on node-a eth1, 1500 bytes on node-b eth1"));
}

TEST_CASE("an end that is absent, one that is switched off, and one that cannot be read are three answers") {
    auto question = sound();
    question.there.presence = EndState::Presence::absent;
    question.there.why = "no interface 'eth1' here";
    CHECK(cause(question) == "link.end-absent");
    CHECK(judged(question).values["machine"] == "node-b");
    question.there.presence = EndState::Presence::unreadable;
    CHECK_THROWS_AS(judged(question), Unknown);
    question = sound();
    question.there.up = question.there.carrier = question.here.carrier = false;
    question.there.fec = FecMode::off;
    CHECK(cause(question) == "link.end-down");
    CHECK(judged(question).values["machine"] == "node-b");
}

TEST_CASE("another interface that answers in place of the planned one is the wiring, before anything is compared") {
    auto question = sound();
    question.heard = std::vector<Heard>{{"eth2", "02:00:00:00:00:2b"}};
    question.there.mtu.value = 1500;
    const Verdict verdict = judged(question);
    CHECK(verdict.cause == "link.wired-elsewhere");
    CHECK(verdict.values["found"] == "eth2");
    CHECK_THAT(verdict.reason, ContainsSubstring("eth2 of node-b answers on node-a eth1, and eth1 does not"));
    question.there.carrier = false;
    CHECK_THAT(judged(question).reason, ContainsSubstring("eth1 does not: it has no carrier"));
    question.there.up = false;  // switched off, it could not hear its own cable
    CHECK(cause(question) == "link.end-down");
}

TEST_CASE("the wiring matches by name or by MAC, also where others share the switch; silence and strangers prove nothing") {
    const auto wiring = [](const std::optional<std::vector<Heard>>& heard) {
        return judge_wiring(end_of("node-a"), end_of("node-b"), heard);
    };
    CHECK(wiring(std::vector<Heard>{{"bond0", "02:00:00:00:00:0b"}}).wiring == Wiring::match);
    CHECK(wiring(std::vector<Heard>{{"", "02:00:00:00:00:0b"}}).wiring == Wiring::match);
    const auto shared = wiring(std::vector<Heard>{{"eth2", "02:00:00:00:00:2b"}, {"eth1", "02:00:00:00:00:0b"}});
    CHECK(shared.wiring == Wiring::match);
    CHECK_THAT(shared.words, ContainsSubstring("and so does eth2"));
    const auto stranger = wiring(std::vector<Heard>{{"", "02:00:00:00:00:ff"}});
    CHECK(stranger.wiring == Wiring::unknown);
    CHECK_THAT(stranger.words, ContainsSubstring("02:00:00:00:00:ff is heard on node-a eth1"));
    CHECK(wiring(std::vector<Heard>{}).wiring == Wiring::unknown);
    CHECK_THAT(wiring(std::vector<Heard>{}).words, ContainsSubstring("nothing of node-b is heard"));
    CHECK_THAT(wiring(std::nullopt).words, ContainsSubstring("nobody listened"));
    auto question = sound();
    question.heard = std::vector<Heard>{};
    CHECK(judged(question).outcome == Outcome::pass);
    CHECK_THAT(judged(question).reason, ContainsSubstring("the wiring is not proved"));
    question.here.mac = question.there.mac = "";
    question.heard = std::vector<Heard>{{"eth2", ""}};
    CHECK(cause(question) == "link.wired-elsewhere");
}

TEST_CASE("an end travels to the other machine and back, and one that is malformed is unreadable") {
    auto end = end_of("node-a");
    end.speed = {.none = true, .why = "invented"};
    end.fec = FecMode::unsupported;
    end.presence = EndState::Presence::absent;
    const json document = to_json(end);
    CHECK(to_json(end_from(document)) == document);
    for (const char* key : {"machine", "speed", "fec", "carrier"}) {
        json broken = document;
        broken.erase(key);
        CHECK_THROWS_AS(end_from(broken), Unreadable);
        broken[key] = 17;
        CHECK_THROWS_AS(end_from(broken), Unreadable);
    }
    CHECK_THROWS_AS(end_from("text"), Unreadable);
}

TEST_CASE("an end is read from a captured tree: 100 Gbit/s with FEC at one machine, without at the other") {
    probe::testing::Tree tree;
    tree.interface("eth1", "pci0000:00/0000:01:00.0", {{"speed", "100000"}, {"duplex", "full"}, {"mtu", "9000"}});
    tree.device("pci0000:00/0000:01:00.0", "pci", "mlx5_core");
    tree.file("/ethtool/eth1", "Settings for eth1:\n\tAuto-negotiation: off\n\tDuplex: Full");
    tree.file("/ethtool/eth1.fec", "Configured FEC encodings: Off\nActive FEC encoding: Off");
    const EndState end = see_end(tree.root(), "node-a", "eth1");
    INFO(end.why);
    CHECK(end.presence == EndState::Presence::here);
    CHECK(end.speed.value == Rate{100'000'000'000});
    CHECK(end.duplex.value == "full");
    CHECK(end.autonegotiation.value == false);
    CHECK(end.mtu.value == 9000);
    CHECK(end.fec == FecMode::off);
    CHECK(see_end(tree.root(), "node-a", "eth7").presence == EndState::Presence::absent);
    auto question = sound();
    question.here = end;
    CHECK(cause(question) == "link.fec-differs");
}

TEST_CASE("both ends with one MAC are no agreement, though broadcast is heard; a router's shared MAC is meant") {
    auto question = sound();
    question.there.mac = question.here.mac;
    for (const auto& heard : {std::vector<Heard>{}, std::vector<Heard>{{"eth1", question.there.mac}}}) {
        question.heard = heard;
        CHECK(judged(question).outcome == Outcome::fail);
        CHECK(cause(question) == "link.mac-twice");
        CHECK(judged(question).reason == "node-a eth1 and node-b eth1 have one MAC, 02:00:00:00:00:0a");
        CHECK(judged(question).values["mac"] == "02:00:00:00:00:0a");
    }
    for (const char* shared : {"00:00:5e:00:01:07", ""}) {
        question.here.mac = question.there.mac = shared;
        CHECK(cause(question).empty());
    }
}

TEST_CASE("every cause that the judge names is declared") {
    Check check("pair", "", {});
    declare_pair_causes(check);
    std::string declared;
    for (const auto& one : check.entry()["causes"]) declared += one["code"].get<std::string>() + " ";
    for (const char* code : {"link.end-absent", "link.end-down", "link.end-no-carrier", "link.wired-elsewhere", "link.fec-differs",
                             "link.speed-differs", "link.duplex-differs", "link.autoneg-differs", "link.mtu-differs", "link.mac-twice"})
        CHECK_THAT(declared, ContainsSubstring(code));
}

}  // namespace pair_judge_test
