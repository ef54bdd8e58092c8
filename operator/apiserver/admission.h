#pragma once

#include <functional>
#include <string>
#include <vector>

#include <nlohmann/json_fwd.hpp>

#include "operator/apiserver/api_request.h"
#include "operator/apiserver/resource_type.h"

namespace atl::apiserver {

/// A write that is about to happen, after defaulting and validation.
struct AdmissionRequest {
    const User& user;
    std::string verb;  ///< create, update, delete
    const ResourceType& type;
    std::string ns;
    std::string name;
    std::string subresource;
    const nlohmann::json* object = nullptr;  ///< null for delete
    const nlohmann::json* old = nullptr;     ///< null for create
};

/// Checks that may refuse a write. They run in the order in which they were added; the first refusal is the answer.
class Admission {
public:
    using Check = std::function<Result<Unit>(const AdmissionRequest& request)>;
    void add(Check check) { checks_.push_back(std::move(check)); }
    Result<Unit> admit(const AdmissionRequest& request) const;

private:
    std::vector<Check> checks_;
};

/// Refuses to delete the namespaces default and kube-system.
Result<Unit> check_namespace_deletion(const AdmissionRequest& request);

/// Refuses to delete an object of the group atoll.dev whose spec.deletionProtection is true, in the words of the
/// ValidatingAdmissionPolicy that does the same on other API servers.
Result<Unit> check_deletion_protection(const AdmissionRequest& request);

}  // namespace atl::apiserver
