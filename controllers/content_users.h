#pragma once

#include <map>
#include <set>
#include <vector>

#include "controllers/content.h"
#include "operator/kube/object.h"

namespace atl::controllers {

/// Who takes values from which ConfigMaps and Secrets, as the last pass of each object found out: so that a change of
/// one wakes its users, and nobody else. Holds names only. Filled by the passes that every object gets at the start.
class ContentUsers {
public:
    /// From now on the user refers to these, and to nothing else. To be called before they are read: a change after
    /// the reading is then not missed.
    void refer(const kube::ObjectKey& user, const ContentNames& names);
    /// The user refers to these too.
    void refer_also(const kube::ObjectKey& user, const ContentNames& names);
    /// The user is gone.
    void forget(const kube::ObjectKey& user);

    std::vector<kube::ObjectKey> users_of_secret(const kube::ObjectKey& secret) const;
    std::vector<kube::ObjectKey> users_of_config_map(const kube::ObjectKey& config_map) const;

private:
    using Index = std::map<kube::ObjectKey, std::set<kube::ObjectKey>>;
    std::map<kube::ObjectKey, ContentNames> names_;  // by user
    Index secrets_;
    Index config_maps_;
};

}  // namespace atl::controllers
