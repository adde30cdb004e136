// A first site file, as text for a person to go on with: what is known as YAML, what is not as comments.
#pragma once

#include <string>
#include <utility>
#include <vector>

namespace diag::runbook {

// Keys in their order; a value is a scalar as it is written, or a list of words.
struct DraftValue {
    std::vector<std::string> words;
    bool list = false;
};
using DraftMap = std::vector<std::pair<std::string, DraftValue>>;

struct SiteDraft {
    struct Link {
        std::string id;
        DraftMap keys;
        std::vector<std::pair<std::string, DraftMap>> ends;  // by machine
    };
    std::string about;                 // where it comes from, one sentence
    std::vector<std::string> decided;  // what was found and how, a sentence each
    DraftMap ssh;
    std::vector<std::pair<std::string, DraftMap>> machines;  // by key
    std::vector<Link> links;
    std::vector<std::pair<std::string, DraftMap>> others;  // by top-level key
    std::vector<std::string> unknown;                      // what the person has to add, a sentence each
};

// The key that a host name gives a machine: its first label, of letters, digits, '.', '_' and '-' only.
std::string machine_key(const std::string& host_name);

DraftValue scalar(std::string text);

// A document that parse_site() reads.
std::string to_yaml(const SiteDraft& draft);

}  // namespace diag::runbook
