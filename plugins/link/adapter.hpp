// Which adapter a name is meant to be: by what survives a reboot and a new name.
#pragma once

#include <optional>
#include <string>

#include "machine.hpp"

namespace diag::link {

// What the site file says of the adapter; empty where it says nothing.
class Adapter {
  public:
    // Throws diag::BadValue where `mac` is no hardware address, or `path` no PCI function.
    Adapter(const std::optional<std::string>& mac, const std::optional<std::string>& path);

    bool given() const { return !mac_.empty() || !path_.empty(); }
    // The permanent MAC decides where both are given: a card may be moved to another slot.
    std::string words() const;
    // The interface of this adapter; null: it is not here.
    const Seen* find(const Machine& machine) const;
    // Whether this is another adapter; nothing where the kernel does not tell what this one is.
    std::optional<bool> differs(const Seen& seen) const;

  private:
    std::string mac_, path_;
};

// "48:b0:2d:00:00:01", else "0000:01:00.0", else "": what an adapter is known by after a reboot.
std::string lasting_key(const Seen& seen);

}  // namespace diag::link
