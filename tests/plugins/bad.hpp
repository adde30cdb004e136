// What the files of the bad plugin share.
#pragma once

#include <diag/plugin.hpp>

namespace bad {

// What each bad check emits before it goes wrong, and what must be kept.
void before(diag::Context& context);

// A declaration of a check that goes wrong, in each of its files.
void declare_memory(diag::Plugin& plugin);
void declare_processes(diag::Plugin& plugin);
void declare_words(diag::Plugin& plugin);

}  // namespace bad
