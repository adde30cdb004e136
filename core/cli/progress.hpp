// Tells on stderr what runs, for how long, and what is left: one line that is rewritten on a terminal, plain lines
// elsewhere.  Never on stdout.
#pragma once

#include <chrono>
#include <string>

namespace diag::cli {

class ProgressLine {
  public:
    // `left`: how many checks are planned.
    explicit ProgressLine(std::size_t left, bool verbose = false);
    ~ProgressLine() { clear(); }

    // A check begins; `row` "" where the checkpoint has one only.  Others may be running: then none of the rows is named.
    void begin(const std::string& checkpoint, const std::string& row, const std::string& check);
    // What the check says of itself, or "" as a sign of life.
    void tell(const std::string& line);
    void end();
    // Takes the line off the terminal before something else is printed.
    void clear();

  private:
    void draw();

    bool terminal_, verbose_;
    std::size_t left_, running_ = 0;
    bool drawn_ = false;
    std::string what_, said_;
    std::chrono::steady_clock::time_point since_{}, told_{};
};

}  // namespace diag::cli
