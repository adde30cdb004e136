#include "base/sha256.hpp"

#include <fcntl.h>
#include <nettle/sha2.h>

#include <array>
#include <cerrno>
#include <cstdint>

#include <fmt/format.h>

#include "base/fd.hpp"
#include "base/file.hpp"

namespace diag::base {
namespace {

std::string finish(sha256_ctx& context) {
    std::array<std::uint8_t, SHA256_DIGEST_SIZE> digest{};
    sha256_digest(&context, digest.size(), digest.data());
    return fmt::format("{:02x}", fmt::join(digest, ""));
}

void update(sha256_ctx& context, std::string_view data) {
    sha256_update(&context, data.size(), reinterpret_cast<const std::uint8_t*>(data.data()));
}

}  // namespace

std::string sha256(std::string_view data) {
    sha256_ctx context;
    sha256_init(&context);
    update(context, data);
    return finish(context);
}

std::string sha256_file(const std::filesystem::path& path) {
    const Fd fd(::open(path.c_str(), O_RDONLY | O_CLOEXEC));
    if (!fd) throw_errno(path.string());
    sha256_ctx context;
    sha256_init(&context);
    std::array<char, 65536> buffer;
    for (;;) {
        const ssize_t n = ::read(fd.get(), buffer.data(), buffer.size());
        if (n < 0 && errno == EINTR) continue;
        if (n < 0) throw_errno(path.string());
        if (n == 0) return finish(context);
        update(context, {buffer.data(), static_cast<std::size_t>(n)});
    }
}

}  // namespace diag::base
