// Tells on stderr what runs, for how long, and what is left: one line that is rewritten on a terminal, plain lines
// elsewhere.  Never on stdout.
#pragma once

#include <chrono>
#include <cstddef>
#include <string>
#include <vector>

namespace diag::cli {

class ProgressLine {
  public:
    // A checkpoint that will run, and how many checks it has.
    struct Stage {
        std::string checkpoint;
        std::size_t checks = 0;
    };

    // `stages`: the whole run, in order; empty: a single check, after which nothing is left.
    explicit ProgressLine(std::vector<Stage> stages, bool verbose = false);
    ~ProgressLine() { clear(); }

    // A check begins; `row` "" where the checkpoint has one only.  Others may be running: then none of the rows is named.
    void begin(const std::string& checkpoint, const std::string& row, const std::string& check);
    // What the check says of itself, or "" as a sign of life.
    void tell(const std::string& line);
    void end();
    // Takes the line off the terminal before something else is printed.
    void clear();

  private:
    void enter(const std::string& checkpoint);
    std::size_t checks_left() const;  // a row that stops at a failure has fewer than were planned: this many at most
    std::string place() const;        // ", checkpoint 2 of 6, 14 checks left"
    void draw();

    std::vector<Stage> stages_;
    std::size_t at_ = 0, ended_ = 0, running_ = 0;  // where in `stages_`, and how many of its checks
    bool terminal_, verbose_;
    bool drawn_ = false;
    std::string what_, said_;
    std::chrono::steady_clock::time_point since_{}, told_{};
};

}  // namespace diag::cli
