#include "worker/frame.hpp"

#include <stdexcept>
#include <vector>

#include "catch.hpp"

using namespace diag::worker;

namespace {

const std::string nonce = "0123456789abcdef";

std::vector<Frame> all(FrameReader& reader) {
    std::vector<Frame> frames;
    while (auto frame = reader.next()) frames.push_back(std::move(*frame));
    return frames;
}

}  // namespace

TEST_CASE("frames come out as they went in, whatever bytes they carry and however they are cut") {
    const std::string awkward =
        "\x1e"
        "diag " +
        nonce + " L 1 3\nabc\n" + std::string(1, '\0') + "\xff";
    const std::string stream =
        encode(nonce, {'L', 7, awkward}) + encode(nonce, {'H', 0, ""}) + encode(nonce, {'O', 18446744073709551615U, "x"});
    for (std::size_t cut = 0; cut <= stream.size(); ++cut) {
        FrameReader reader(nonce);
        reader.feed(stream.substr(0, cut));
        auto frames = all(reader);
        reader.feed(stream.substr(cut));
        for (auto& frame : all(reader)) frames.push_back(std::move(frame));
        REQUIRE(frames.size() == 3);
        CHECK(frames[0].payload == awkward);
        CHECK(frames[1].kind == 'H');
        CHECK(frames[2].id == 18446744073709551615U);
        CHECK(reader.take_noise().empty());
    }
}

TEST_CASE("a login shell's noise around frames is handed out, and loses no frame") {
    FrameReader reader(nonce);
    reader.feed("Welcome!\n" + encode(nonce, {'J', 1, "{}"}) + "tput: \x1e unknown terminal\n" + encode(nonce, {'J', 2, "{}"}) + "bye");
    CHECK(all(reader).size() == 2);
    CHECK(reader.take_noise() == "Welcome!\ntput: \x1e unknown terminal\nbye");
    CHECK(reader.take_noise().empty());
}

TEST_CASE("a frame with another nonce is noise, so that nobody can speak for the worker") {
    FrameReader reader(nonce);
    const std::string forged = encode("ffffffffffffffff", {'J', 1, "{}"});
    reader.feed(forged + encode(nonce, {'J', 2, "{}"}));
    const auto frames = all(reader);
    REQUIRE(frames.size() == 1);
    CHECK(frames[0].id == 2);
    CHECK(reader.take_noise() == forged);
}

TEST_CASE("a worker takes the nonce of the first frame, and then only that") {
    FrameReader reader;
    reader.feed("motd\n" + encode(nonce, {'R', 1, "{}"}) + encode("ffffffffffffffff", {'R', 2, "{}"}));
    CHECK(all(reader).size() == 1);
    CHECK(reader.nonce() == nonce);
}

TEST_CASE("a header that lies is noise, and what follows is still read") {
    const std::string good = encode(nonce, {'J', 9, "{}"});
    const std::string start =
        "\x1e"
        "diag " +
        nonce;
    for (const std::string& bad : std::vector<std::string>{start + " J 1 2\n{}x", start + " J 1 99999999999\n", start + " J one 2\n{}\n",
                                                           start + " J 1 -1\n\n", start + "\n", start + " J 1 2 3\n{}\n", "\x1e\x1e\x1e",
                                                           "\x1e"
                                                           "diag XYZ3456789abcdef J 1 0\n\n"}) {
        INFO(bad);
        FrameReader reader(nonce);
        reader.feed(bad + good);
        const auto frames = all(reader);
        REQUIRE(frames.size() == 1);
        CHECK(frames[0].id == 9);
    }
}

TEST_CASE("endless noise takes no endless memory, and a payload has a bound") {
    FrameReader reader(nonce);
    for (int i = 0; i < 100; ++i) {
        reader.feed(std::string(65536, 'x'));
        CHECK_FALSE(reader.next());
    }
    CHECK(reader.take_noise().size() == 65536);
    CHECK_THROWS_AS(encode(nonce, {'L', 1, std::string(max_payload + 1, 'x')}), std::length_error);
}
