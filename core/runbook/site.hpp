// The site file: the facts about machines and links.  The core knows few keys; all others stay in `node`.
#pragma once

#include <functional>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "runbook/node.hpp"
#include "runbook/pairs.hpp"

namespace diag::runbook {

using Numbers = std::map<std::string, std::size_t, std::less<>>;  // places in a vector, by key

struct Machine {
    std::string key;
    std::string name;  // "" where the site file gives none
    std::string ssh;   // whom ssh calls, where that is not found from names and links; else ""
    std::vector<std::string> roles;
    Node node;  // all that stands below the key
};

// One machine's end of a link.
struct End {
    std::string machine;                   // a key of `machines`
    std::string interface, name, address;  // "" where the site file gives none; name or address is there
    Node node;
};

struct Link {
    std::string id, port, group, interface;  // all but id may be ""; interface: of every end that names none
    bool management = false;
    Pairs pairs;            // which pairs of its ends are measured, where a checkpoint does not say
    std::vector<End> ends;  // in the order of the file, members last; one alone, where the others are not known yet
    Numbers end_numbers;    // by machine
    Node node;

    const End* end(std::string_view machine) const;
};

struct Site {
    std::string file, text;            // as it was read, for the record
    std::string ssh_user, ssh_config;  // "" where the site file gives none; `~/` is not expanded
    bool lab = false;
    std::vector<Machine> machines;
    Numbers machine_numbers;
    std::vector<Link> links;
    Node root;  // as the file is written: patterns are not expanded in it

    const Machine* machine(std::string_view key) const;
    std::vector<std::string> machine_keys() const;
};

// Only these make a Site; both throw RunbookError with every error of the file.
Site parse_site(const std::string& text, const std::string& file);
Site read_site(const std::string& path);

// The key of this machine: `chosen` (--machine, DIAG_MACHINE) where it is not empty, else the one whose key, name or
// first label of the name is `hostname`.  Throws RunbookError with the list of keys.
std::string this_machine(const Site& site, const std::string& chosen, const std::string& hostname);

// Whom ssh calls to reach `machine`: its key `ssh`; else its name; else the name or address of its end of the management
// link, or of any other; else its key, which ssh's own configuration may know.
std::string ssh_host(const Site& site, const Machine& machine);

// What may stand under `name` and under `address`.
bool is_host_name(const std::string& text);
bool is_address(const std::string& text);

}  // namespace diag::runbook
