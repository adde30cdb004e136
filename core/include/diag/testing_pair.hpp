// Runs both halves of a check inside a test, without a host: ask_pair(*diag_plugin_v1(), "bulk", {{"seconds", 1}}).
// Each half runs in a process of its own, as it would on its machine; what they say to each other is carried between them.
#pragma once

#include <poll.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <functional>
#include <stdexcept>
#include <string>
#include <utility>

#include <diag/testing.hpp>

namespace diag::testing {

struct PairAnswer {
    Answer here, there;
};

namespace detail {

struct HalfProcess {
    int channel = -1;
    pid_t pid = -1;
    std::string buffer;
    Answer answer;

    void start(const diag_abi& abi, const std::string& request, const std::function<void()>& first) {
        std::array<int, 2> ends{};
        if (::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends.data()) != 0) throw std::runtime_error("socketpair failed");
        channel = ends[0];
        pid = ::fork();
        if (pid < 0) throw std::runtime_error("fork failed");
        if (pid == 0) {
            ::close(ends[0]);
            if (first) first();
            ::_exit(abi.run(request.c_str(), ends[1]));
        }
        ::close(ends[1]);
    }
    void say(const json& line) const {
        const std::string text = line.dump() + "\n";
        if (channel >= 0)
            static_cast<void>(::send(channel, text.data(), text.size(), MSG_NOSIGNAL));  // a half that has ended hears nothing
    }
    // Takes what has come; lines for the other half go to it.
    void take(const HalfProcess& other) {
        std::array<char, 65536> bytes;
        const ssize_t n = ::recv(channel, bytes.data(), bytes.size(), 0);
        if (n <= 0) {
            ::close(channel);
            channel = -1;
            ::waitpid(pid, nullptr, 0);
            return other.say({{"event", "alone"}, {"why", "the other half has ended"}});
        }
        buffer.append(bytes.data(), static_cast<std::size_t>(n));
        for (std::size_t end = 0; (end = buffer.find('\n')) != std::string::npos; buffer.erase(0, end + 1)) {
            const json event = json::parse(buffer.substr(0, end));
            if (event["event"] == "tell")
                other.say({{"event", "told"}, {"message", event["message"]}});
            else
                answer.take(event);
        }
    }
};

}  // namespace detail

// Waits until both have ended.  `go_there` is called first in the process of the half there: to enter its network, say.
inline PairAnswer ask_pair(const diag_abi& abi, const std::string& check, json params = json::object(),
                           const std::function<void()>& go_there = {}, const std::string& root = "") {
    const json catalogue = json::parse(abi.describe());
    params = whole_params(catalogue, check, std::move(params));
    const auto request = [&](const char* half, const char* machine, const char* companion) {
        return json{{"check", check}, {"params", params}, {"root", root}, {"half", half}, {"machine", machine}, {"companion", companion}}
            .dump();
    };
    detail::HalfProcess here, there;
    here.start(abi, request("here", "node-a", "node-b"), {});
    there.start(abi, request("there", "node-b", "node-a"), go_there);
    here.say({{"event", "begin"}});
    there.say({{"event", "begin"}});
    while (here.channel >= 0 || there.channel >= 0) {
        std::array<pollfd, 2> polls{{{here.channel, POLLIN, 0}, {there.channel, POLLIN, 0}}};
        if (::poll(polls.data(), polls.size(), 1000) < 0) continue;
        if (polls[0].revents != 0) here.take(there);
        if (polls[1].revents != 0) there.take(here);
    }
    for (detail::HalfProcess* half : {&here, &there}) half->answer.judge(catalogue, check);
    return {here.answer, there.answer};
}

}  // namespace diag::testing
