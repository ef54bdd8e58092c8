#pragma once

#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include <nlohmann/json_fwd.hpp>

#include "operator/apiserver/store.h"

namespace atl::apiserver {

/// One entry of metadata.ownerReferences.
struct OwnerReference {
    std::string uid;
    std::string api_version;
    std::string kind;
    bool blocks = false;  ///< blockOwnerDeletion
};

/// What the garbage collector knows of an object.
struct OwnedObject {
    Key key;
    std::string uid;
    std::vector<OwnerReference> owners;
    bool is_deleting = false;
    bool is_foreground = false;  ///< has the finalizer foregroundDeletion
    bool is_orphaning = false;   ///< has the finalizer orphan
};

/// All objects by uid, and who owns whom. Pure: fed with the store's changes.
class OwnerGraph {
public:
    /// Takes an object in, as it is now.
    void put(const Key& key, const nlohmann::json& object);
    void erase(const std::string& uid);
    /// Objects that a change may concern, in no order of importance; empties the list.
    std::set<std::string> take_touched();
    void touch(const std::string& uid) { touched_.insert(uid); }

    const OwnedObject* find(const std::string& uid) const;
    std::vector<const OwnedObject*> dependents_of(const std::string& uid) const;

private:
    void unlink(const OwnedObject& object);
    std::map<std::string, OwnedObject> objects_;
    std::map<std::string, std::set<std::string>> dependents_;  ///< by the owner's uid
    std::set<std::string> touched_;
};

}  // namespace atl::apiserver
