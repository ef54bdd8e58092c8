#pragma once

#include <map>
#include <optional>
#include <string>

#include "operator/apiserver/api_request.h"
#include "operator/apiserver/registry.h"
#include "operator/net/server.h"

namespace atl::apiserver {

/// The OpenAPI v3 documents, made when they are first asked for and kept until the resources change. /openapi/v2
/// answers with a document without schemas: kubectl loads it when a List is applied, and looks at v3 for the rest.
class OpenApi {
public:
    explicit OpenApi(const Registry& registry) : registry_(registry) {}
    /// Answers /openapi/v2, /openapi/v3 and what is below; nothing for another path.
    std::optional<Result<net::Response>> answer(const ApiRequest& request);

private:
    struct Document {
        std::string text;
        std::string hash;
    };
    void refresh();

    const Registry& registry_;
    std::uint64_t generation_ = 0;
    std::map<std::string, Document> documents_;  ///< "api/v1", "apis/GROUP/VERSION"
};

}  // namespace atl::apiserver
