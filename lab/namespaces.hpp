// The lab's network namespaces by name, and a way to do one thing inside one of them.
// `part` is a node ("a"), a switch ("house", "direct") or "router"; its namespace is "diag-lab-" + part.
#pragma once

#include <string>
#include <vector>

#include "base/fd.hpp"

namespace diag::lab {

inline constexpr const char* namespace_prefix = "diag-lab-";
inline constexpr const char* namespace_folder = "/run/netns";  // where `ip netns` keeps them

std::string namespace_of(const std::string& part);

// Every namespace of a lab that has a name on this machine, whole or left behind; by the prefix alone.
std::vector<std::string> lab_namespaces();

// This thread's network is that part's from here on.  Throws std::system_error.
void enter(const std::string& part);

// From here to the end of the block this thread's network is that part's; what it spawns inherits it.
// An empty `part` is where the thread stands already.  Throws std::system_error.
class Inside {
  public:
    explicit Inside(const std::string& part);
    ~Inside();
    Inside(const Inside&) = delete;
    Inside& operator=(const Inside&) = delete;

  private:
    base::Fd home_;
};

}  // namespace diag::lab
