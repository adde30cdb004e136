#include "runbook/node.hpp"

#include <cerrno>
#include <system_error>

#include "base/file.hpp"

namespace diag::runbook {

const Node* Node::find(std::string_view key) const {
    for (const auto& [name, value] : map)
        if (name.text == key) return &value;
    return nullptr;
}

std::vector<std::string> Node::keys() const {
    std::vector<std::string> names;
    for (const auto& entry : map) names.push_back(entry.key.text);
    return names;
}

std::string Node::shown() const {
    switch (kind) {
        case Kind::null:
            return "nothing";
        case Kind::list:
            return "a list";
        case Kind::map:
            return "a map";
        case Kind::scalar:
            break;
    }
    return "'" + text + "'";
}

std::string read_text(const std::string& path) {
    const Mark whole{std::make_shared<const std::string>(path)};
    try {
        return base::read_file(path, max_file_bytes);
    } catch (const std::system_error& e) {
        if (e.code().value() == EFBIG) throw RunbookError(whole, "the file is larger than 1 MiB");
        throw RunbookError(whole, "the file cannot be read: " + e.code().message());
    }
}

}  // namespace diag::runbook
