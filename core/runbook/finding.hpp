// Where something stands in a file, and what is wrong there.  RunbookError carries every finding of one reading.
#pragma once

#include <memory>
#include <stdexcept>
#include <string>
#include <vector>

namespace diag::runbook {

// A place in a file; line and column count from 1, columns in characters.  Line 0: the file as a whole.
struct Mark {
    std::shared_ptr<const std::string> file;
    int line = 0, column = 0;
};

// "file:line:column", or what is known of it.
std::string to_text(const Mark& mark);

enum class Severity { error, warning };

struct Finding {
    Severity severity = Severity::error;
    Mark mark;
    std::string text;

    // "file:line:column: text"; a warning says so in front of its text.
    std::string line() const;
};

// A runbook, site file or setting that cannot be used.  what() has one line for each finding.
class RunbookError : public std::runtime_error {
  public:
    explicit RunbookError(std::vector<Finding> findings);
    RunbookError(const Mark& mark, const std::string& text) : RunbookError({Finding{Severity::error, mark, text}}) {}
    const std::vector<Finding>& findings() const { return findings_; }

  private:
    std::vector<Finding> findings_;
};

// Collects findings while a file is read, so that one reading reports all of them; the same one is kept once.
class Findings {
  public:
    void error(const Mark& mark, const std::string& text) { add({Severity::error, mark, text}); }
    void warn(const Mark& mark, const std::string& text) { add({Severity::warning, mark, text}); }
    void add(const Finding& finding);
    void add_all(const RunbookError& e);
    bool failed() const;
    void throw_if_failed() const;
    const std::vector<Finding>& all() const { return all_; }

  private:
    std::vector<Finding> all_;
};

}  // namespace diag::runbook
