// When and in which boot something was written: the clock, the time since boot, and the boot's identity.
#pragma once

#include <string>

namespace diag::record {

std::string utc_now();          // "2026-11-30T06:15:00.123Z"
std::string compact_utc_now();  // "20261130T061500Z"
// How long ago a time of utc_now()'s form was, by the clock, which jumps; 0 where the text is no such time.
double seconds_since(const std::string& utc);
double boottime_now();  // seconds of CLOCK_BOOTTIME: counts through suspend, does not jump with the clock

// The kernel's boot id; "unknown" where it cannot be read, and in a container, where it is the host's.
const std::string& boot_identity();

}  // namespace diag::record
