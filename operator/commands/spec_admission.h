#pragma once

#include "operator/apiserver/admission.h"

namespace atl::commands {

/// What the embedded API server says of a new or changed spec of a Cluster or a Stack beyond its schema, in the words
/// of the webhook: 422 with all fields for what can never work, a warning for what is not supported. The controllers
/// check it again. A spec that was taken before is not looked at, so that its object can be labelled, repaired and
/// deleted.
Result<Unit> check_spec(const apiserver::AdmissionRequest& request);

}  // namespace atl::commands
