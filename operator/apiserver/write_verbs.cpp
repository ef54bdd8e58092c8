#include "operator/apiserver/write_verbs.h"

#include <utility>

#include "operator/apiserver/json_access.h"
#include "operator/apiserver/object_rules.h"
#include "operator/apiserver/object_writer.h"
#include "operator/apiserver/read_verbs.h"

namespace atl::apiserver {

using nlohmann::json;

namespace {

/// What an update with this body asks of the object's resourceVersion and uid.
Result<Unit> check_update_preconditions(const WriteRequest& write, const json& body, const json& current) {
    const json& wanted = child(body, "metadata");
    const json& actual = child(current, "metadata");
    const std::string version = text_of(wanted, "resourceVersion");
    const std::string uid = text_of(wanted, "uid");
    if (!uid.empty() && uid != text_of(actual, "uid")) {
        return update_conflict(write.request.subject(), "Precondition failed: UID in precondition: " + uid +
                                                            ", UID in object meta: " + text_of(actual, "uid"));
    }
    if (version.empty() && !write.type->behaviour.allows_unconditional_update) {
        const schema::FieldError missing{schema::FieldErrorType::Invalid, "metadata.resourceVersion", json(0),
                                         "must be specified for an update"};
        return invalid_object(write.type->kind_subject(write.request.name), {missing});
    }
    if (!version.empty() && version != text_of(actual, "resourceVersion")) return modified(write.request.subject());
    return ok();
}

json success_of(const ApiRequest& request, const ResourceType& type, const json& object) {
    json details = {{"name", text_of(child(object, "metadata"), "name")},
                    {"kind", type.plural},
                    {"uid", text_of(child(object, "metadata"), "uid")}};
    if (!request.group.empty()) details["group"] = request.group;
    return {{"kind", "Status"},
            {"apiVersion", "v1"},
            {"metadata", json::object()},
            {"status", "Success"},
            {"details", std::move(details)}};
}

}  // namespace

Task<net::Response> create_object(Serving& serving, const ApiRequest& request, TypePtr type) {
    const WallTime now = serving.clock.wall_now();
    const View view = co_await view_of(request, type, now);
    WriteRequest write = co_await read_write_request(request, type, "CreateOptions", now);
    Body body = co_await read_body(request);
    co_await identify(write, body.value);
    co_await prune(write, body.value, std::move(body.duplicates));
    ObjectWriter writer(serving);
    const json made = co_await writer.create(write, std::move(body.value));
    co_return with_warnings(response_of(201, view, show(view, made)), write);
}

Task<net::Response> update_object(Serving& serving, const ApiRequest& request, TypePtr type) {
    const WallTime now = serving.clock.wall_now();
    const View view = co_await view_of(request, type, now);
    WriteRequest write = co_await read_write_request(request, type, "UpdateOptions", now);
    Body body = co_await read_body(request);
    co_await identify(write, body.value);
    co_await prune(write, body.value, std::move(body.duplicates));
    const std::vector<std::string> warnings = write.warnings;
    const ObjectWriter::Transform replace = [&](const json& current) -> Result<json> {
        auto checked = check_update_preconditions(write, body.value, current);
        if (!checked.ok()) return std::move(checked).error();
        write.warnings = warnings;
        return body.value;
    };
    ObjectWriter writer(serving);
    auto saved = co_await writer.update(write, replace).attempt();
    const bool creates = type->behaviour.allows_create_on_update && request.subresource.empty();
    if (!saved.ok() && saved.error().status() == 404 && creates) {
        const json made = co_await writer.create(write, std::move(body.value));
        co_return with_warnings(response_of(201, view, show(view, made)), write);
    }
    const json object = co_await std::move(saved);
    co_return with_warnings(response_of(200, view, show(view, object)), write);
}

Task<net::Response> delete_object(Serving& serving, const ApiRequest& request, TypePtr type) {
    const View view = co_await view_of(request, type, serving.clock.wall_now());
    const DeleteOptions options = co_await read_delete_options(request);
    WriteRequest write = co_await read_write_request(request, type, "DeleteOptions", serving.clock.wall_now());
    write.dry_run = write.dry_run || options.dry_run;
    ObjectWriter writer(serving);
    const Deleted deleted = co_await writer.remove(write, options);
    if (deleted.is_gone) co_return json_response(200, success_of(request, *type, deleted.object));
    co_return response_of(200, view, show(view, deleted.object));
}

Task<net::Response> delete_objects(Serving& serving, const ApiRequest& request, TypePtr type) {
    const View view = co_await view_of(request, type, serving.clock.wall_now());
    const DeleteOptions options = co_await read_delete_options(request);
    Listed listed = co_await collect(serving, request, *type);
    std::vector<std::string> texts;
    ObjectWriter writer(serving);
    for (Stored& object : listed.objects) {
        ApiRequest one = request;
        one.ns = object.key.ns;
        one.name = object.key.name;
        WriteRequest write = co_await read_write_request(one, type, "DeleteOptions", serving.clock.wall_now());
        write.dry_run = write.dry_run || options.dry_run;
        const auto removed = co_await writer.remove(write, options).attempt();
        if (!removed.ok() && removed.error().status() != 404) co_return removed.error();
        texts.push_back(std::move(object.text));
    }
    co_return response_of(200, view, show_list(view, texts, listed.meta));
}

}  // namespace atl::apiserver
