#include "base/need.hpp"

#include <algorithm>

namespace diag::base {
namespace {

// Of a program or a Debian package (Debian Policy 5.6.1); both end up in a command to copy.
bool plain(std::string_view name) {
    return !name.empty() && name.front() != '-' && std::ranges::all_of(name, [](char c) {
        return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
               std::string_view("._+-").find(c) != std::string_view::npos;
    });
}

}  // namespace

std::optional<ProgramNeed> program_need(std::string_view word) {
    constexpr std::string_view start = "program:";
    if (!word.starts_with(start)) return std::nullopt;
    word.remove_prefix(start.size());
    const auto equals = word.find('=');
    const std::string_view name = word.substr(0, equals);
    const std::string_view package = equals == std::string_view::npos ? "" : word.substr(equals + 1);
    if (!plain(name) || (equals != std::string_view::npos && !plain(package))) return std::nullopt;
    return ProgramNeed{std::string(name), std::string(package)};
}

}  // namespace diag::base
