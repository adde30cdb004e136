// Node trees from yaml-cpp's events.  Its Node API is not used: 0.7 keeps the first of two equal keys, takes `<<` for
// an ordinary key, and loses how a number was written.
#include <algorithm>
#include <map>
#include <optional>
#include <sstream>
#include <unordered_map>

#include <yaml-cpp/eventhandler.h>
#include <yaml-cpp/exceptions.h>
#include <yaml-cpp/mark.h>
#include <yaml-cpp/parser.h>

#include "runbook/node.hpp"
#include "runbook/pattern.hpp"
#include "runbook/source_text.hpp"

namespace diag::runbook {
namespace {

// 0777 is octal for one reader and decimal for the next; 0, 0.5 and 00:1b:21 are not meant.
bool has_leading_zero(std::string_view text) {
    if (text.starts_with('-') || text.starts_with('+')) text.remove_prefix(1);
    const auto digit = [](char c) { return c >= '0' && c <= '9'; };
    if (text.size() < 2 || text[0] != '0' || !digit(text[1])) return false;
    const auto points = std::count(text.begin(), text.end(), '.');
    return points <= 1 && std::all_of(text.begin(), text.end(), [&](char c) { return digit(c) || c == '.' || c == '_'; });
}

struct Size {
    std::size_t nodes = 1;
    int depth = 0;
};

Size measure(const Node& node) {
    Size size{1, node.is_list() || node.is_map() ? 1 : 0};
    const auto include = [&](const Node& child) {
        const Size inner = measure(child);
        size.nodes += inner.nodes;
        size.depth = std::max(size.depth, inner.depth + 1);
    };
    for (const auto& item : node.list) include(item);
    for (const auto& [key, value] : node.map) include(key), include(value);
    return size;
}

class TreeBuilder : public YAML::EventHandler {
  public:
    TreeBuilder(const SourceText& source, Findings& findings) : source_(source), findings_(findings) {}

    int documents() const { return documents_; }
    const Mark& last_document() const { return document_mark_; }
    Node take() { return std::move(root_); }

    void OnDocumentStart(const YAML::Mark& mark) override {
        ++documents_;
        document_mark_ = place(mark);
    }
    void OnDocumentEnd() override {}
    void OnNull(const YAML::Mark& mark, YAML::anchor_t anchor) override { add(node(Node::Kind::null, mark), anchor); }
    void OnAlias(const YAML::Mark& mark, YAML::anchor_t anchor) override;
    void OnScalar(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t anchor, const std::string& value) override;
    void OnSequenceStart(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t anchor, YAML::EmitterStyle::value) override {
        open(Node::Kind::list, mark, tag, anchor);
    }
    void OnSequenceEnd() override { close(); }
    void OnMapStart(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t anchor, YAML::EmitterStyle::value) override {
        open(Node::Kind::map, mark, tag, anchor);
    }
    void OnMapEnd() override { close(); }

  private:
    struct Open {
        Node node;
        YAML::anchor_t anchor = 0;
        std::optional<Node> key;                     // waits for its value
        std::unordered_map<std::string, int> lines;  // of the keys so far
    };

    Mark place(const YAML::Mark& mark) const { return source_.mark(mark.line, mark.column); }
    Node node(Node::Kind kind, const YAML::Mark& mark) const {
        Node made;
        made.kind = kind;
        made.mark = place(mark);
        return made;
    }
    void count(std::size_t nodes, const Mark& mark) {
        nodes_ += nodes;
        if (nodes_ > max_nodes)
            throw RunbookError(mark, "the document has more than " + std::to_string(max_nodes) + " values, aliases expanded");
    }
    void refuse_depth(std::size_t depth, const Mark& mark) const {
        if (depth > static_cast<std::size_t>(max_depth))
            throw RunbookError(mark, "nested deeper than " + std::to_string(max_depth) + " levels");
    }
    void refuse_tag(const Mark& mark) {
        findings_.error(mark, "tags (!...) are not part of this language; a value gets its type from the check");
    }
    void open(Node::Kind kind, const YAML::Mark& mark, const std::string& tag, YAML::anchor_t anchor);
    void close();
    void add(Node made, YAML::anchor_t anchor);
    void place_in(Open& parent, Node made);
    void accept_key(Open& parent, Node key);

