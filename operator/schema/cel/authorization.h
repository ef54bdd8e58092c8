#pragma once

#include <memory>
#include <string>

#include "operator/base/result.h"
#include "operator/schema/cel/value.h"

namespace atl::schema::cel {

/// Knows the rights of users: the API server's authorizer.
class RightsOracle {
public:
    virtual ~RightsOracle() = default;
    /// Whether who is asked about may. Errors: only if the rights cannot be read.
    virtual Result<bool> is_allowed(const RightsQuestion& question) const = 0;
};

/// Kubernetes' authorization library for CEL, as it is put together call by call
/// (https://kubernetes.io/docs/reference/using-api/cel/#kubernetes-authorizer-library): authorizer.group('apps')
/// .resource('deployments').namespace('shop').check('create').allowed(). Field and label selectors are not in it.
struct RightsQuestion {
    const RightsOracle* oracle = nullptr;  ///< outlives the evaluation
    std::string service_account;           ///< "system:serviceaccount:ns:name"; empty: who makes the request
    std::string path;                      ///< if it is about no resource
    std::string group;
    std::string resource;
    std::string subresource;
    std::string ns;
    std::string name;
    std::string verb;
    bool allowed = false;  ///< of a decision
    std::string error;     ///< of a decision that could not be made
};

/// The value of the variable `authorizer`.
Value make_authorizer(const RightsOracle& oracle);

}  // namespace atl::schema::cel
