#pragma once

#include "operator/apiserver/api_request.h"
#include "operator/apiserver/resource_type.h"
#include "operator/apiserver/selection.h"
#include "operator/apiserver/store.h"

namespace atl::apiserver {

/// What a list asks for, checked.
struct ListOptions {
    Selection selection;
    Range range;  ///< limit is that of the request; SIZE_MAX without one
    bool is_continued = false;
};

/// Reads the query of a list. `now` is the store's revision. Errors: 400 and 422 for what is no such option or cannot
/// be combined, 504 for a resourceVersion that is not reached yet.
Result<ListOptions> read_list_options(const ApiRequest& request, const ResourceType& type, Revision now);

/// The resourceVersion of the query: 0 if it is missing, "" or "0". Errors: 400.
Result<Revision> read_revision(const ApiRequest& request);

/// The token that continues a list of that revision behind that key.
std::string continue_token(Revision revision, const Key& last);

/// 504 for a resourceVersion of the future, as Kubernetes answers it.
Error too_large_version(Revision wanted, Revision now);

}  // namespace atl::apiserver
