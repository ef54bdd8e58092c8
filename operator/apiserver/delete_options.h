#pragma once

#include <optional>
#include <string>

#include "operator/apiserver/api_request.h"

namespace atl::apiserver {

/// How an object is to be deleted.
struct DeleteOptions {
    enum class Propagation { Background, Foreground, Orphan };
    std::optional<Propagation> propagation;       ///< none: as the finalizers say, else Background
    std::optional<std::string> uid;               ///< precondition
    std::optional<std::string> resource_version;  ///< precondition
    bool dry_run = false;                         ///< asked for in the body; the query may ask for it too
};

/// Reads them from query and body, in any form that the server reads. What cannot be understood is refused (400, 422):
/// whoever asked for a dry run, or for a precondition, must not lose an object to a misspelling.
Result<DeleteOptions> read_delete_options(const ApiRequest& request);

}  // namespace atl::apiserver
