#include "probe/resolve.hpp"

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <future>
#include <memory>
#include <thread>
#include <utility>

#include <netdb.h>

#include <fmt/format.h>

namespace diag::probe {

namespace {

Resolution::Status status_of(int error) {
    switch (error) {
        case 0:
            return Resolution::Status::resolved;
        case EAI_NONAME:
        case EAI_NODATA:
            return Resolution::Status::unknown;
        case EAI_AGAIN:
            return Resolution::Status::no_answer;
        default:
            return Resolution::Status::broken;
    }
}

Resolution ask_system(const std::string& name) {
    addrinfo hints{};
    hints.ai_family = AF_UNSPEC;
    hints.ai_socktype = SOCK_STREAM;  // one entry an address instead of one a protocol
    hints.ai_flags = AI_CANONNAME;    // not AI_ADDRCONFIG: it would hide the family that is missing here
    addrinfo* found = nullptr;
    errno = 0;
    const int error = ::getaddrinfo(name.c_str(), nullptr, &hints, &found);
    const int system_error = errno;
    const std::unique_ptr<addrinfo, void (*)(addrinfo*)> list(error == 0 ? found : nullptr, [](addrinfo* p) {
        if (p != nullptr) ::freeaddrinfo(p);
    });
    Resolution resolution;
    resolution.status = status_of(error);
    if (error != 0) resolution.error = ::gai_strerror(error);
    if (error == EAI_SYSTEM) resolution.error += std::string(": ") + std::strerror(system_error);
    for (const addrinfo* entry = list.get(); entry != nullptr; entry = entry->ai_next) {
        if (entry->ai_canonname != nullptr) resolution.canonical = entry->ai_canonname;
        const Address address(entry->ai_addr, entry->ai_addrlen);
        auto& known = resolution.addresses;
        if (std::find(known.begin(), known.end(), address) == known.end()) known.push_back(address);
    }
    return resolution;
}

}  // namespace

// getaddrinfo() cannot be interrupted: whoever gives up leaves it behind, with all that it writes to.
Resolution resolve(const std::string& name, std::chrono::milliseconds patience) {
    std::packaged_task<Resolution()> task([name] { return ask_system(name); });
    std::future<Resolution> answer = task.get_future();
    std::thread(std::move(task)).detach();
    if (answer.wait_for(patience) == std::future_status::ready) return answer.get();
    const std::chrono::duration<double> waited = patience;
    return {Resolution::Status::no_answer, {}, "", fmt::format("the resolver gave no answer within {:.3g} s", waited.count())};
}

std::string name_of(const Address& address) {
    std::array<char, NI_MAXHOST> name{};
    const int error = ::getnameinfo(address.get(), address.size(), name.data(), name.size(), nullptr, 0, NI_NAMEREQD);
    return error == 0 ? name.data() : "";
}

}  // namespace diag::probe
