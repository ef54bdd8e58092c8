#include "operator/commands/spec_admission.h"

#include <nlohmann/json.hpp>

#include "crds/cluster.h"
#include "crds/stack.h"
#include "operator/apiserver/api_error.h"
#include "operator/apiserver/json_access.h"

namespace atl::commands {

namespace {

using nlohmann::json;
using Kind = crds::FieldError::Kind;

schema::FieldErrorType type_of(Kind kind) {
    switch (kind) {
        case Kind::Required:
            return schema::FieldErrorType::Required;
        case Kind::Duplicate:
            return schema::FieldErrorType::Duplicate;
        case Kind::NotFound:
            return schema::FieldErrorType::NotFound;
        case Kind::NotSupported:
            return schema::FieldErrorType::NotSupported;
        case Kind::Forbidden:
            return schema::FieldErrorType::Forbidden;
        case Kind::Invalid:
            break;
    }
    return schema::FieldErrorType::Invalid;
}

schema::FieldError as_sent(const crds::FieldError& error) {
    schema::FieldError sent;
    sent.type = type_of(error.kind);
    sent.field = error.field;
    json value = json::parse(error.value, nullptr, false);
    if (!value.is_discarded()) sent.bad_value = std::move(value);
    sent.detail = error.detail;
    return sent;
}

/// What is wrong with the spec; one that cannot be read is left to the controllers, which say why.
crds::FieldErrors errors_of(const std::string& kind, const json& object) {
    if (kind == "Cluster") {
        const auto cluster = crds::decode_cluster(object);
        return cluster.ok() ? crds::check(cluster->spec) : crds::FieldErrors{};
    }
    const auto stack = crds::decode_stack(object);
    return stack.ok() ? crds::check(stack->spec) : crds::FieldErrors{};
}

}  // namespace

Result<Unit> check_spec(const apiserver::AdmissionRequest& request) {
    const bool ours =
        request.type.group == "atoll.dev" && (request.type.kind == "Cluster" || request.type.kind == "Stack");
    if (!ours || request.object == nullptr || !request.subresource.empty()) return ok();
    if (request.old != nullptr && apiserver::child(*request.old, "spec") == apiserver::child(*request.object, "spec")) {
        return ok();
    }
    const crds::FieldErrors errors = errors_of(request.type.kind, *request.object);
    if (errors.empty()) return ok();
    const Error error = crds::to_error(errors);
    if (error.error_class() == ErrorClass::Unsupported) {
        if (request.warnings != nullptr) request.warnings->push_back(error.message());
        return ok();
    }
    schema::FieldErrors sent;
    for (const crds::FieldError& one : errors) sent.push_back(as_sent(one));
    return apiserver::invalid_object(request.type.kind_subject(request.name), sent);
}

}  // namespace atl::commands
