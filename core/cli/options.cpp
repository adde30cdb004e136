#include "cli/options.hpp"

#include <langinfo.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <iostream>
#include <sstream>

#include <fmt/format.h>

#include "base/nearest.hpp"
#include "base/utf8.hpp"

namespace diag::cli {
namespace {

std::string from_environment(const char* name) {
    const char* value = std::getenv(name);
    return value != nullptr ? value : "";
}

void one_of(const std::string& option, const std::string& value, const std::vector<std::string>& allowed) {
    if (std::find(allowed.begin(), allowed.end(), value) != allowed.end()) return;
    throw UsageError(fmt::format("--{} takes {}, not '{}'{}", option, fmt::join(allowed, ", "), base::printable(value),
                                 base::did_you_mean(value, allowed)));
}

std::vector<std::string> long_names(const po::options_description& options) {
    std::vector<std::string> names;
    for (const auto& option : options.options()) names.push_back("--" + option->long_name());
    return names;
}

}  // namespace

std::filesystem::path Common::state_dir() const {
    if (!state.empty()) return state;
    if (const auto told = from_environment("DIAG_STATE"); !told.empty()) return told;
    if (::geteuid() == 0) return "/var/lib/diag";
    if (const auto xdg = from_environment("XDG_STATE_HOME"); !xdg.empty()) return std::filesystem::path(xdg) / "diag";
    const auto home = from_environment("HOME");
    if (home.empty()) throw UsageError("no place for records: set --state, DIAG_STATE or HOME");
    return std::filesystem::path(home) / ".local/state/diag";
}

std::optional<std::filesystem::path> Common::site_file() const {
    const std::string told = !site.empty() ? site : from_environment("DIAG_SITE");
    if (!told.empty()) return told;
    const std::filesystem::path usual = ::geteuid() == 0 ? "/etc/diag/site.yaml" : "site.yaml";
    if (std::filesystem::exists(usual)) return usual;
    return std::nullopt;
}

std::string Common::machine_name() const { return !machine.empty() ? machine : from_environment("DIAG_MACHINE"); }

report::FailOn Common::fail_level() const {
    return fail_on == "fail" ? report::FailOn::fail : fail_on == "not_run" ? report::FailOn::not_run : report::FailOn::warn;
}

report::TextStyle Common::style() const {
    report::TextStyle style;
    const bool terminal = ::isatty(STDOUT_FILENO) == 1;
    style.color =
        color == "always" || (color == "auto" && terminal && from_environment("NO_COLOR").empty() && from_environment("TERM") != "dumb");
    style.utf8 = std::string(::nl_langinfo(CODESET)) == "UTF-8";
    style.verbose = verbose;
    winsize size{};
    if (terminal && ::ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col >= 40)
        style.width = std::min<std::size_t>(size.ws_col, 100);
    return style;
}

CommandLine::CommandLine(const Command& command, Takes takes) : command_(command) { add_common(takes); }

void CommandLine::add_common(Takes takes) {
    auto add = shared_.add_options();
    if (has(takes, Takes::site))
        add("site", po::value(&common.site)->value_name("FILE"),
            "the site file (else DIAG_SITE, else ./site.yaml, for root /etc/diag/site.yaml)");
    if (has(takes, Takes::machine))
        add("machine", po::value(&common.machine)->value_name("KEY"),
            "which machine of the site file this is (else DIAG_MACHINE, else by host name)");
    if (has(takes, Takes::state))
        add("state", po::value(&common.state)->value_name("DIR"),
            "where records are kept (else DIAG_STATE, else for root /var/lib/diag, for others $XDG_STATE_HOME/diag or "
            "~/.local/state/diag)");
    if (has(takes, Takes::plugins))
        add("plugins", po::value(&common.plugins)->value_name("DIR"), "load plugins from this folder only; may be repeated");
    takes_root_ = has(takes, Takes::root);
    if (takes_root_)
        add("root", po::value(&common.root)->value_name("DIR"), "read /sys, /proc and /etc below DIR, a captured tree (else DIAG_ROOT)");
    if (has(takes, Takes::report)) formats_.insert(formats_.end(), {"junit", "sheet", "csv"});
    const std::string forms = fmt::format("one of {}; text where nothing is said", fmt::join(formats_, ", "));
    if (has(takes, Takes::format)) add("format", po::value(&common.format)->value_name("FORM"), forms.c_str());
    if (has(takes, Takes::fail_on))
        add("fail-on", po::value(&common.fail_on)->value_name("LEVEL"), "mildest outcome that fails: warn (default), not_run, fail");
    if (has(takes, Takes::color))
        add("color", po::value(&common.color)->value_name("WHEN"), "auto (default), always, never; NO_COLOR is honoured");
    if (has(takes, Takes::verbose)) add("verbose,v", po::bool_switch(&common.verbose), "every check, not only what matters");
    add("help,h", "this text");
}

std::string CommandLine::help() const {
    std::ostringstream text;
    text << "usage: diag " << command_.name << (*command_.usage != '\0' ? " " : "") << command_.usage << "\n\n" << command_.summary << "\n";
    if (!own_.options().empty()) text << "\n" << own_;
    text << "\n" << shared_;
    return text.str();
}

bool CommandLine::parse(const Arguments& arguments) {
    po::options_description all, hidden;
    hidden.add_options()("words", po::value(&words));
    all.add(own_).add(shared_).add(hidden);
    po::positional_options_description positions;
    positions.add("words", -1);
    po::variables_map values;
    try {
        // No guessing of abbreviated options: what works today must not become ambiguous tomorrow.
        namespace style = po::command_line_style;
        po::store(
            po::command_line_parser(arguments).options(all).positional(positions).style(style::unix_style ^ style::allow_guessing).run(),
            values);
        po::notify(values);
    } catch (const po::unknown_option& e) {
        po::options_description known;
        known.add(own_).add(shared_);
        throw UsageError(fmt::format("diag {} has no option {}{}", command_.name, base::printable(e.get_option_name()),
                                     base::did_you_mean(e.get_option_name(), long_names(known))));
    } catch (const po::error& e) {
        throw UsageError(base::printable(e.what()));
    }
    if (values.count("help") != 0) {
        std::cout << help();
        return false;
    }
    if (words.size() < least_ || words.size() > most_)
        throw UsageError(fmt::format("usage: diag {} {}   (diag {} --help says more)", command_.name, command_.usage, command_.name));
    one_of("format", common.format, formats_);
    one_of("fail-on", common.fail_on, {"warn", "not_run", "fail"});
    one_of("color", common.color, {"auto", "always", "never"});
    if (takes_root_ && common.root.empty()) common.root = from_environment("DIAG_ROOT");
    if (!common.root.empty() && !std::filesystem::is_directory(common.root))
        throw UsageError("--root " + base::printable(common.root) + ": no such folder");
    for (const auto& folder : common.plugins)
        if (!std::filesystem::is_directory(folder)) throw UsageError("--plugins " + base::printable(folder) + ": no such folder");
    return true;
}

}  // namespace diag::cli
