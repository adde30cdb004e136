#include "runbook/site.hpp"

#include <algorithm>
#include <map>

#include <arpa/inet.h>

#include "base/nearest.hpp"
#include "runbook/fields.hpp"

namespace diag::runbook {
namespace {

bool is_address(const std::string& text) {
    in6_addr room;
    if (::inet_pton(AF_INET, text.c_str(), &room) == 1) return true;
    const std::size_t zone = text.find('%');
    if (zone != std::string::npos && (zone + 1 == text.size() || text.compare(0, 4, "fe80") != 0)) return false;
    return ::inet_pton(AF_INET6, text.substr(0, zone).c_str(), &room) == 1;
}

// RFC 1123 labels; an underscore is let through, since resolvers do.
bool is_host_name(const std::string& text) {
    if (text.empty() || text.size() > 253) return false;
    for (std::size_t start = 0; start <= text.size();) {
        const std::size_t end = std::min(text.find('.', start), text.size());
        const std::string label = text.substr(start, end - start);
        const auto fits = [](char c) {
            return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '-' || c == '_';
        };
        if (label.empty() || label.size() > 63 || label.front() == '-' || label.back() == '-' ||
            !std::all_of(label.begin(), label.end(), fits))
            return false;
        start = end + 1;
    }
    return true;
}

// `name`, checked; "" where it is absent or wrong.
std::string read_name(Fields& fields) {
    std::string name = fields.text("name");
    if (name.empty()) return "";
    const Mark& mark = fields.node().find("name")->mark;
    if (is_address(name))
        fields.findings().error(mark, "'" + name + "' is an address; write it under 'address'");
    else if (!is_host_name(name))
        fields.findings().error(mark, "'" + name + "' is no host name (letters, digits and '-', in parts joined by '.')");
    return name;
}

std::string read_address(Fields& fields) {
    std::string address = fields.text("address");
    if (address.empty() || is_address(address)) return address;
    const bool prefix = address.find('/') != std::string::npos && is_address(address.substr(0, address.find('/')));
    fields.findings().error(fields.node().find("address")->mark,
                            "'" + address + "' is no IPv4 or IPv6 address" + (prefix ? "; leave the prefix length out" : ""));
    return address;
}

// A Host of ssh's configuration looks like a host name; the user is told apart (`ssh: {user: ...}`).
std::string read_ssh_host(Fields& fields) {
    std::string host = fields.text("ssh");
    if (!host.empty() && !is_address(host) && !is_host_name(host))
        fields.findings().error(fields.node().find("ssh")->mark,
                                "'" + host + "' is not whom ssh can call: a host name, an address, or a Host of ssh's configuration");
    return host;
}

Machine read_machine(const Node& key, const Node& value, Findings& findings) {
    if (!is_name(key.text))
        findings.error(key.mark, "'" + key.text + "' cannot be the key of a machine (letters, digits, '.', '_' and '-')");
    Machine machine{key.text, "", "", {}, value};
    Fields fields(value, "machine '" + key.text + "'", findings);
    machine.name = read_name(fields);
    machine.ssh = read_ssh_host(fields);
    machine.roles = fields.words("roles");
    return machine;
}

End read_end(const Node& key, const Node& value, const Site& site, Findings& findings) {
    const auto keys = site.machine_keys();
    if (site.machine(key.text) == nullptr)
        findings.error(key.mark, "'machines' has no '" + key.text + "'" + base::did_you_mean(key.text, keys));
    End end{key.text, "", "", "", value};
    Fields fields(value, "the end '" + key.text + "'", findings);
    end.interface = fields.text("interface");
    end.name = read_name(fields);
    end.address = read_address(fields);
    if (end.name.empty() && end.address.empty() && (value.is_map() || value.is_null()))
        findings.error(key.mark, "the end '" + key.text + "' needs a 'name' or an 'address'");
    return end;
}

Link read_link(const Node& node, const Site& site, Findings& findings) {
    Link link;
    link.node = node;
    Fields fields(node, "a link", findings);
    const Node& id = fields.require("id", "a short name for this link");
    link.id = id.text;
    if (!id.is_null() && !is_name(id.text))
        findings.error(id.mark, id.shown() + " cannot be the id of a link (letters, digits, '.', '_' and '-')");
    link.port = fields.text("port");
    link.group = fields.text("group");
    link.management = fields.boolean("management");
    const Node& ends = fields.require("ends", "the machines at its ends, each with its interface, name and address");
    if (!ends.is_map() && !ends.is_null()) findings.error(ends.mark, "'ends' must be a map of machines, not " + ends.shown());
    for (const auto& [key, value] : ends.map) link.ends.push_back(read_end(key, value, site, findings));
    if (ends.is_map() && link.ends.empty()) findings.error(ends.mark, "link '" + link.id + "' has no ends");
    return link;
}

// Ids, names and addresses that two links or two machines share are slips of the pen: later, they send a check to the wrong place.
class Shared {
  public:
    explicit Shared(Findings& findings) : findings_(findings) {}
    void see(const std::string& what, const std::string& value, const std::string& owner, const Mark& mark) {
        if (value.empty()) return;
        const auto [first, fresh] = seen_.try_emplace(what + " " + value, std::make_pair(owner, mark));
        if (!fresh && first->second.first != owner)
            findings_.error(mark, what + " '" + value + "' is given twice; first at " + to_text(first->second.second));
    }

