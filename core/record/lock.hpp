// The lock of a record: one process at a time, and free as soon as that process is gone, however it went.
#pragma once

#include <filesystem>
#include <optional>

#include <sys/types.h>

#include "base/fd.hpp"
#include "record/error.hpp"

namespace diag::record {

class Lock {
  public:
    // Takes the lock of the record in `folder`.  Throws RecordBusy with the holder's pid, RecordError else.
    static Lock take(const std::filesystem::path& folder);

    // Who holds it: nothing where nobody does, 0 where it is held and the pid is not readable.
    // Never disturbs the holder; works on a read-only mount.
    static std::optional<pid_t> holder(const std::filesystem::path& folder);

  private:
    explicit Lock(base::Fd fd) : fd_(std::move(fd)) {}
    base::Fd fd_;
};

}  // namespace diag::record
