#pragma once

#include "operator/apiserver/api_request.h"
#include "operator/apiserver/serving.h"
#include "operator/net/server.h"

namespace atl::apiserver {

/// watch: writes events until its time is over, the peer goes away, the kind is not served any more or the watcher has
/// fallen too far behind.
///
/// Without a resourceVersion (or with 0) it begins with an ADDED for each object there is; with one it begins behind
/// it, and if the log does not reach back so far, with an ERROR event of code 410. Bookmarks, for who allows them, come
/// within each minute and at the end. sendInitialEvents streams the list and marks its end.
Task<> watch_objects(Serving& serving, const ApiRequest& request, TypePtr type, net::ResponseWriter& writer);

}  // namespace atl::apiserver
