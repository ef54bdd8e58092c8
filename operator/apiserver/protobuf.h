#pragma once

#include <string_view>
#include <vector>

#include <nlohmann/json_fwd.hpp>

#include "operator/base/result.h"

namespace atl::apiserver {

/// Reads a body of the media type application/vnd.kubernetes.protobuf, which typed clients (kubectl create secret,
/// kubectl auth can-i) send for built-in kinds: four magic bytes and a runtime.Unknown around the object. Answers need
/// no such thing, because these clients take JSON, too. Unknown field numbers are skipped. Errors: Invalid; the reason
/// UnknownKind for a kind that is not read in this form (no custom resource is).
Result<nlohmann::json> decode_protobuf(std::string_view body);

/// How a field of a message is written in JSON.
enum class ProtoType {
    Text,
    Bytes,  ///< base64
    Integer,
    Flag,
    Message,
    TextMap,
    BytesMap,
    Time,       ///< RFC 3339, whole seconds
    MicroTime,  ///< RFC 3339, microseconds
    Json,       ///< bytes that are JSON
};

/// One field of a message, as the published generated.proto of Kubernetes numbers it.
struct ProtoField {
    unsigned number;
    const char* name;
    ProtoType type;
    const char* message = nullptr;  ///< for Message
    bool repeated = false;
};

/// The fields of a message; empty if it is none that we read. A kind's message is named "apiVersion/Kind".
const std::vector<ProtoField>& proto_fields(std::string_view message);

}  // namespace atl::apiserver
