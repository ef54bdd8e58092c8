#include "operator/apiserver/registry.h"

#include <set>

namespace atl::apiserver {

void Registry::add(ResourceType type) {
    Id id{type.group, type.version, type.plural};
    types_[std::move(id)] = std::make_shared<const ResourceType>(std::move(type));
    ++generation_;
}

void Registry::set_custom(const std::string& crd, std::vector<ResourceType> types) {
    std::erase_if(types_, [&](const auto& entry) { return entry.second->crd == crd; });
    ++generation_;
    for (ResourceType& type : types) add(std::move(type));
}

TypePtr Registry::find(const std::string& group, const std::string& version, const std::string& plural) const {
    const auto found = types_.find({group, version, plural});
    return found == types_.end() ? nullptr : found->second;
}

TypePtr Registry::find_kind(const std::string& api_version, const std::string& kind) const {
    for (const auto& [id, type] : types_) {
        if (type->kind == kind && type->api_version() == api_version) return type;
    }
    return nullptr;
}

std::vector<TypePtr> Registry::all() const {
    std::vector<TypePtr> types;
    for (const auto& [id, type] : types_) types.push_back(type);
    return types;
}

std::vector<TypePtr> Registry::stored() const {
    std::vector<TypePtr> types;
    std::set<std::string> seen;
    for (const auto& [id, type] : types_) {
        if (!type->storage.empty() && seen.insert(type->storage).second) types.push_back(type);
    }
    return types;
}

}  // namespace atl::apiserver
