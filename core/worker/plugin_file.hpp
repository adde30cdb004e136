// Loads a plugin into this process and checks its ABI struct.  For the process of one job only.
#pragma once

#include <filesystem>
#include <stdexcept>
#include <string>

#include <diag/abi.h>

namespace diag::worker {

// `code` is a plugin.* cause.
struct LoadError : std::runtime_error {
    LoadError(std::string the_code, const std::string& text) : std::runtime_error(text), code(std::move(the_code)) {}
    std::string code;
};

// Throws LoadError.  Reads magic, then version, then size, and nothing behind `size` before all three are right;
// a struct that is longer than ours, or shorter but with both functions, is fine.
void check_abi(const diag_abi* abi);

// Loads the file for good.  Throws LoadError, also where this user must not trust the file.
const diag_abi& load_plugin(const std::filesystem::path& file);

}  // namespace diag::worker
