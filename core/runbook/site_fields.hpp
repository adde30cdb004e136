// What machines and ends of a site file have in common: names and addresses, checked.  Not for others: use site.hpp.
#pragma once

#include <string>

#include "runbook/fields.hpp"
#include "runbook/site.hpp"

namespace diag::runbook {

// Each is the text under its key; "" where it is absent, and a finding where it is wrong.
std::string read_name(Fields& fields);      // `name`
std::string read_address(Fields& fields);   // `address`
std::string read_ssh_host(Fields& fields);  // `ssh` of a machine

// One spelling for all that mean the same: of an address (its zone stays), and of a host name, which has no case (RFC 4343).
std::string same_address(const std::string& text);
std::string same_name(std::string text);

// The links of the site file's list; the machines of `site` are known already.
std::vector<Link> read_links(const Node& list, const Site& site, Findings& findings);

}  // namespace diag::runbook
