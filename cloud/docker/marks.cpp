#include "cloud/docker/marks.h"

#include "cloud/let_go.h"
#include "operator/base/digest.h"

namespace atl::cloud::docker {

Labels marks_of(const Owner& owner, const std::string& graph_name) {
    return {{std::string(kInstallationLabel), owner.installation},
            {std::string(kOwnerLabel), owner.id},
            {std::string(kNameLabel), graph_name},
            {std::string(kObjectLabel), owner.kind + " " + owner.name_space + "/" + owner.name}};
}

Labels without_mark(Labels labels) {
    labels.erase(std::string(kInstallationLabel));
    labels.erase(std::string(kOwnerLabel));
    return labels;
}

Error marks_stay(const ResourceKey& key) {
    return unsupported(kMarksStay, "the engine cannot change the labels of " + key.to_string());
}

bool is_owned(const Labels& labels, const Owner& owner) {
    const auto installation = labels.find(std::string(kInstallationLabel));
    const auto id = labels.find(std::string(kOwnerLabel));
    return installation != labels.end() && installation->second == owner.installation && id != labels.end() &&
           id->second == owner.id;
}

std::vector<std::pair<std::string, std::string>> filter_of(const Owner& owner) {
    return {{std::string(kInstallationLabel), owner.installation}, {std::string(kOwnerLabel), owner.id}};
}

std::string name_on_engine(const Owner& owner, const ResourceKey& key) {
    constexpr std::size_t kReadable = 50;
    const std::string identity = owner.installation + '\n' + owner.id + '\n' + key.kind + '\n' + key.name;
    return as_dns_label(key.name, kReadable) + "-" + sha256_hex(identity).substr(0, 10);
}

std::string lasting_name_on_engine(const Owner& owner, const ResourceKey& key) {
    Owner any = owner;
    any.id = owner.kind + '\n' + owner.name_space + '\n' + owner.name;
    return name_on_engine(any, key);
}

bool is_of_predecessor(const Labels& labels, const Owner& owner) {
    const Labels ours = marks_of(owner, "");
    const auto same = [&](std::string_view name) {
        const auto found = labels.find(std::string(name));
        return found != labels.end() && found->second == ours.at(std::string(name));
    };
    return same(kInstallationLabel) && same(kObjectLabel) && !same(kOwnerLabel);
}

std::string network_name(const std::string& group) {
    constexpr std::size_t kReadable = 40;
    return "atoll-" + as_dns_label(group, kReadable) + "-" + sha256_hex(group).substr(0, 8);
}

std::string as_dns_label(std::string_view text, std::size_t longest) {
    std::string label;
    for (const char c : text.substr(0, longest)) {
        const bool digit = c >= '0' && c <= '9';
        const bool lower = c >= 'a' && c <= 'z';
        const bool upper = c >= 'A' && c <= 'Z';
        if (upper)
            label += static_cast<char>(c - 'A' + 'a');
        else
            label += digit || lower ? c : '-';
    }
    while (!label.empty() && label.front() == '-') label.erase(0, 1);
    while (!label.empty() && label.back() == '-') label.pop_back();
    return label.empty() ? "x" : label;
}

}  // namespace atl::cloud::docker
