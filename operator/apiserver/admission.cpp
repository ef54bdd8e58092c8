#include "operator/apiserver/admission.h"

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

}  // namespace atl::apiserver
