#include <set>

#include "base/nearest.hpp"
#include "diag/types.hpp"
#include "runbook/several.hpp"
#include "runbook/site_fields.hpp"

namespace diag::runbook {
namespace {

// The link's interface, where an end has none of its own: `${link.here.interface}` finds it there too.
void take_interface(const Link& link, Node& end) {
    const Node* common = link.node.find("interface");
    if (link.interface.empty() || end.find("interface") != nullptr || (!end.is_map() && !end.is_null())) return;
    end.kind = Node::Kind::map;
    end.map.push_back({Node{Node::Kind::scalar, "interface", false, common->mark, {}, {}}, *common});
}

End read_end(const Node& key, Node value, const Link& link, const Site& site, Findings& findings) {
    if (site.machine(key.text) == nullptr)
        findings.error(key.mark, "'machines' has no '" + key.text + "'" + base::did_you_mean(key.text, site.machine_keys()));
    take_interface(link, value);
    End end{key.text, "", "", "", std::move(value)};
    Fields fields(end.node, "the end '" + key.text + "'", findings);
    end.interface = fields.text("interface");
    end.name = read_name(fields);
    end.address = read_address(fields);
    if (end.name.empty() && end.address.empty() && (end.node.is_map() || end.node.is_null()))
        findings.error(key.mark, "the end '" + key.text + "' needs a 'name' or an 'address'");
    return end;
}

class LinkReader {
  public:
    LinkReader(const Site& site, Several& several, Findings& findings) : site_(site), several_(several), findings_(findings) {}

    Link read(const Node& node) {
        Link link;
        link.node = node;
        Fields fields(node, "a link", findings_);
        const Node& id = fields.require("id", "a short name for this link");
        link.id = id.text;
        if (!id.is_null() && !is_name(id.text))
            findings_.error(id.mark, id.shown() + " cannot be the id of a link (letters, digits, '.', '_' and '-')");
        link.port = fields.text("port");
        link.group = fields.text("group");
        link.management = fields.boolean("management");
        link.interface = fields.text("interface");
        read_pairs(fields, link);
        read_ends(fields, link);
        return link;
    }

  private:
    void read_pairs(Fields& fields, Link& link) {
        const std::string text = fields.text("pairs");
        if (text.empty()) return;
        try {
            link.pairs = parse_pairs(text);
        } catch (const BadValue& e) {
            findings_.error(fields.node().find("pairs")->mark, std::string("'pairs': ") + e.what());
        }
    }

    void read_ends(Fields& fields, Link& link) {
        const Node* members = fields.get("members");
        const Node* end = fields.get("end");
        if (members == nullptr) {
            const Node& ends = fields.require("ends", "the machines at its ends, each with its interface, name and address; or 'members'");
            add(ends, link);
            if (end != nullptr) findings_.error(end->mark, "'end' gives the values of 'members', and this link has none");
            return;
        }
        if (const Node* ends = fields.get("ends"); ends != nullptr) add(*ends, link);
        if (end != nullptr && !end->is_map())
            findings_.error(end->mark, "'end' must be a map such as {name: \"{machine}-data\"}, not " + end->shown());
        const Node none{Node::Kind::map, "", false, members->mark, {}, {}};
        add(several_.members(*members, end != nullptr && end->is_map() ? *end : none), link);
    }

    void add(const Node& ends, Link& link) {
        if (!ends.is_map() && !ends.is_null()) findings_.error(ends.mark, "'ends' must be a map of machines, not " + ends.shown());
        if (ends.is_map() && ends.map.empty()) findings_.error(ends.mark, "link '" + link.id + "' has no ends");
        add(several_.entries(ends), link);
    }

    void add(std::vector<Entry>&& entries, Link& link) {
        for (auto& [key, value] : entries) {
            const bool told = several_.told(key.mark);
            if (!link.end_numbers.emplace(key.text, link.ends.size()).second && link.node.find("members") != nullptr)
                findings_.error(key.mark, "'" + key.text + "' is an end of link '" + link.id + "' twice");
            link.ends.push_back(told ? End{key.text, "", "", "", value} : read_end(key, std::move(value), link, site_, findings_));
        }
    }

    const Site& site_;
    Several& several_;
    Findings& findings_;
};

}  // namespace

std::vector<Link> read_links(const Node& list, const Site& site, Findings& findings) {
    Several several(findings);
    LinkReader reader(site, several, findings);
    std::vector<Link> links;
    for (const auto& node : list.list) links.push_back(reader.read(node));
    return links;
}

}  // namespace diag::runbook
