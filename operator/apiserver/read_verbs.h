#pragma once

#include "operator/apiserver/api_request.h"
#include "operator/apiserver/output.h"
#include "operator/apiserver/serving.h"

namespace atl::apiserver {

/// The key that a request for one object names.
Key key_of(const ApiRequest& request, const ResourceType& type);

/// The object that a request names. Errors: 404.
Result<Stored> find_object(Serving& serving, const ApiRequest& request, const ResourceType& type);

/// get.
Result<net::Response> get_object(Serving& serving, const ApiRequest& request, const TypePtr& type);
/// list.
Result<net::Response> list_objects(Serving& serving, const ApiRequest& request, const TypePtr& type);

/// What a list gives: the objects that match, and how it goes on.
struct Listed {
    std::vector<Stored> objects;
    ListMeta meta;
};
Result<Listed> collect(Serving& serving, const ApiRequest& request, const ResourceType& type);

}  // namespace atl::apiserver
