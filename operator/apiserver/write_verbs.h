#pragma once

#include "operator/apiserver/api_request.h"
#include "operator/apiserver/output.h"
#include "operator/apiserver/serving.h"

namespace atl::apiserver {

/// create.
Task<net::Response> create_object(Serving& serving, const ApiRequest& request, TypePtr type);
/// update, of the object or of a subresource.
Task<net::Response> update_object(Serving& serving, const ApiRequest& request, TypePtr type);
/// patch by media type: merge, JSON, strategic merge, server-side apply.
Task<net::Response> patch_object(Serving& serving, const ApiRequest& request, TypePtr type);
/// delete.
Task<net::Response> delete_object(Serving& serving, const ApiRequest& request, TypePtr type);
/// deletecollection: what the selectors match, one by one.
Task<net::Response> delete_objects(Serving& serving, const ApiRequest& request, TypePtr type);
/// get, update and patch of the scale subresource.
Task<net::Response> scale_object(Serving& serving, const ApiRequest& request, TypePtr type);

}  // namespace atl::apiserver
