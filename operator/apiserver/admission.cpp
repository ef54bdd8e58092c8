#include "operator/apiserver/admission.h"

#include <nlohmann/json.hpp>

#include "operator/apiserver/json_access.h"

namespace atl::apiserver {

Result<Unit> Admission::admit(const AdmissionRequest& request) const {
    for (const Check& check : checks_) {
        auto admitted = check(request);
        if (!admitted.ok()) return admitted;
    }
    return ok();
}

Result<Unit> check_namespace_deletion(const AdmissionRequest& request) {
    if (request.verb != "delete" || request.type.storage != "namespaces") return ok();
    if (request.name != "default" && request.name != "kube-system") return ok();
    return forbidden(request.type.subject(request.name), "this namespace may not be deleted");
}

Result<Unit> check_deletion_protection(const AdmissionRequest& request) {
    if (request.verb != "delete" || request.type.group != "atoll.dev" || request.old == nullptr) return ok();
    if (!is_true(child(*request.old, "spec"), "deletionProtection")) return ok();
    return forbidden(request.type.subject(request.name),
                     "ValidatingAdmissionPolicy 'atoll-deletion-protection' with binding 'atoll-deletion-protection' "
                     "denied request: spec.deletionProtection is true: set it to false before deleting");
}

}  // namespace atl::apiserver
