#pragma once

#include <string>
#include <vector>

#include <nlohmann/json.hpp>

#include "operator/apiserver/api_request.h"

namespace atl::apiserver {

/// In what form an answer is wanted.
enum class Form {
    Json,
    Yaml,
    Table,                ///< as=Table;v=v1;g=meta.k8s.io
    Metadata,             ///< as=PartialObjectMetadata(List)
    AggregatedDiscovery,  ///< as=APIGroupDiscoveryList;v=v2;g=apidiscovery.k8s.io
};

/// The first form of the Accept header that is among `offered`; JSON without one. Errors: 406.
Result<Form> accepted_form(const ApiRequest& request, const std::vector<Form>& offered);

/// A request body, read.
struct Body {
    nlohmann::json value;
    std::vector<std::string> duplicates;  ///< complaints of strict decoding
};

/// Reads a body by its media type: JSON (also when none is given) YAML or protobuf. Errors: 415 naming what is read,
/// 400 for what is none of it, 413 over 3 MiB.
Result<Body> read_body(const ApiRequest& request);

/// Reads JSON or YAML text. Errors: 400.
Result<Body> decode_text(std::string_view text, bool is_yaml);

/// 415 that lists what is accepted.
Error unsupported_media_type(const std::string& accepted);

/// The media type of a request's body without its parameters, in lower case; "application/json" if there is none.
std::string media_type(const ApiRequest& request);

/// The longest request body.
inline constexpr std::size_t kMaxBody = std::size_t{3} * 1024 * 1024;

}  // namespace atl::apiserver
