#include "caller.hpp"

#include <unistd.h>

#include <algorithm>
#include <cstdlib>

#include "base/file.hpp"

namespace diag::ssh {

std::vector<std::string> callers_prefix() {
    auto words = base::ssh_command({"localhost", "", ""}, "");
    words.erase(std::find(words.begin(), words.end(), "ssh"), words.end());
    return words;
}

std::vector<std::string> as_caller(const std::vector<std::string>& words) {
    auto all = callers_prefix();
    all.insert(all.end(), words.begin(), words.end());
    return all;
}

AsCaller::AsCaller() {
    const auto user = base::invoking_user();
    if (user.name.empty()) return;
    group_ = ::getegid();
    if (::setegid(user.gid) != 0 || ::seteuid(user.uid) != 0) base::throw_errno("becoming " + user.name);
    changed_ = true;
}

AsCaller::~AsCaller() {
    if (changed_ && (::seteuid(0) != 0 || ::setegid(group_) != 0)) std::abort();  // nothing may go on as somebody else
}

}  // namespace diag::ssh
