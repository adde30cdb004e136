// Checks that want too much: memory and output.
#include <unistd.h>

#include <cstdint>
#include <cstring>
#include <memory>
#include <string>
#include <vector>

#include "bad.hpp"

using namespace diag;

namespace {

constexpr std::size_t block = std::size_t{8} << 20;

// Touches memory until it has `bytes`, or is stopped.
void hold(std::int64_t bytes) {
    std::vector<std::unique_ptr<char[]>> blocks;
    for (std::int64_t held = 0; held < bytes; held += block) {
        blocks.push_back(std::make_unique<char[]>(block));
        std::memset(blocks.back().get(), 1, block);
    }
    ::sleep(20);
}

Verdict allocates(Context& c) {
    bad::before(c);
    hold(c.bytes("bytes"));
    return pass("unreachable");
}

// Each of them small enough for any limit of its own.
Verdict allocates_in_many(Context& c) {
    bad::before(c);
    for (int i = 0; i < 80; ++i)
        if (::fork() == 0) {
            hold(c.bytes("bytes") / 80);
            ::_exit(0);
        }
    ::sleep(20);
    return pass("unreachable");
}

// Pages that forked children share are not held twenty times.
Verdict shares(Context&) {
    const auto shared = std::make_unique<char[]>(block);
    std::memset(shared.get(), 1, block);
    std::vector<pid_t> children;
    for (int i = 0; i < 20; ++i)
        if (::fork() == 0) {
            ::usleep(300000);
            ::_exit(0);
        }
    ::usleep(600000);
    return pass("{}", static_cast<int>(shared[0]));
}

Verdict floods(Context& c) {
    bad::before(c);
    const std::string line(4095, 'x');
    for (std::int64_t written = 0; written < c.bytes("bytes"); written += 4096) {
        const std::string text = line + "\n";
        if (::write(STDOUT_FILENO, text.data(), text.size()) < 0) break;
    }
    return pass("it wrote it all");
}

}  // namespace

void bad::declare_memory(Plugin& plugin) {
    plugin.check("allocate", "Wants a lot of memory", allocates).param("bytes", type::bytes, "how much", "10GB").takes(20);
    plugin.check("allocate-many", "Wants a lot of memory, in many processes", allocates_in_many)
        .param("bytes", type::bytes, "how much", "10GB")
        .takes(20);
    plugin.check("share", "Shares its memory with its children", shares);
    plugin.check("flood", "Writes a lot of output", floods).param("bytes", type::bytes, "how much", "1GB").takes(20);
}
