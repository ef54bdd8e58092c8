#pragma once

#include <optional>
#include <string>

#include "cloud/model.h"
#include "operator/base/random.h"
#include "operator/kube/client.h"
#include "operator/kube/finalizers.h"
#include "operator/kube/pass.h"

namespace atl::controllers {

/// Who this installation of Atoll is: an id that all marks carry, and the key that proves owner ids.
struct Installation {
    std::string id;
    std::string key;
    bool operator==(const Installation&) const = default;
};

/// The Secret that holds it, in the operator's namespace.
inline constexpr const char* kInstallationSecret = "atoll-installation";
/// What that Secret holds. An Invalid error (BadInstallation) if it is damaged.
Result<Installation> installation_in(const kube::Object& secret);

/// Reads the Secret `atoll-installation` of the operator's namespace, or makes it (random id and key) if there is none.
/// Two processes at once agree: the first create wins. An Invalid error (BadInstallation) if it is damaged.
Task<Installation> find_or_make_installation(kube::Client& client, Random& random, std::string name_space);

/// The same Secret, only read; nullopt if there is none.
Task<std::optional<Installation>> find_installation(kube::Client& client, std::string name_space);

/// The owner ids of our objects: `<uid at birth>.<HMAC-SHA256 over kind, namespace, name and that uid>`, in the
/// annotation atoll.dev/owner-id, written once together with the finalizer. Marks, names and tokens are made of it,
/// never of a live UID, so that an object may move between API servers.
class Identity {
public:
    explicit Identity(Installation installation) : installation_(std::move(installation)) {}

    /// Makes sure that finalizer and owner id are on the object, written together with `also`, and gives its Owner. An
    /// id that is not ours, or was copied from another object, is an Invalid error (IdentityMismatch).
    Task<cloud::Owner> ensure(kube::Pass& pass, kube::Finalizers& finalizers, kube::StringMap also = {}) const;
    /// The Owner of an object that already has its id; an Invalid error (IdentityMismatch) if it has none or a wrong
    /// one.
    Result<cloud::Owner> owner_of(const kube::Object& object, const std::string& kind) const;
    const Installation& installation() const { return installation_; }
    /// From now on the ids of this installation are ours. It may change only while nothing was made under the old one.
    void adopt(Installation installation) { installation_ = std::move(installation); }

private:
    std::string signature(const std::string& kind, const kube::ObjectKey& key, const std::string& uid) const;
    Installation installation_;
};

}  // namespace atl::controllers
