#include "controllers/content_users.h"

#include <string>

namespace atl::controllers {

namespace {

using Index = std::map<kube::ObjectKey, std::set<kube::ObjectKey>>;

void add(Index& index, const kube::ObjectKey& user, const std::set<std::string>& names) {
    for (const std::string& name : names) index[kube::ObjectKey(user.ns, name)].insert(user);
}

void drop(Index& index, const kube::ObjectKey& user, const std::set<std::string>& names) {
    for (const std::string& name : names) {
        const auto found = index.find(kube::ObjectKey(user.ns, name));
        if (found == index.end()) continue;
        found->second.erase(user);
        if (found->second.empty()) index.erase(found);
    }
}

std::vector<kube::ObjectKey> users_of(const Index& index, const kube::ObjectKey& key) {
    const auto found = index.find(key);
    if (found == index.end()) return {};
    return {found->second.begin(), found->second.end()};
}

}  // namespace

void ContentUsers::refer(const kube::ObjectKey& user, const ContentNames& names) {
    const auto known = names_.find(user);
    if (known != names_.end() && known->second == names) return;
    forget(user);
    refer_also(user, names);
}

void ContentUsers::refer_also(const kube::ObjectKey& user, const ContentNames& names) {
    if (names == ContentNames()) return;
    ContentNames& known = names_[user];
    known.secrets.insert(names.secrets.begin(), names.secrets.end());
    known.config_maps.insert(names.config_maps.begin(), names.config_maps.end());
    add(secrets_, user, names.secrets);
    add(config_maps_, user, names.config_maps);
}

void ContentUsers::forget(const kube::ObjectKey& user) {
    const auto known = names_.find(user);
    if (known == names_.end()) return;
    drop(secrets_, user, known->second.secrets);
    drop(config_maps_, user, known->second.config_maps);
    names_.erase(known);
}

std::vector<kube::ObjectKey> ContentUsers::users_of_secret(const kube::ObjectKey& secret) const {
    return users_of(secrets_, secret);
}

std::vector<kube::ObjectKey> ContentUsers::users_of_config_map(const kube::ObjectKey& config_map) const {
    return users_of(config_maps_, config_map);
}

}  // namespace atl::controllers
