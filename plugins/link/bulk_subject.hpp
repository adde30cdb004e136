// The far end of a throughput test, the way to it, and the hardware on this side of that way.
#pragma once

#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include <diag/context.hpp>

#include "bulk_floor.hpp"
#include "probe/address.hpp"
#include "probe/netlink.hpp"

namespace diag::bulk {

// As a check was told it; one of name and address is there.
struct Wanted {
    std::optional<std::string> name, address, interface;

    const std::string& shown() const { return name ? *name : *address; }
};

// The far end and the way to it; or why there is none.
struct Subject {
    std::string name, interface;
    probe::Address address;
    std::optional<probe::Address> source;
    std::string problem;  // link.bulk-unresolved or link.bulk-unroutable, in words
    std::string cause;
};

// Throws BadValue where the address is none.
Subject find_subject(const Wanted& wanted);

// Of the half there: the end that has the address which the near half goes to.  Its interface is "" where it has not.
Subject own_end(const Wanted& wanted);

// A VLAN's packets go through its lower interface.  Only what has no kind is hardware: a veth's speed is an invention.
Hardware hardware_below(const std::filesystem::path& root, const probe::Interface& named);

// What carries the bytes, by what survives a reboot and a new name: its place on the bus and its permanent MAC, as another card in the
// same slot is another adapter.  Of a bond or a bridge its ports; those that are no hardware come and go with containers.
// `place` is asked for a port's, and says "" where it has none.
using PlaceOf = std::function<std::string(const probe::Interface&)>;
std::string adapter_words(const probe::Interface& named, const std::vector<probe::Interface>& all, const PlaceOf& place);

// What a result relies on, of one end.  Throws what cannot be told.
struct Fact {
    const char* name;
    json value;
};
std::vector<Fact> facts_of(const Subject& subject, const std::filesystem::path& root);

}  // namespace diag::bulk
