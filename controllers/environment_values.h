#pragma once

#include <vector>

#include "cloud/workload.h"
#include "controllers/content.h"
#include "operator/base/result.h"

namespace atl::controllers {

/// A container's environment with all references filled in, sorted by name: what may be shown, and what may not.
struct EnvironmentValues {
    std::vector<cloud::EnvVar> shown;
    std::vector<cloud::EnvVar> secret;
};

/// Resolves env and envFrom as core/v1 does: envFrom first, in order, then env; later wins; $(NAME) of an earlier
/// variable is expanded and $$(NAME) is an escape. A value that draws on a Secret is secret. Waiting (reason
/// ContentMissing), with the object and the key, if something that is not optional is not there. Pure.
Result<EnvironmentValues> environment_of(const crds::Container& container, const Content& content);

/// Expands $(NAME) in a text by the variables; unknown names stay as they are.
std::string expand(const std::string& text, const std::map<std::string, std::string>& variables);

}  // namespace atl::controllers
