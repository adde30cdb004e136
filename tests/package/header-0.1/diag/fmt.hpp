// {fmt}, header-only where the build does not link it: a plugin that was built elsewhere must not depend on the version of a
// shared library that this machine has.
#pragma once

#if !defined(FMT_HEADER_ONLY) && !defined(FMT_SHARED)
#define FMT_HEADER_ONLY 1
#endif
#include <fmt/format.h>
