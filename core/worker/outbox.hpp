// Frames on their way to the host.  Never blocks: a host that stops reading must not stop the worker from
// killing what it has to kill.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include <nlohmann/json.hpp>

namespace diag::worker {

using json = nlohmann::json;

class Outbox {
  public:
    // Makes `fd` non-blocking; writes it, never closes it.
    explicit Outbox(int fd);

    void nonce(std::string nonce) { nonce_ = std::move(nonce); }
    void send(char kind, std::uint64_t id, std::string_view payload);
    // A J frame; invalid UTF-8 is replaced.
    void event(std::uint64_t id, const json& event);

    // Writes what can be written now.  False: the host is gone.
    bool flush();
    bool pending() const { return sent_ < waiting_.size(); }
    // So much waits that nothing more should be read from a job.
    bool full() const { return waiting_.size() - sent_ > (std::size_t{1} << 20); }
    int fd() const { return fd_; }

  private:
    int fd_;
    std::string nonce_, waiting_;
    std::size_t sent_ = 0;
};

}  // namespace diag::worker
