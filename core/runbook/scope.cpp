#include "runbook/scope.hpp"

#include <algorithm>
#include <map>

#include "base/nearest.hpp"
#include "runbook/fields.hpp"
#include "runbook/rows.hpp"

namespace diag::runbook {
namespace {

using State = Resolved::State;

const std::vector<std::string> roots = {"link", "port", "peer", "machine", "site", "settings", "item"};

Node scalar_node(const std::string& text, const Mark& mark) { return {Node::Kind::scalar, text, true, mark, {}, {}}; }

// Where a path starts: a map, what it is called in messages, and how many steps led to it.
struct Start {
    const Node* node;
    std::string what;
    std::size_t steps;
    std::string own_key{};  // machine.key, peer.key, link.here.machine: not a value of the map, but its own key
};

// Follows the rest of the path through maps.
Resolved walk(const Node& scalar, const Piece& piece, const Start& start) {
    const Node* node = start.node;
    std::string what = start.what;
    for (std::size_t i = start.steps; i < piece.path.size(); ++i) {
        const std::string& key = piece.path[i];
        if (!node->is_map() && !node->is_null())
            throw RunbookError(scalar.mark,
                               piece.text + ": " + what + " is " + node->shown() + ", which has no parts (" + to_text(node->mark) + ")");
        const Node* next = node->find(key);
        if (next == nullptr) {
            const std::string missing = what + " has no '" + key + "'" + (what == "the site file" ? "" : " in the site file");
            return {State::absent, {}, node->mark, missing, base::nearest(key, node->keys()).value_or("")};
        }
        if (next->is_null())
            throw RunbookError(scalar.mark,
                               piece.text + ": '" + key + "' has no value at " + to_text(next->mark) + "; give one, or remove the key");
        what = "'" + key + "' of " + what;
        node = next;
    }
    return {State::value, *node, node->mark, "", ""};
}

Start start_at_end(const Link& link, const End& end) {
    return {&end.node, "the end '" + end.machine + "' of link '" + link.id + "'", 2, end.machine};
}

Start start_at_machine(const Machine& machine) { return {&machine.node, "machine '" + machine.key + "'", 1, machine.key}; }

// The file as it is written; but a machine that a pattern stands for is found, too.
Start start_in(const Site& site, const Path& path) {
    const Machine* machine = path.size() > 2 && path[1] == "machines" ? site.machine(path[2]) : nullptr;
    if (machine != nullptr) return {&machine->node, "machine '" + machine->key + "'", 3};
    return {&site.root, "the site file", 1};
}

Start start_in(const Row& row, const Path& path) {
    const std::string second = path.size() > 1 ? path[1] : "";
    if (path[0] == "machine") return start_at_machine(*row.machine);
    if (path[0] == "peer") return start_at_machine(*row.peer);
    if (path[0] == "item") return {row.item, "the item '" + row.label + "'", 1};
    if (second == "here") return start_at_end(*row.link, *row.here);
    if (second == "there") return start_at_end(*row.link, *row.there);
    return {&row.link->node, "link '" + row.link->id + "'", 1};
}

Resolved from_row(const Site& site, const Node& scalar, const Piece& piece, const Row& row) {
    const Start start = start_in(row, piece.path);
    const bool own = piece.path.size() == start.steps + 1 && piece.path.back() == (start.steps == 2 ? "machine" : "key");
    const bool login =
        start.steps == 1 && piece.path.size() == 2 && piece.path[1] == "login" && (piece.path[0] == "peer" || piece.path[0] == "machine");
    if (login) {
        const Machine& machine = piece.path[0] == "peer" ? *row.peer : *row.machine;
        return {State::value, scalar_node(ssh_host(site, machine), machine.node.mark), machine.node.mark, "", ""};
    }
    if (own && !start.own_key.empty()) return {State::value, scalar_node(start.own_key, start.node->mark), start.node->mark, "", ""};
    return walk(scalar, piece, start);
}

bool has_root(const std::string& root, const std::string& each) {
    if (root == "link") return each == "link" || each == "direction";
    if (root == "port") return each == "port";
    if (root == "peer") return each == "link" || each == "direction" || each == "port" || each == "peer";
    if (root == "item") return !each.empty() && !is_kind(each);
    return true;
}

void refuse_root(const Node& scalar, const Piece& piece, const std::string& each) {
    static const std::map<std::string, std::string> owners = {
        {"link", "link or direction"}, {"port", "port"}, {"peer", "peer, link, direction or port"}, {"item", "a list of the site file"}};
    const std::string& root = piece.path[0];
    if (std::find(roots.begin(), roots.end(), root) == roots.end())
        throw RunbookError(scalar.mark,
                           piece.text + ": there is no '" + root + "'" + base::did_you_mean(root, roots) + " (" + listed(roots) + ")");
    if (!has_root(root, each))
        throw RunbookError(scalar.mark, piece.text + ": '" + root + "' has a value only where 'each' is " + owners.at(root));
    if (root == "settings" && piece.path.size() != 2) throw RunbookError(scalar.mark, piece.text + ": write ${settings.NAME}");
}

}  // namespace

Resolved Scope::expand(const Node& node) const {
    if (node.is_list()) return expand_list(node);
    if (!node.is_scalar()) return {State::value, node, node.mark, "", ""};
    const auto parts = pieces(node);
    if (parts.size() == 1 && !parts[0].path.empty()) return resolve(node, parts[0]);
    return join(node, parts);
}

Resolved Scope::expand_list(const Node& node) const {
    Resolved all{State::value, node, node.mark, "", ""};
    all.node.list.clear();
    for (const auto& item : node.list) {
        Resolved one = expand(item);
        if (one.state != State::value) return one;
        all.node.list.push_back(std::move(one.node));
    }
    return all;
}

Resolved Scope::join(const Node& scalar, const std::vector<Piece>& parts) const {
    Resolved whole{State::value, scalar, scalar.mark, "", ""};
    whole.node.text.clear();
    for (const auto& part : parts) {
        if (part.path.empty()) {
            whole.node.text += part.text;
            continue;
        }
        Resolved one = resolve(scalar, part);
        if (one.state != State::value) return one;
        if (!one.node.is_scalar())
            throw RunbookError(scalar.mark,
                               part.text + " is " + one.node.shown() + " (" + to_text(one.node.mark) + "), and cannot stand inside a text");
        whole.node.text += one.node.text;
    }
    return whole;
}

Resolved Scope::resolve(const Node& scalar, const Piece& piece) const {
    refuse_root(scalar, piece, each);
    if (piece.path[0] != "settings") return from_site(scalar, piece);
    const Node* setting = settings.find(piece.path[1]);
    if (setting != nullptr && setting->is_null())
        return {State::absent, {}, setting->mark, "the setting '" + piece.path[1] + "' has no value", ""};
    if (setting != nullptr) return {State::value, *setting, setting->mark, "", ""};
    if (!settings_are_known) return {State::unknown, {}, {}, "", ""};
    const auto names = settings.keys();
    throw RunbookError(scalar.mark, piece.text + ": the runbook has no setting '" + piece.path[1] + "'" +
                                        base::did_you_mean(piece.path[1], names) + (names.empty() ? "" : " (" + listed(names) + ")"));
}

Resolved Scope::from_site(const Node& scalar, const Piece& piece) const {
    if (site == nullptr && site_is_unknown) return {State::unknown, {}, {}, "", ""};
    if (site == nullptr) throw RunbookError(scalar.mark, piece.text + " needs a site file (--site)");
    if (piece.path[0] == "site") return walk(scalar, piece, start_in(*site, piece.path));
    return piece.path[0] == "port" ? from_port(scalar, piece) : from_row(*site, scalar, piece, row);
}

// A list: what each of its links says; a single one that says nothing leaves it without a value.
Resolved Scope::from_port(const Node& scalar, const Piece& piece) const {
    if (piece.path.size() == 1) throw RunbookError(scalar.mark, piece.text + ": write ${port.name} or ${port.KEY}");
    const Mark& at = row.link->node.mark;
    if (piece.path.size() == 2 && piece.path[1] == "name") return {State::value, scalar_node(row.link->port, at), at, "", ""};
    Resolved all{State::value, Node{Node::Kind::list, "", false, at, {}, {}}, at, "", ""};
    Piece of_link = piece;
    of_link.path[0] = "link";
    for (const auto& one : row.port) {
        Row single;
        single.link = one.link;
        single.here = one.here;
        single.there = one.there;
        Resolved said = from_row(*site, scalar, of_link, single);
        if (said.state != State::value) return said;
        all.node.list.push_back(std::move(said.node));
    }
    return all;
}

}  // namespace diag::runbook
