#include "worker/plugin_file.hpp"

#include <dlfcn.h>
#include <unistd.h>

#include <array>
#include <cstddef>
#include <cstring>
#include <fstream>
#include <system_error>
#include <utility>

#include <fmt/format.h>
#include <boost/dll/shared_library.hpp>

#include "base/trust.hpp"

namespace diag::worker {
namespace {

bool is_elf(const std::filesystem::path& file) {
    std::array<char, 4> start{};
    std::ifstream(file, std::ios::binary).read(start.data(), start.size());
    return std::memcmp(start.data(),
                       "\x7f"
                       "ELF",
                       4) == 0;
}

}  // namespace

void check_abi(const diag_abi* abi) {
    if (abi == nullptr) throw LoadError("plugin.not-a-plugin", DIAG_ABI_SYMBOL "() gives no plugin");
    if (std::memcmp(abi->magic, DIAG_ABI_MAGIC, sizeof abi->magic) != 0)
        throw LoadError("plugin.magic", "what " DIAG_ABI_SYMBOL "() gives does not begin with " DIAG_ABI_MAGIC);
    if (abi->version > DIAG_ABI_VERSION)
        throw LoadError("plugin.newer",
                        fmt::format("it speaks version {} of the plugin ABI, this diag speaks {}", abi->version, DIAG_ABI_VERSION));
    if (abi->version < DIAG_ABI_VERSION)
        throw LoadError("plugin.magic", fmt::format("there never was a version {} of the plugin ABI", abi->version));
    constexpr std::size_t needed = offsetof(diag_abi, run) + sizeof(diag_abi::run);
    if (abi->size < needed) throw LoadError("plugin.size", fmt::format("its diag_abi has {} bytes; run() ends at {}", abi->size, needed));
}

const diag_abi& load_plugin(const std::filesystem::path& file) {
    std::error_code error;
    const auto path = std::filesystem::canonical(file, error);  // what is judged is what is loaded
    if (error) throw LoadError("plugin.unreadable", fmt::format("{}: {}", file.string(), error.message()));
    if (const auto reason = base::distrust(path, ::geteuid())) throw LoadError("plugin.untrusted", *reason);
    if (!is_elf(path)) throw LoadError("plugin.not-a-plugin", "it is not a shared object");
    boost::dll::shared_library library;
    library.load(path, error, boost::dll::load_mode::rtld_now | boost::dll::load_mode::rtld_local);
    if (error) {
        const char* why = ::dlerror();
        throw LoadError("plugin.load", why != nullptr ? why : error.message());
    }
    if (!library.has(DIAG_ABI_SYMBOL)) throw LoadError("plugin.not-a-plugin", "it has no symbol " DIAG_ABI_SYMBOL);
    static const auto kept = std::move(library);  // never unloaded: the process ends with it
    const diag_abi* abi = kept.get<const diag_abi*()>(DIAG_ABI_SYMBOL)();
    check_abi(abi);
    return *abi;
}

}  // namespace diag::worker
