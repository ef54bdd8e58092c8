#pragma once

#include <memory>
#include <string>

#include "operator/base/clock.h"
#include "operator/base/environment.h"
#include "operator/base/files.h"
#include "operator/kube/credentials.h"
#include "operator/kube/kubeconfig.h"

namespace atl::commands {

/// Where the API server is, looked for as kubectl does: the kubeconfig at `path`; without a path those that $KUBECONFIG
/// lists (with ":" between, merged, what does not exist is passed over), else ~/.kube/config, else the service account
/// of the pod. Errors say which file or entry is at fault; where there is none of all that, what to do, and where the
/// kubeconfig of `atoll up` is.
Result<kube::ClientConfig> find_config(const std::string& path, Files& files, const Environment& environment);

/// Access to the API server that find_config() finds.
Result<std::shared_ptr<kube::CredentialSource>> find_access(const std::string& path, Files& files,
                                                            const Environment& environment, const Clock& clock);

/// Access by `FILE` or `FILE:CONTEXT`: a kubeconfig, and which context of it (else its current one).
Result<kube::ClientConfig> read_config(const std::string& file_and_context, Files& files);

}  // namespace atl::commands
