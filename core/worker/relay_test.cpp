#include "worker/relay.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <array>
#include <optional>

#include "base/file.hpp"
#include "catch.hpp"
#include "worker/frame.hpp"

using namespace diag;
using namespace diag::worker;

namespace {

struct Pipe {
    base::Fd read, write;
    Pipe() {
        std::array<int, 2> ends{};
        if (::pipe2(ends.data(), O_CLOEXEC) != 0) base::throw_errno("pipe");
        read.reset(ends[0]);
        write.reset(ends[1]);
    }
    void say(std::string_view text) const { base::write_all(write.get(), text, "pipe"); }
};

struct Wires {
    Pipe channel, out, err, host;
    Limits limits{.output = 10, .events = 3, .line = 20, .channel = 50};
    Outbox outbox{host.write.get()};
    std::optional<Relay> relay;

    Wires() {
        outbox.nonce("0123456789abcdef");
        relay.emplace(1, limits, outbox, std::move(channel.read), std::move(out.read), std::move(err.read));
    }
    // "L:text O:text ..." of all frames so far.
    std::string passed() {
        if (!outbox.flush()) return "the host is gone";
        host.write.reset();
        FrameReader reader("0123456789abcdef");
        std::array<char, 4096> buffer;
        const ssize_t n = ::read(host.read.get(), buffer.data(), buffer.size());
        reader.feed({buffer.data(), static_cast<std::size_t>(n)});
        std::string text;
        while (const auto frame = reader.next()) text += (text.empty() ? "" : " ") + std::string(1, frame->kind) + ":" + frame->payload;
        return text;
    }
};

}  // namespace

TEST_CASE("lines are passed on whole, output as it comes, and a last line without its end too") {
    Wires w;
    w.channel.say("one\ntwo\nthr");
    w.out.say("out");
    w.err.say("err");
    w.relay->drain();
    CHECK(w.passed() == "L:one L:two O:out E:err L:thr");
    CHECK(w.relay->exceeded().empty());
}

TEST_CASE("output is kept up to its limit, counted over both streams") {
    Wires w;
    w.out.say("12345678");
    w.err.say("12345678");
    w.relay->drain();
    CHECK(w.passed() == "O:12345678 E:12");
    CHECK(w.relay->exceeded() == "output");
}

TEST_CASE("lines are bounded in number, length and sum; what came within the bounds is kept") {
    Wires w;
    SECTION("number") {
        w.channel.say("1\n2\n3\n4\n");
        w.relay->drain();
        CHECK(w.passed() == "L:1 L:2 L:3");
        CHECK(w.relay->excess() == "more than 3 events");
    }
    SECTION("length of a whole line") {
        w.channel.say("short\n" + std::string(21, 'x') + "\n");
        w.relay->drain();
        CHECK(w.passed() == "L:short");
        CHECK(w.relay->excess() == "event 2 has 21 bytes, and at most 20 are taken: " + std::string(21, 'x') + "...");
    }
    SECTION("length of a line that never ends") {
        w.channel.say("short\n" + std::string(21, 'x'));
        w.relay->drain();
        CHECK(w.passed() == "L:short");
        CHECK(w.relay->excess() == "event 2 has more than 20 bytes, and at most 20 are taken: " + std::string(21, 'x') + "...");
    }
    SECTION("sum") {
        w.channel.say(std::string(20, 'x') + "\n" + std::string(20, 'y') + "\n" + std::string(10, 'z'));
        w.relay->drain();
        CHECK(w.passed() == "L:" + std::string(20, 'x') + " L:" + std::string(20, 'y'));
        CHECK(w.relay->excess() == "more than 50 bytes of events");
    }
    CHECK(w.relay->exceeded() == "events");
}

TEST_CASE("a stream that has ended is watched no more") {
    Wires w;
    std::vector<pollfd> polls;
    w.relay->add_polls(polls);
    CHECK(polls.size() == 3);
    w.out.write.reset();
    for (const auto& p : polls) w.relay->on_ready(p.fd);
    polls.clear();
    w.relay->add_polls(polls);
    CHECK(polls.size() == 2);
}
