#include "worker/request.hpp"

#include <stdexcept>

namespace diag::worker {
namespace {

Limits read_limits(const json& given) {
    Limits limits;
    for (const auto& [name, value] : given.items()) {
        if (name == "memory")
            value.get_to(limits.memory);
        else if (name == "data")
            value.get_to(limits.data);
        else if (name == "output")
            value.get_to(limits.output);
        else if (name == "events")
            value.get_to(limits.events);
        else if (name == "line")
            value.get_to(limits.line);
        else if (name == "channel")
            value.get_to(limits.channel);
        else if (name == "lock_wait")
            value.get_to(limits.lock_wait);
        else
            throw std::runtime_error("there is no limit '" + name + "'");
    }
    return limits;
}

}  // namespace

JobRequest read_job(const json& message) {
    JobRequest job;
    const std::string op = message.at("op");
    if (op != "describe" && op != "run") throw std::runtime_error("there is no operation '" + op + "'");
    job.describe = op == "describe";
    message.at("id").get_to(job.id);
    message.at("file").get_to(job.file);
    if (!job.describe) job.request = message.at("request").dump(-1, ' ', false, json::error_handler_t::replace);
    job.deadline = message.value("deadline", job.deadline);
    if (!(job.deadline > 0)) throw std::runtime_error("a deadline must lie ahead");
    job.needs = message.value("needs", job.needs);
    job.exclusive = message.value("exclusive", false);
    job.paired = message.value("paired", false);
    job.limits = read_limits(message.value("limits", json::object()));
    return job;
}

}  // namespace diag::worker
