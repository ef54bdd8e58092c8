#include <utility>

#include "operator/apiserver/json_access.h"
#include "operator/apiserver/object_rules.h"
#include "operator/apiserver/object_writer.h"
#include "operator/apiserver/patch_kind.h"
#include "operator/apiserver/write_verbs.h"
#include "operator/schema/patch.h"

namespace atl::apiserver {

using nlohmann::json;

namespace {

/// Checks the patched object against the path and its precondition.
Result<json> checked(WriteRequest& write, json object, const json& current) {
    if (!object.is_object()) return bad_request("the patch makes the object something else than an object");
    auto identified = identify(write, object);
    if (!identified.ok()) return std::move(identified).error();
    auto pruned = prune(write, object, {});
    if (!pruned.ok()) return std::move(pruned).error();
    const std::string version = text_of(child(object, "metadata"), "resourceVersion");
    if (!version.empty() && version != text_of(child(current, "metadata"), "resourceVersion")) {
        return modified(write.request.subject());
    }
    return object;
}

Result<json> applied(WriteRequest& write, const json& live, const json& intent) {
    const auto force = write.request.is_set("force") ? schema::Force::Yes : schema::Force::No;
    auto result = schema::apply_patch({live, intent, write.type->schema, write.manager, force});
    if (!result.ok()) {
        const bool fits_not = result.error().status() == 422;
        return api_error(fits_not ? 422 : 400, fits_not ? "Invalid" : "BadRequest", result.error().message());
    }
    if (!result->conflicts.empty()) return with_status(schema::apply_conflict_status(result->conflicts));
    if (!result->changed && !live.is_null()) return live;
    return std::move(result->object);
}

/// What an intent must not say.
Result<Unit> check_intent(WriteRequest& write, json& intent) {
    if (child(intent, "metadata").contains("managedFields")) return bad_request("metadata.managedFields must be nil");
    return identify(write, intent);
}

Task<net::Response> apply_object(Serving& serving, WriteRequest& write, const View& view) {
    if (write.request.parameter("fieldManager").empty()) {
        co_return invalid_options("PatchOptions", {schema::required("fieldManager", "is required for apply patch")});
    }
    Body body = co_await decode_text(write.request.http->body, true);
    co_await check_intent(write, body.value);
    write.is_apply = true;
    const ObjectWriter::Transform merge = [&](const json& current) -> Result<json> {
        auto object = applied(write, current, body.value);
        if (!object.ok()) return object;
        return checked(write, std::move(*object), current);
    };
    ObjectWriter writer(serving);
    auto saved = co_await writer.update(write, merge).attempt();
    if (saved.ok()) co_return with_warnings(response_of(200, view, show(view, *saved)), write);
    const bool may_create = saved.error().status() == 404 && write.request.subresource.empty();
    if (!may_create || !text_of(child(body.value, "metadata"), "uid").empty()) co_return saved.error();
    json object = co_await applied(write, nullptr, body.value);
    const json made = co_await writer.create(write, std::move(object));
    co_return with_warnings(response_of(201, view, show(view, made)), write);
}

}  // namespace

Result<json> patched(PatchKind kind, const json& current, const json& patch) {
    if (kind == PatchKind::Merge) {
        if (!patch.is_object()) return bad_request("the patch is no object");
        return schema::merge_patch(current, patch);
    }
    auto result =
        kind == PatchKind::Json ? schema::json_patch(current, patch) : schema::strategic_merge_patch(current, patch);
    if (result.ok()) return result;
    const std::string& reason = result.error().reason();
    if (reason == "TestFailed" || reason == "PathNotFound") {
        return api_error(422, "Invalid",
                         "the server rejected our request due to an error in our request: " + result.error().message(),
                         {{"causes", json::array({{{"message", result.error().message()}}})}});
    }
    return bad_request(result.error().message());
}

Result<PatchKind> patch_kind(const ApiRequest& request, bool allows_strategic) {
    const std::string type = media_type(request);
    if (type == "application/merge-patch+json") return PatchKind::Merge;
    if (type == "application/json-patch+json") return PatchKind::Json;
    if (type == "application/apply-patch+yaml") return PatchKind::Apply;
    if (type == "application/strategic-merge-patch+json" && allows_strategic) return PatchKind::Strategic;
    std::string accepted = "application/json-patch+json, application/merge-patch+json, application/apply-patch+yaml";
    if (allows_strategic) {
        accepted =
            "application/json-patch+json, application/merge-patch+json, application/strategic-merge-patch+json, "
            "application/apply-patch+yaml";
    }
    return unsupported_media_type(accepted);
}

Task<net::Response> patch_object(Serving& serving, const ApiRequest& request, TypePtr type) {
    const PatchKind kind = co_await patch_kind(request, type->behaviour.allows_strategic_patch);
    const View view = co_await view_of(request, type, serving.clock.wall_now());
    WriteRequest write = co_await read_write_request(request, type, "PatchOptions", serving.clock.wall_now());
    write.is_patch = true;
    if (kind == PatchKind::Apply) {
        net::Response response = co_await apply_object(serving, write, view);
        co_return response;
    }
    if (request.query.contains("force")) {
        co_return invalid_options("PatchOptions",
                                  {schema::forbidden("force", "may not be specified for non-apply patch")});
    }
    Body body = co_await decode_text(request.http->body, false);
    const ObjectWriter::Transform transform = [&](const json& current) -> Result<json> {
        auto object = patched(kind, current, body.value);
        if (!object.ok()) return object;
        auto complained = complain(write, body.duplicates);
        if (!complained.ok()) return std::move(complained).error();
        return checked(write, std::move(*object), current);
    };
    ObjectWriter writer(serving);
    const json saved = co_await writer.update(write, transform);
    co_return with_warnings(response_of(200, view, show(view, saved)), write);
}

}  // namespace atl::apiserver
