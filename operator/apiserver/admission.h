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
    bool dry_run = false;
    std::vector<std::string>* warnings = nullptr;  ///< what is only to be warned of
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

}  // namespace atl::apiserver
