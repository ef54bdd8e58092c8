#pragma once

#include <memory>
#include <string>

#include "operator/base/clock.h"
#include "operator/base/environment.h"
#include "operator/base/files.h"
#include "operator/kube/credentials.h"

namespace atl::commands {

/// Access to the API server: by the kubeconfig at `path`; without a path by $KUBECONFIG, else by the pod's service
/// account. Errors say which file or entry is at fault.
Result<std::shared_ptr<kube::CredentialSource>> find_access(const std::string& path, Files& files,
                                                            const Environment& environment, const Clock& clock);

}  // namespace atl::commands
