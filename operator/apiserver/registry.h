#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "operator/apiserver/resource_type.h"

namespace atl::apiserver {

/// Every resource that is served: the built-in ones and those of CustomResourceDefinitions.
class Registry {
public:
    /// Adds a built-in resource.
    void add(ResourceType type);
    /// Replaces all versions of a custom resource; an empty list takes it away.
    void set_custom(const std::string& crd, std::vector<ResourceType> types);

    /// nullptr if nothing of that name is served.
    TypePtr find(const std::string& group, const std::string& version, const std::string& plural) const;
    /// A type by kind, as ownerReferences name it; nullptr if unknown.
    TypePtr find_kind(const std::string& api_version, const std::string& kind) const;
    /// All of them, by group, version and plural; the core group first.
    std::vector<TypePtr> all() const;
    /// One type for each stored resource.
    std::vector<TypePtr> stored() const;
    /// Rises with each change.
    std::uint64_t generation() const { return generation_; }

private:
    struct Id {
        std::string group;
        std::string version;
        std::string plural;
        auto operator<=>(const Id&) const = default;
    };
    std::map<Id, TypePtr> types_;
    std::uint64_t generation_ = 1;
};

}  // namespace atl::apiserver
