#include "cli/progress.hpp"

#include <sys/ioctl.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <string_view>
#include <utility>

#include <fmt/format.h>

#include "base/utf8.hpp"
#include "report/layout.hpp"

namespace diag::cli {
namespace {

constexpr std::chrono::seconds plain_every{10};  // where lines cannot be rewritten, fewer of them

// Progress is a courtesy: a closed stderr never stops a run.
void put(std::string_view text) { [[maybe_unused]] const ssize_t written = ::write(STDERR_FILENO, text.data(), text.size()); }

// A terminal that obeys the two sequences that take a line back.
bool can_rewrite() {
    const char* kind = std::getenv("TERM");
    return ::isatty(STDERR_FILENO) == 1 && (kind == nullptr || std::string_view(kind) != "dumb");
}

std::string cut(const std::string& text, std::size_t columns) {
    return base::columns(text) > columns ? report::padded(text, columns) : text;
}

std::size_t terminal_columns() {
    winsize size{};
    return ::ioctl(STDERR_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col > 20 ? size.ws_col : 80;
}

}  // namespace

ProgressLine::ProgressLine(std::vector<Stage> stages, bool verbose)
    : stages_(std::move(stages)), terminal_(can_rewrite()), verbose_(verbose) {}

void ProgressLine::begin(const std::string& checkpoint, const std::string& row, const std::string& check) {
    enter(checkpoint);
    const std::string one = base::printable((row.empty() ? checkpoint : checkpoint + " " + row) + ": " + check);
    what_ = ++running_ == 1 ? one : base::printable(fmt::format("{}, {} rows: {}", checkpoint, running_, check));
    said_.clear();
    since_ = told_ = std::chrono::steady_clock::now();
    if (terminal_) draw();
    if (!terminal_ && verbose_) put(fmt::format("{} (0 s{})\n", one, place()));
}

void ProgressLine::enter(const std::string& checkpoint) {
    const auto stage = std::ranges::find(stages_, checkpoint, &Stage::checkpoint);
    const auto at = static_cast<std::size_t>(stage - stages_.begin());
    if (stage == stages_.end() || at == at_) return;
    at_ = at;
    ended_ = running_ = 0;
}

std::size_t ProgressLine::checks_left() const {
    std::size_t left = 0;
    for (std::size_t i = at_; i < stages_.size(); ++i) left += stages_[i].checks;
    return left > ended_ + running_ ? left - ended_ - running_ : 0;
}

std::string ProgressLine::place() const {
    if (stages_.empty()) return "";
    return fmt::format(", checkpoint {} of {}, {} left", at_ + 1, stages_.size(), report::counted(checks_left(), "check"));
}

void ProgressLine::tell(const std::string& line) {
    if (!line.empty()) said_ = base::printable(line);
    if (terminal_) draw();
    if (terminal_) return;
    const auto now = std::chrono::steady_clock::now();
    if (line.empty() && now - told_ < plain_every) return;
    told_ = now;
    put(fmt::format("{} ({} s{}){}\n", what_, std::chrono::duration_cast<std::chrono::seconds>(now - since_).count(), place(),
                    said_.empty() ? "" : " " + said_));
}

void ProgressLine::end() {
    ++ended_;
    if (running_ > 0) --running_;
}

// How long and what is left stay in sight on a narrow terminal; what runs is cut for them, and what it says of itself first.
void ProgressLine::draw() {
    const auto seconds = std::chrono::duration_cast<std::chrono::seconds>(std::chrono::steady_clock::now() - since_).count();
    const std::string tail = stages_.empty() ? fmt::format(" ({} s)", seconds) : fmt::format(" ({} s, {} left)", seconds, checks_left());
    const std::size_t room = terminal_columns() - 1, beside = base::columns(tail) + 3;
    const std::string line = "   " + cut(what_, room > beside + 8 ? room - beside : 8) + tail + (said_.empty() ? "" : " " + said_);
    put("\r\x1b[K" + cut(line, room));
    drawn_ = true;
}

void ProgressLine::clear() {
    if (drawn_) put("\r\x1b[K");
    drawn_ = false;
}

}  // namespace diag::cli
