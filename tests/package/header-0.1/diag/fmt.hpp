// {fmt}, header-only: a plugin must not depend on the version of a shared library that another machine has.
#pragma once

#ifndef FMT_HEADER_ONLY
#define FMT_HEADER_ONLY 1
#endif
#include <fmt/format.h>
