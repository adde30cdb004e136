#include "worker/request.hpp"

#include <stdexcept>

#include "catch.hpp"

using namespace diag::worker;

TEST_CASE("a job is read with its limits, and what is not given has a default") {
    const JobRequest job = read_job({{"op", "run"},
                                     {"id", 4},
                                     {"file", "/x.so"},
                                     {"request", {{"check", "c"}}},
                                     {"deadline", 2.5},
                                     {"needs", {"root"}},
                                     {"limits", {{"events", 3}}}});
    CHECK(job.id == 4);
    CHECK_FALSE(job.describe);
    CHECK(job.request == R"({"check":"c"})");
    CHECK(job.needs == std::vector<std::string>{"root"});
    CHECK(job.limits.events == 3);
    CHECK(job.limits.memory == Limits{}.memory);
    CHECK(read_job({{"op", "describe"}, {"id", 1}, {"file", "/x.so"}}).describe);
}

TEST_CASE("a wrong request is refused, not guessed at") {
    const json sound = {{"op", "run"}, {"id", 4}, {"file", "/x.so"}, {"request", json::object()}};
    CHECK_NOTHROW(read_job(sound));
    for (const char* key : {"op", "id", "file", "request"}) {
        json lacking = sound;
        lacking.erase(key);
        CHECK_THROWS_AS(read_job(lacking), json::out_of_range);
    }
    const auto with = [&](const char* key, json value) {
        json message = sound;
        message[key] = std::move(value);
        return message;
    };
    CHECK_THROWS_AS(read_job(with("op", "dance")), std::runtime_error);
    CHECK_THROWS_AS(read_job(with("deadline", 0)), std::runtime_error);
    CHECK_THROWS_AS(read_job(with("limits", {{"memroy", 1}})), std::runtime_error);
    CHECK_THROWS_AS(read_job(with("file", 1)), json::type_error);
}
