#include "runbook/site_draft.hpp"

#include <cctype>

#include <yaml-cpp/yaml.h>

namespace diag::runbook {
namespace {

void emit(YAML::Emitter& out, const DraftValue& value) {
    if (!value.list) {
        out << value.words.at(0);
        return;
    }
    out << YAML::Flow << YAML::BeginSeq;
    for (const auto& word : value.words) out << word;
    out << YAML::EndSeq;
}

void emit_keys(YAML::Emitter& out, const DraftMap& map) {
    for (const auto& [key, value] : map) {
        out << YAML::Key << key << YAML::Value;
        emit(out, value);
    }
}

// {a: b, c: d} on one line, as people write machines and ends.
void emit_flow(YAML::Emitter& out, const DraftMap& map) {
    out << YAML::Flow << YAML::BeginMap;
    emit_keys(out, map);
    out << YAML::EndMap;
}

void emit_by_name(YAML::Emitter& out, const std::vector<std::pair<std::string, DraftMap>>& maps) {
    out << YAML::BeginMap;
    for (const auto& [name, map] : maps) {
        out << YAML::Key << name << YAML::Value;
        emit_flow(out, map);
    }
    out << YAML::EndMap;
}

void emit_links(YAML::Emitter& out, const std::vector<SiteDraft::Link>& links) {
    out << YAML::Key << "links" << YAML::Value << YAML::BeginSeq;
    for (const auto& link : links) {
        out << YAML::BeginMap << YAML::Key << "id" << YAML::Value << link.id;
        emit_keys(out, link.keys);
        out << YAML::Key << "ends" << YAML::Value;
        emit_by_name(out, link.ends);
        out << YAML::EndMap;
    }
    out << YAML::EndSeq;
}

// A comment of one line, whatever is in the text.
std::string comment(std::string text) {
    for (char& c : text)
        if (std::iscntrl(static_cast<unsigned char>(c)) != 0) c = ' ';
    return "# " + text + "\n";
}

}  // namespace

std::string machine_key(const std::string& host_name) {
    std::string key = host_name.substr(0, host_name.find('.'));
    for (char& c : key)
        if (std::isalnum(static_cast<unsigned char>(c)) == 0 && c != '_' && c != '-') c = '-';
    return key.empty() || key.front() == '-' ? "node" + key : key;
}

DraftValue scalar(std::string text) { return {{std::move(text)}, false}; }

std::string to_yaml(const SiteDraft& draft) {
    YAML::Emitter out;
    out << YAML::BeginMap;
    if (!draft.ssh.empty()) {
        out << YAML::Key << "ssh" << YAML::Value;
        emit_flow(out, draft.ssh);
    }
    out << YAML::Key << "machines" << YAML::Value;
    emit_by_name(out, draft.machines);
    if (!draft.links.empty()) emit_links(out, draft.links);
    for (const auto& [key, map] : draft.others) {
        out << YAML::Key << key << YAML::Value;
        emit_flow(out, map);
    }
    out << YAML::EndMap;
    std::string text = comment(draft.about);
    for (const auto& sentence : draft.decided) text += comment("Found: " + sentence);
    for (const auto& sentence : draft.unknown) text += comment("To add: " + sentence);
    return text + "\n" + out.c_str() + "\n";
}

}  // namespace diag::runbook
