// For the record's tests: a folder that goes away, a small run to record, and children that may hurt themselves.
#pragma once

#include <sched.h>
#include <sys/mount.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <functional>
#include <iterator>
#include <stdexcept>
#include <string>

#include "catch.hpp"
#include "record/record.hpp"

namespace diag::record::test {

namespace fs = std::filesystem;

class TempFolder {
  public:
    TempFolder() {
        std::string name = (fs::temp_directory_path() / "diag-record-XXXXXX").string();
        if (::mkdtemp(name.data()) == nullptr) throw std::runtime_error("mkdtemp failed");
        path_ = name;
    }
    TempFolder(const TempFolder&) = delete;
    TempFolder& operator=(const TempFolder&) = delete;
    ~TempFolder() {
        std::error_code ignored;
        fs::remove_all(path_, ignored);
    }
    const fs::path& path() const { return path_; }

  private:
    fs::path path_;
};

inline std::string content(const fs::path& path) {
    std::ifstream in(path, std::ios::binary);
    return {std::istreambuf_iterator<char>(in), {}};
}

inline void put(const fs::path& path, const std::string& text) { std::ofstream(path, std::ios::binary | std::ios::trunc) << text; }

inline json run_event() {
    return {{"event", "run"}, {"runbook", {{"name", "bringup"}, {"text", "runbook: bringup\n"}}}, {"site", nullptr}};
}

inline json verdict_event(const EvidencePlace& place, const StoredEvidence& evidence) {
    return {{"event", "verdict"},       {"checkpoint", place.checkpoint},
            {"attempt", place.attempt}, {"row", place.row},
            {"check", place.check},     {"outcome", "pass"},
            {"seconds", 0.25},          {"evidence", json::array({to_json(evidence)})}};
}

// What `action` throws, "" where it throws nothing.
inline std::string error_of(const std::function<void()>& action) {
    try {
        action();
        return "";
    } catch (const RecordError& e) {
        return e.what();
    }
}

// Thrown inside a child by must().
struct Unmet : std::runtime_error {
    using std::runtime_error::runtime_error;
};
inline void must(bool holds, const std::string& what) {
    if (!holds) throw Unmet("not so: " + what);
}

// Runs `body` in a child process; returns what it complained of, "" where all was well.
inline std::string in_child(const std::function<void()>& body) {
    int ends[2];
    if (::pipe(ends) != 0) throw std::runtime_error("pipe failed");
    const pid_t child = ::fork();
    if (child == 0) {
        ::close(ends[0]);
        std::string complaint = "ok";
        try {
            body();
        } catch (const std::exception& e) {
            complaint = e.what();
        }
        const bool told = ::write(ends[1], complaint.data(), complaint.size()) == static_cast<ssize_t>(complaint.size());
        ::_exit(told ? 0 : 1);
    }
    ::close(ends[1]);
    std::string said;
    char buffer[4096];
    for (ssize_t n = 0; (n = ::read(ends[0], buffer, sizeof buffer)) > 0;) said.append(buffer, static_cast<std::size_t>(n));
    ::close(ends[0]);
    ::waitpid(child, nullptr, 0);
    return said == "ok" ? "" : said.empty() ? "the child died" : said;
}

// Runs `body` in a child with mounts of its own; false where this account may not make such a child.
inline bool with_own_mounts(const std::function<void()>& body, std::string& complaint) {
    complaint = in_child([&] {
        must(::unshare(CLONE_NEWNS) == 0, "allowed to unshare mounts");
        must(::mount("none", "/", nullptr, MS_REC | MS_PRIVATE, nullptr) == 0, "allowed to make mounts private");
        body();
    });
    return complaint.find("allowed to") == std::string::npos;
}

}  // namespace diag::record::test
