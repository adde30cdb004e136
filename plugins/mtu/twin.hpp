// The network in memory, for tests: a path of known size that loses packets at random, with or without routers.
#pragma once

#include <algorithm>
#include <cstdint>
#include <random>
#include <vector>

#include "prober.hpp"

namespace mtu {

struct Twin : Prober {
    std::int64_t mtu = 1500;       // bytes that pass there and back
    double loss = 0;               // chance that a probe or its answer is lost
    std::int64_t says = -1;        // MTU that a router names for larger ones; 0: none; -1: no router speaks
    std::int64_t return_mtu = 0;   // replies above it come in fragments; 0: whole
    int routers = 0;               // on the path
    int narrow_behind = 0;         // the router in front of the narrow link; 0: it is the first link
    bool answers = true;           // the destination is there
    double per_second = 0;         // echo that the destination answers, by a bucket; 0: all
    double tokens = 0, burst = 0;  // answers in the bucket, and the most it holds
    std::mt19937 random{42};       // the same losses in every run
    std::size_t sent = 0, volleys = 0, rests = 0;

    std::vector<Outcome> volley(const std::vector<Probe>& probes) override {
        ++volleys;
        std::vector<Outcome> outcomes;
        bool waits = false;
        for (const auto& probe : probes) {
            pass_time(0.0001);
            outcomes.push_back(one(probe));
            waits = waits || outcomes.back().kind == Kind::lost;
        }
        if (waits) pass_time(0.1);
        return outcomes;
    }

    void rest() override {
        ++rests;
        pass_time(1.05);
    }

  private:
    void pass_time(double seconds) { tokens = std::min(burst, tokens + seconds * per_second); }
    // Whether the limit lets one more echo in.
    bool allowed() {
        if (per_second == 0) return true;
        if (tokens < 1) return false;
        tokens -= 1;
        return true;
    }
    Outcome one(const Probe& probe) {
        ++sent;
        Outcome o;
        o.probe = probe;
        if (std::uniform_real_distribution<>(0, 1)(random) < loss) return o;
        const int limit = probe.hop_limit == 0 ? 64 : probe.hop_limit;
        const bool stopped = probe.bytes > mtu && limit > narrow_behind;  // a router looks at the hop limit first
        o.milliseconds = 0.1;
        if (stopped && says >= 0) {
            o.kind = Kind::too_big;
            o.sender = "10.0.0.254";
            o.said = says;
        } else if (!stopped && limit <= routers) {
            o.kind = Kind::expired;
            o.sender = "10.0." + std::to_string(limit) + ".1";
        } else if (!stopped && answers && allowed()) {
            o.kind = Kind::reply;
            o.sender = "10.0.9.9";
            if (return_mtu > 0 && probe.bytes > return_mtu) o.fragment = return_mtu;
        }
        return o;
    }
};

}  // namespace mtu