  private:
    Findings& findings_;
    std::map<std::string, std::pair<std::string, Mark>> seen_;
};

void refuse_duplicates(const Site& site, Findings& findings) {
    Shared shared(findings);
    for (const auto& machine : site.machines)
        if (!machine.name.empty()) shared.see("the name", machine.name, machine.key, machine.node.find("name")->mark);
    for (const auto& link : site.links) {
        if (const Node* id = link.node.find("id"); id != nullptr) shared.see("the link id", link.id, to_text(id->mark), id->mark);
        for (const auto& end : link.ends) {
            if (!end.name.empty()) shared.see("the name", end.name, end.machine, end.node.find("name")->mark);
            if (!end.address.empty()) shared.see("the address", end.address, end.machine, end.node.find("address")->mark);
        }
    }
}

void read_ssh(const Node& node, Site& site, Findings& findings) {
    Fields fields(node, "'ssh'", findings);
    site.ssh_user = fields.text("user");
    site.ssh_config = fields.text("config");
    if (!site.ssh_user.empty() && !is_name(site.ssh_user))
        findings.error(node.find("user")->mark, "'" + site.ssh_user + "' is no user name");
    fields.refuse_others();
}

void refuse_misspelt(const Site& site, Findings& findings) {
    static const std::vector<std::string> core = {"ssh", "lab", "machines", "links"};
    for (const auto& key : site.root.keys())
        if (std::find(core.begin(), core.end(), key) == core.end())
            if (const auto near = base::nearest(key, core); near && site.root.find(*near) == nullptr && near != "lab" && near != "ssh")
                findings.error(site.root.find(key)->mark, "'" + key + "' is not a key of the site file" + base::did_you_mean(key, core));
}

}  // namespace

const End* Link::end(std::string_view machine) const {
    const auto found = std::find_if(ends.begin(), ends.end(), [&](const End& end) { return end.machine == machine; });
    return found == ends.end() ? nullptr : &*found;
}

const Machine* Site::machine(std::string_view key) const {
    const auto found = std::find_if(machines.begin(), machines.end(), [&](const Machine& machine) { return machine.key == key; });
    return found == machines.end() ? nullptr : &*found;
}

std::vector<std::string> Site::machine_keys() const {
    std::vector<std::string> keys;
    for (const auto& machine : machines) keys.push_back(machine.key);
    return keys;
}

Site parse_site(const std::string& text, const std::string& file) {
    Site site;
    site.file = file;
    site.text = text;
    site.root = read_yaml(text, file);
    Findings findings;
    Fields fields(site.root, "the site file", findings);
    if (const Node* ssh = fields.get("ssh"); ssh != nullptr) read_ssh(*ssh, site, findings);
    site.lab = fields.boolean("lab");
    const Node& machines = fields.require("machines", "each machine's key, and below it its name and roles");
    if (!machines.is_map() && !machines.is_null()) findings.error(machines.mark, "'machines' must be a map, not " + machines.shown());
    for (const auto& [key, value] : machines.map) site.machines.push_back(read_machine(key, value, findings));
    const Node* links = fields.get("links");
    if (links != nullptr && !links->is_list()) findings.error(links->mark, "'links' must be a list (- id: ...), not " + links->shown());
    for (std::size_t i = 0; links != nullptr && i < links->list.size(); ++i)
        site.links.push_back(read_link(links->list[i], site, findings));
    refuse_misspelt(site, findings);
    refuse_duplicates(site, findings);
    findings.throw_if_failed();
    return site;
}

Site read_site(const std::string& path) { return parse_site(read_text(path), path); }

}  // namespace diag::runbook
