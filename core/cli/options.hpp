// The options that commands share, and how a command line becomes them (Boost.Program_options).
#pragma once

#include <cstddef>
#include <filesystem>
#include <optional>
#include <stdexcept>
#include <string>
#include <vector>

#include <boost/program_options.hpp>

#include "cli/command.hpp"
#include "report/text.hpp"
#include "report/view.hpp"

namespace diag::cli {

namespace po = boost::program_options;

// A command line that cannot be carried out; main prints it and exits with 64.
struct UsageError : std::runtime_error {
    using std::runtime_error::runtime_error;
};

// Which common options a command takes: those that do something there.  `report`: the output is a whole run, which has more forms.
enum class Takes : unsigned {
    nothing = 0,
    site = 1,
    machine = 2,
    state = 4,
    plugins = 8,
    root = 16,
    format = 32,
    report = 64,
    fail_on = 128,
    color = 256,
    verbose = 512,
    judging = format | fail_on | color | verbose,  // its output is made of verdicts
};
constexpr Takes operator|(Takes a, Takes b) { return static_cast<Takes>(static_cast<unsigned>(a) | static_cast<unsigned>(b)); }
constexpr bool has(Takes set, Takes one) { return (static_cast<unsigned>(set) & static_cast<unsigned>(one)) != 0; }

struct Common {
    std::string site, machine, state, root, format = "text", fail_on = "warn", color = "auto";
    std::vector<std::string> plugins;
    bool verbose = false;

    std::filesystem::path state_dir() const;
    // The site file to read: as told (--site, DIAG_SITE; must exist), else the default place where it exists.
    std::optional<std::filesystem::path> site_file() const;
    std::string machine_name() const;  // --machine or DIAG_MACHINE, else ""
    report::FailOn fail_level() const;
    report::TextStyle style() const;  // for stdout
};

class CommandLine {
  public:
    CommandLine(const Command& command, Takes takes);

    // The command's own options: add_options()("keep", po::value(&keep), "...").
    po::options_description_easy_init add_options() { return own_.add_options(); }
    // Words without a dash, in order; `most` of them at most.
    void positional(std::size_t least, std::size_t most) { least_ = least, most_ = most; }

    // Parses; false where --help was asked for and printed.  Throws UsageError.
    bool parse(const Arguments& arguments);

    Common common;
    std::vector<std::string> words;

  private:
    void add_common(Takes takes);
    std::string help() const;

    const Command& command_;
    std::vector<std::string> formats_{"text", "json"};
    po::options_description own_{"Options"}, shared_{"Common options"};
    std::size_t least_ = 0, most_ = 0;
    bool takes_root_ = false;
};

const std::vector<Command>& commands();
const Command& command_named(const std::string& name);

}  // namespace diag::cli
