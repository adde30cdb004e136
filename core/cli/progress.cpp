#include "cli/progress.hpp"

#include <sys/ioctl.h>
#include <unistd.h>

#include <cstdio>
#include <string_view>

#include <fmt/format.h>

#include "base/utf8.hpp"
#include "report/layout.hpp"

namespace diag::cli {
namespace {

constexpr std::chrono::seconds plain_every{10};  // where lines cannot be rewritten, fewer of them

// Progress is a courtesy: a closed stderr never stops a run.
void put(std::string_view text) { [[maybe_unused]] const ssize_t written = ::write(STDERR_FILENO, text.data(), text.size()); }

std::size_t terminal_columns() {
    winsize size{};
    return ::ioctl(STDERR_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col > 20 ? size.ws_col : 80;
}

}  // namespace

ProgressLine::ProgressLine(std::size_t left, bool verbose) : terminal_(::isatty(STDERR_FILENO) == 1), verbose_(verbose), left_(left) {}

void ProgressLine::begin(const std::string& checkpoint, const std::string& row, const std::string& check) {
    const std::string one = base::printable((row.empty() ? checkpoint : checkpoint + " " + row) + ": " + check);
    what_ = ++running_ == 1 ? one : base::printable(fmt::format("{}, {} rows: {}", checkpoint, running_, check));
    said_.clear();
    since_ = told_ = std::chrono::steady_clock::now();
    if (terminal_) draw();
    if (!terminal_ && verbose_) put(one + "\n");
}

void ProgressLine::tell(const std::string& line) {
    if (!line.empty()) said_ = base::printable(line);
    if (terminal_) draw();
    if (terminal_) return;
    const auto now = std::chrono::steady_clock::now();
    if (line.empty() && now - told_ < plain_every) return;
    told_ = now;
    put(fmt::format("{} ({} s){}\n", what_, std::chrono::duration_cast<std::chrono::seconds>(now - since_).count(),
                    said_.empty() ? "" : " " + said_));
}

void ProgressLine::end() {
    if (left_ > 0) --left_;
    if (running_ > 0) --running_;
}

void ProgressLine::draw() {
    const auto seconds = std::chrono::duration_cast<std::chrono::seconds>(std::chrono::steady_clock::now() - since_).count();
    std::string line = fmt::format("   {} ({} s, {} left)", what_, seconds, left_ > running_ ? left_ - running_ : 0);
    if (!said_.empty()) line += " " + said_;
    const std::size_t room = terminal_columns() - 1;
    put("\r\x1b[K" + (base::columns(line) > room ? report::padded(line, room) : line));
    drawn_ = true;
}

void ProgressLine::clear() {
    if (drawn_) put("\r\x1b[K");
    drawn_ = false;
}

}  // namespace diag::cli
