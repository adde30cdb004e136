#include "runbook/expression.hpp"

#include <algorithm>

#include "runbook/fields.hpp"

namespace diag::runbook {
namespace {

void collect(const Node& node, std::vector<Path>& found) {
    for (const auto& item : node.list) collect(item, found);
    for (const auto& entry : node.map) collect(entry.value, found);
    if (!node.is_scalar()) return;
    try {
        for (const auto& piece : pieces(node))
            if (!piece.path.empty()) found.push_back(piece.path);
    } catch (const RunbookError&) {
        return;  // reported where the plan is made
    }
}

Piece reference(const Node& scalar, std::size_t start, std::size_t end) {
    if (end == std::string::npos) throw RunbookError(scalar.mark, "'" + scalar.text.substr(start) + "' has no closing '}'");
    Piece piece{scalar.text.substr(start, end + 1 - start), split_path(scalar.text.substr(start + 2, end - start - 2))};
    if (piece.path.empty())
        throw RunbookError(scalar.mark, "'" + piece.text + "' is no reference; write words joined by dots, such as ${link.mtu}");
    return piece;
}

}  // namespace

Path split_path(const std::string& text) {
    Path path;
    for (std::size_t start = 0; start <= text.size();) {
        const std::size_t end = std::min(text.find('.', start), text.size());
        path.push_back(text.substr(start, end - start));
        if (!is_name(path.back())) return {};
        start = end + 1;
    }
    return path;
}

std::vector<Piece> pieces(const Node& scalar) {
    const std::string& text = scalar.text;
    std::vector<Piece> found;
    std::string literal;
    const auto finish_literal = [&] {
        if (!literal.empty()) found.push_back({literal, {}});
        literal.clear();
    };
    for (std::size_t i = 0; i < text.size(); ++i) {
        const char next = i + 1 < text.size() ? text[i + 1] : '\0';
        if (text[i] != '$') {
            literal += text[i];
        } else if (next == '$') {
            literal += text[i++];
        } else if (next == '{') {
            finish_literal();
            const std::size_t end = text.find('}', i);
            found.push_back(reference(scalar, i, end));
            i = end;
        } else {
            throw RunbookError(scalar.mark, "a lone '$' in '" + text + "'; write $$ for a dollar, ${...} for a reference");
        }
    }
    finish_literal();
    return found;
}

std::vector<Path> references(const Runbook& runbook) {
    std::vector<Path> found;
    for (const auto& checkpoint : runbook.checkpoints) {
        for (const auto& step : checkpoint.owner) collect(step, found);
        for (const auto& action : checkpoint.actions) collect(action.params, found);
        for (const auto& check : checkpoint.checks) {
            collect(check.params, found);
            if (check.on) collect(*check.on, found);
        }
    }
    return found;
}

}  // namespace diag::runbook
