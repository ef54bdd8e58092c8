#pragma once

#include <memory>
#include <string>
#include <vector>

#include <nlohmann/json_fwd.hpp>

#include "operator/base/result.h"
#include "operator/kube/object.h"

namespace atl::kube {

/// A write that an API server asks about: the request of an AdmissionReview
/// (https://kubernetes.io/docs/reference/access-authn-authz/extensible-admission-controllers/).
struct AdmissionCall {
    std::string uid;
    std::string operation;  ///< CREATE, UPDATE, DELETE
    std::string kind;       ///< "Stack"
    ObjectKey key;
    std::string user;
    bool dry_run = false;
    std::shared_ptr<const nlohmann::json> object;      ///< as it is to become; not for DELETE
    std::shared_ptr<const nlohmann::json> old_object;  ///< as it is; not for CREATE
};

/// What is answered. Refused if there is an error.
struct AdmissionAnswer {
    struct Cause {
        std::string field;    ///< "spec.services[0].container.image"
        std::string message;  ///< with the value and what is allowed; the field stands before it
    };
    std::vector<Cause> errors;
    std::vector<std::string> warnings;
};

/// Reads an AdmissionReview of admission.k8s.io/v1. Errors: Invalid (BadReview) with the field at fault.
Result<AdmissionCall> parse_admission_review(const std::string& body);

/// The AdmissionReview that answers a call: at most 16 warnings of 240 characters (API servers cut longer ones), errors
/// become one Status of code 422, reason Invalid.
nlohmann::json admission_response(const AdmissionCall& call, const AdmissionAnswer& answer);

}  // namespace atl::kube