    const SourceText& source_;
    Findings& findings_;
    std::vector<Open> stack_;
    std::map<YAML::anchor_t, Node> anchors_;
    Node root_;
    Mark document_mark_;
    std::size_t nodes_ = 0;
    int documents_ = 0;
};

void TreeBuilder::OnAlias(const YAML::Mark& mark, YAML::anchor_t anchor) {
    const auto known = anchors_.find(anchor);
    if (known == anchors_.end()) throw RunbookError(place(mark), "an alias inside the value that it stands for");
    const Size size = measure(known->second);
    count(size.nodes, place(mark));
    refuse_depth(stack_.size() + static_cast<std::size_t>(size.depth), place(mark));
    add(known->second, 0);
}

void TreeBuilder::OnScalar(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t anchor, const std::string& value) {
    Node made = node(Node::Kind::scalar, mark);
    made.text = value;
    made.quoted = tag == "!";  // yaml-cpp's sign for a quoted or block scalar, and for an explicit `!`
    const std::string_view written = source_.value_at(mark.line, mark.column);
    if ((tag != "?" && tag != "!") || written.starts_with('!')) refuse_tag(made.mark);
    if (made.quoted && !quote_ends(written)) findings_.error(made.mark, "a quote that does not end");
    if (!made.quoted && has_leading_zero(value))
        findings_.error(made.mark,
                        "a number with leading zeros, " + value + ", is read in two ways; leave them out, or quote it where it is text");
    if (!shows_all(value)) findings_.error(made.mark, "a text with control characters");
    add(std::move(made), anchor);
}

void TreeBuilder::open(Node::Kind kind, const YAML::Mark& mark, const std::string& tag, YAML::anchor_t anchor) {
    Open opened;
    opened.node = node(kind, mark);
    opened.anchor = anchor;
    if (!tag.empty() && tag != "?") refuse_tag(opened.node.mark);
    refuse_depth(stack_.size() + 1, opened.node.mark);
    stack_.push_back(std::move(opened));
}

void TreeBuilder::close() {
    Open done = std::move(stack_.back());
    stack_.pop_back();
    add(std::move(done.node), done.anchor);
}

void TreeBuilder::add(Node made, YAML::anchor_t anchor) {
    count(1, made.mark);
    if (anchor != 0) anchors_.insert_or_assign(anchor, made);
    if (stack_.empty()) {
        root_ = std::move(made);
    } else {
        place_in(stack_.back(), std::move(made));
    }
}

void TreeBuilder::place_in(Open& parent, Node made) {
    if (parent.node.is_list()) {
        parent.node.list.push_back(std::move(made));
    } else if (!parent.key) {
        accept_key(parent, std::move(made));
    } else {
        // yaml-cpp puts a value that was left out at the next token, which may be lines away.
        if (made.is_null() && made.mark.line != parent.key->mark.line) made.mark = parent.key->mark;
        parent.node.map.push_back({std::move(*parent.key), std::move(made)});
        parent.key.reset();
    }
}

void TreeBuilder::accept_key(Open& parent, Node key) {
    if (!key.is_scalar()) findings_.error(key.mark, "a key must be a plain word, not " + key.shown());
    if (key.text == "<<" && !key.quoted) findings_.error(key.mark, "'<<' (merging maps) is not part of this language; write the keys out");
    const auto [first, fresh] = parent.lines.emplace(key.text, key.mark.line);
    if (!fresh && key.is_scalar())
        findings_.error(key.mark, "the key '" + key.text + "' stands twice here; first in line " + std::to_string(first->second));
    parent.key = std::move(key);
}

// What yaml-cpp complains of, in the words of the usual mistakes.
std::string explain(const YAML::Exception& e, std::string_view line) {
    const std::string_view indentation = line.substr(0, std::min(line.find_first_not_of(" \t"), line.size()));
    if (indentation.find('\t') != std::string_view::npos) return "a tab in the indentation; YAML takes spaces only";
    const std::string hint = line.find("${") != std::string_view::npos ? "; inside { } and [ ], write \"${...}\" in quotes"
                             : is_pattern(line) ? "; inside { } and [ ], write a pattern such as \"gpu[1-4]\" in quotes"
                             : e.msg == YAML::ErrorMsg::MAP_VALUE
                                 ? " (a second ': ' in a line, or another indentation than the line before)"
                                 : "";
    return "not readable as YAML: " + e.msg + hint;
}

// Feeds the whole stream to `builder`; yaml-cpp's own complaints become findings with its mark.
void parse(std::string_view text, const SourceText& source, TreeBuilder& builder) {
    std::istringstream stream{std::string(text)};
    try {
        YAML::Parser parser(stream);
        while (parser.HandleNextDocument(builder))
            if (builder.documents() > 1)
                throw RunbookError(builder.last_document(), "more than one document, or text after the end of the first");
    } catch (const YAML::Exception& e) {
        throw RunbookError(source.mark(e.mark.line, e.mark.column), explain(e, source.line(e.mark.line)));
    }
}

}  // namespace

Node read_yaml(std::string_view text, const std::string& file) {
    const Mark whole{std::make_shared<const std::string>(file)};
    if (text.size() > max_file_bytes) throw RunbookError(whole, "the file is larger than 1 MiB");
    const SourceText source(text, file);
    Findings findings;
    TreeBuilder builder(source, findings);
    try {
        parse(text, source, builder);
    } catch (const RunbookError& e) {
        findings.add_all(e);
    }
    findings.throw_if_failed();
    Node root = builder.take();
    if (root.is_null()) throw RunbookError(whole, "the file is empty");
    return root;
}

}  // namespace diag::runbook
