// Logins with the real ssh, several side by side.
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cstdlib>
#include <exception>
#include <filesystem>
#include <thread>

#include "base/file.hpp"
#include "base/program.hpp"
#include "caller.hpp"
#include "probe/subprocess.hpp"

namespace diag::ssh {
namespace {

using std::chrono::milliseconds;

constexpr std::size_t most_errors = std::size_t{1} << 20;
constexpr std::size_t most_output = std::size_t{16} << 20;  // the line that was sent comes after what the start files print

// Where ssh writes its log (-E): a folder of the account's own, gone with this object.
class LogFolder {
  public:
    LogFolder() {
        std::string name = std::filesystem::temp_directory_path() / "diag-ssh-XXXXXX";
        if (::mkdtemp(name.data()) == nullptr) base::throw_errno("a folder for the log of ssh, " + name);
        path_ = name;
        const auto user = base::invoking_user();
        if (!user.name.empty() && ::chown(name.c_str(), user.uid, user.gid) != 0) base::throw_errno(name);
    }
    ~LogFolder() {
        std::error_code ignored;
        std::filesystem::remove_all(path_, ignored);
    }
    LogFolder(const LogFolder&) = delete;
    LogFolder& operator=(const LogFolder&) = delete;

    std::string file(std::size_t number) const { return path_ / std::to_string(number); }

  private:
    std::filesystem::path path_;
};

std::string read_log(const std::string& path) {
    constexpr std::size_t most = std::size_t{1} << 20;
    std::error_code error;
    return std::filesystem::exists(path, error) ? base::read_file(path, most) : "";
}

// A start file may print megabytes, and many logins are kept at a time: what is judged is the beginning, and the line that was sent.
std::string kept(const std::string& out, const std::string& line) {
    constexpr std::size_t beginning = std::size_t{64} << 10;
    if (out.size() <= beginning) return out;
    const std::size_t at = out.find(line);
    if (at == std::string::npos || at + line.size() <= beginning) return out.substr(0, beginning);
    return out.substr(0, std::min(at, beginning)) + line;
}

Answer answer_of(const probe::Command& command, const std::string& log) {
    const auto done = probe::run(command);
    Answer answer{.log = read_log(log), .out = kept(done.out, command.input), .err = done.err.substr(0, most_errors)};
    answer.status = done.status;
    answer.signal = done.signal;
    answer.timed_out = done.timed_out;
    answer.seconds = done.seconds;
    answer.out_left = done.out.size() - answer.out.size();
    answer.out_cut = done.out.size() >= command.most_output;
    return answer;
}

// Runs `work(i)` for each i below `count`, at most `width` at once.  What one throws is thrown again, when all have ended.
template <class Work>
void side_by_side(std::size_t count, std::size_t width, const Work& work) {
    std::atomic<std::size_t> next{0};
    std::vector<std::exception_ptr> errors(count);
    const auto lane = [&] {
        for (std::size_t i = next++; i < count; i = next++) try {
                work(i);
            } catch (...) {
                errors[i] = std::current_exception();
            }
    };
    std::vector<std::thread> others;
    for (std::size_t i = 1; i < std::min(width, count); ++i) others.emplace_back(lane);
    lane();
    for (auto& other : others) other.join();
    for (const auto& error : errors)
        if (error) std::rethrow_exception(error);
}

}  // namespace

std::vector<Answer> run_logins(const std::vector<Login>& logins, std::size_t width, std::chrono::milliseconds total) {
    if (!base::find_program("ssh")) throw Absent("there is no program 'ssh' in PATH");
    const LogFolder logs;
    std::vector<probe::Command> commands;  // made here: what a command is made of is not for several threads
    for (std::size_t i = 0; i < logins.size(); ++i) {
        auto options = logins[i].options;
        options.insert(options.end(), {"-v", "-E", logs.file(i)});
        commands.push_back({.argv = base::ssh_command(logins[i].target, "cat", options),
                            .timeout = logins[i].timeout,
                            .most_output = most_output,
                            .input = logins[i].input});
    }
    const auto end = std::chrono::steady_clock::now() + total;
    std::vector<Answer> answers(logins.size());
    side_by_side(logins.size(), std::max<std::size_t>(width, 1), [&](std::size_t i) {
        const auto left = std::chrono::ceil<milliseconds>(end - std::chrono::steady_clock::now());
        commands[i].timeout = std::min(commands[i].timeout, left);
        answers[i].begun = left.count() > 0;
        if (answers[i].begun) answers[i] = answer_of(commands[i], logs.file(i));
    });
    return answers;
}

}  // namespace diag::ssh
