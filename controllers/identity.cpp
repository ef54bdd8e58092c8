#include "controllers/identity.h"

#include <utility>

#include <nlohmann/json.hpp>

#include "controllers/secret_values.h"
#include "controllers/types.h"
#include "operator/base/digest.h"
#include "operator/base/names.h"

namespace atl::controllers {

Result<Installation> installation_in(const kube::Object& secret) {
    auto values = values_of(secret);
    Installation installation{values["id"], values["key"]};
    if (installation.id.empty() || installation.key.size() < 16) {
        return invalid(
            "BadInstallation",
            "Secret \"" + secret.key().to_string() +
                "\" must hold the keys \"id\" and \"key\"; restore it from a backup: without it nothing that "
                "was made can be recognised");
    }
    return installation;
}

Task<Installation> find_or_make_installation(kube::Client& client, Random& random, std::string name_space) {
    kube::Target target(types::kSecret, kube::ObjectKey(name_space, kInstallationSecret));
    const std::optional<kube::Object> present = co_await client.find(target);
    if (present) co_return installation_in(*present);
    const std::map<std::string, std::string> values{{"id", random.uuid()}, {"key", random.bytes(32)}};
    nlohmann::json secret;
    secret["metadata"] = {{"name", kInstallationSecret}, {"namespace", name_space}};
    secret["data"] = secret_data(values);
    const auto made = co_await client.create(types::kSecret, secret).attempt();
    if (made.ok()) co_return installation_in(*made);
    if (made.error().reason() != "AlreadyExists")
        co_return Error(made.error()).during("making the Secret atoll-installation");
    const std::optional<kube::Object> theirs = co_await client.find(target);
    if (!theirs) co_return transient("BadInstallation", "the Secret atoll-installation came and went");
    co_return installation_in(*theirs);
}

Task<std::optional<Installation>> find_installation(kube::Client& client, std::string name_space) {
    const kube::Target target(types::kSecret, kube::ObjectKey(name_space, kInstallationSecret));
    const std::optional<kube::Object> present = co_await client.find(target);
    if (!present) co_return std::nullopt;
    co_return co_await installation_in(*present);
}

std::string Identity::signature(const std::string& kind, const kube::ObjectKey& key, const std::string& uid) const {
    return hmac_sha256_hex(installation_.key, kind + "\n" + key.ns + "\n" + key.name + "\n" + uid).substr(0, 32);
}

Task<cloud::Owner> Identity::ensure(kube::Pass& pass, kube::Finalizers& finalizers, kube::StringMap also) const {
    const std::string& kind = pass.type().kind;
    if (!pass.object().annotation(marks::kOwnerId)) {
        const std::string& uid = pass.object().meta().uid;
        also.set(marks::kOwnerId, uid + "." + signature(kind, pass.key(), uid));
    } else {
        co_await owner_of(pass.object(), kind);
    }
    co_await finalizers.ensure(pass, std::move(also));
    co_return owner_of(pass.object(), kind);
}

Result<cloud::Owner> Identity::owner_of(const kube::Object& object, const std::string& kind) const {
    const std::string id = object.annotation(marks::kOwnerId).value_or("");
    const std::size_t dot = id.find('.');
    const std::string uid = id.substr(0, dot);
    const bool ours = dot != std::string::npos && !uid.empty() &&
                      equal_in_constant_time(id.substr(dot + 1), signature(kind, object.key(), uid));
    if (!ours) {
        const std::string let_go =
            "annotation \"" + std::string(marks::kAbandon) + "=" + object.key().name + "\" lets it go";
        return invalid("IdentityMismatch",
                       "annotation \"" + std::string(marks::kOwnerId) +
                           "\" was not written by this installation for this object; nothing is touched" +
                           (object.meta().being_deleted()
                                ? ". What was made for it is not known, so it is not cleaned up; " + let_go
                                : ", also by a deletion (" + let_go +
                                      " then). Remove the annotation if the object is meant to start anew"));
    }
    return cloud::Owner{installation_.id, uid, kind, object.key().ns, object.key().name};
}

}  // namespace atl::controllers
