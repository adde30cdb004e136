#include "runbook/site.hpp"

#include <algorithm>
#include <map>

#include "base/nearest.hpp"
#include "runbook/fields.hpp"
#include "runbook/several.hpp"
#include "runbook/site_fields.hpp"

namespace diag::runbook {
namespace {

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

void read_machines(const Node& map, Site& site, Findings& findings) {
    Several several(findings);
    for (const auto& [key, value] : several.entries(map)) {
        site.machine_numbers.emplace(key.text, site.machines.size());
        site.machines.push_back(several.told(key.mark) ? Machine{key.text, "", "", {}, value} : read_machine(key, value, findings));
    }
}

// Ids, names and addresses that two links or two machines share are slips of the pen: later, they send a check to the wrong place.
class Shared {
  public:
    explicit Shared(Findings& findings) : findings_(findings) {}
    // `meant`: the same for every spelling of one thing.
    void see(const std::string& what, const std::string& value, const std::string& meant, const std::string& owner, const Mark& mark) {
        if (value.empty()) return;
        const auto [first, fresh] = seen_.try_emplace(what + " " + meant, First{owner, value, mark});
        if (fresh || first->second.owner == owner) return;
        const std::string place = to_text(first->second.mark), spelt = first->second.value;
        if (place == to_text(mark))
            findings_.error(mark, what + " '" + value + "' is given to several machines; write a pattern of as many, or {machine} in it");
        else
            findings_.error(mark,
                            what + " '" + value + "' is given twice; first at " + place + (spelt == value ? "" : ", as '" + spelt + "'"));
    }

  private:
    struct First {
        std::string owner, value;
        Mark mark;
    };
    Findings& findings_;
    std::map<std::string, First> seen_;
};

void refuse_duplicates(const Site& site, Findings& findings) {
    Shared shared(findings);
    for (const auto& machine : site.machines)
        if (!machine.name.empty())
            shared.see("the name", machine.name, same_name(machine.name), machine.key, machine.node.find("name")->mark);
    for (const auto& link : site.links) {
        if (const Node* id = link.node.find("id"); id != nullptr) shared.see("the link id", link.id, link.id, to_text(id->mark), id->mark);
        for (const auto& end : link.ends) {
            if (!end.name.empty()) shared.see("the name", end.name, same_name(end.name), end.machine, end.node.find("name")->mark);
            if (!end.address.empty())
                shared.see("the address", end.address, same_address(end.address), end.machine, end.node.find("address")->mark);
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
    const auto found = end_numbers.find(machine);
    return found == end_numbers.end() ? nullptr : &ends[found->second];
}

const Machine* Site::machine(std::string_view key) const {
    const auto found = machine_numbers.find(key);
    return found == machine_numbers.end() ? nullptr : &machines[found->second];
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
    read_machines(machines, site, findings);
    const Node* links = fields.get("links");
    if (links != nullptr && !links->is_list()) findings.error(links->mark, "'links' must be a list (- id: ...), not " + links->shown());
    if (links != nullptr) site.links = read_links(*links, site, findings);
    refuse_misspelt(site, findings);
    refuse_duplicates(site, findings);
    findings.throw_if_failed();
    return site;
}

Site read_site(const std::string& path) { return parse_site(read_text(path), path); }

}  // namespace diag::runbook
