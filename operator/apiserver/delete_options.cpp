#include "operator/apiserver/delete_options.h"

#include <nlohmann/json.hpp>

#include "operator/apiserver/json_access.h"
#include "operator/apiserver/media.h"
#include "operator/schema/field_error.h"

namespace atl::apiserver {

using nlohmann::json;

namespace {

using Propagation = DeleteOptions::Propagation;

Error wrong_type(const std::string& field, const json& value, const std::string& wanted) {
    return bad_request("json: cannot unmarshal " + std::string(value.type_name()) +
                       " into Go struct field DeleteOptions." + field + " of type " + wanted);
}

/// The text at a member; nullopt if it is absent or null.
Result<std::optional<std::string>> read_text(const json& object, const std::string& name, const std::string& path) {
    const json& value = child(object, name);
    if (value.is_null()) return std::optional<std::string>();
    if (!value.is_string()) return wrong_type(path + name, value, "string");
    return std::optional<std::string>(value.get<std::string>());
}

Result<bool> read_dry_run(const json& body) {
    const json& value = child(body, "dryRun");
    if (value.is_null()) return false;
    if (!value.is_array()) return wrong_type("dryRun", value, "[]string");
    for (const json& stage : value) {
        if (stage != "All") {
            return invalid_options("DeleteOptions", {schema::not_supported("dryRun", value, {"All"})});
        }
    }
    return !value.empty();
}

Result<Unit> read_preconditions(const json& body, DeleteOptions& options) {
    const json& preconditions = child(body, "preconditions");
    if (preconditions.is_null()) return ok();
    if (!preconditions.is_object()) return wrong_type("preconditions", preconditions, "v1.Preconditions");
    auto uid = read_text(preconditions, "uid", "preconditions.");
    if (!uid.ok()) return std::move(uid).error();
    auto version = read_text(preconditions, "resourceVersion", "preconditions.");
    if (!version.ok()) return std::move(version).error();
    options.uid = std::move(*uid);
    options.resource_version = std::move(*version);
    return ok();
}

Result<Unit> read_propagation(const ApiRequest& request, const json& body, DeleteOptions& options) {
    auto said = read_text(body, "propagationPolicy", "");
    if (!said.ok()) return std::move(said).error();
    std::string policy = request.parameter("propagationPolicy");
    if (policy.empty()) policy = said->value_or("");
    const json& orphan = child(body, "orphanDependents");
    if (!orphan.is_null() && !orphan.is_boolean()) return wrong_type("orphanDependents", orphan, "bool");
    if (orphan == true || request.is_set("orphanDependents")) policy = "Orphan";
    if (policy == "Background") options.propagation = Propagation::Background;
    if (policy == "Foreground") options.propagation = Propagation::Foreground;
    if (policy == "Orphan") options.propagation = Propagation::Orphan;
    if (policy.empty() || options.propagation) return ok();
    return invalid_options("DeleteOptions", {schema::not_supported("propagationPolicy", policy,
                                                                   {"Foreground", "Background", "Orphan", "nil"})});
}

}  // namespace

Result<DeleteOptions> read_delete_options(const ApiRequest& request) {
    DeleteOptions options;
    json body = json::object();
    if (!request.http->body.empty()) {
        auto read = read_body(request);
        if (!read.ok()) return std::move(read).error();
        body = std::move(read->value);
    }
    if (!body.is_object()) return bad_request("the body is no object: DeleteOptions are wanted");
    const std::string kind = text_of(body, "kind");
    if (!kind.empty() && kind != "DeleteOptions") {
        return bad_request("the body is of kind " + kind + ": DeleteOptions are wanted");
    }
    auto propagation = read_propagation(request, body, options);
    if (!propagation.ok()) return std::move(propagation).error();
    auto preconditions = read_preconditions(body, options);
    if (!preconditions.ok()) return std::move(preconditions).error();
    auto dry_run = read_dry_run(body);
    if (!dry_run.ok()) return std::move(dry_run).error();
    options.dry_run = *dry_run;
    return options;
}

}  // namespace atl::apiserver
