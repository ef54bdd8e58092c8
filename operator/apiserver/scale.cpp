#include <charconv>
#include <utility>

#include "operator/apiserver/json_access.h"
#include "operator/apiserver/object_rules.h"
#include "operator/apiserver/object_writer.h"
#include "operator/apiserver/patch_kind.h"
#include "operator/apiserver/read_verbs.h"
#include "operator/apiserver/write_verbs.h"

namespace atl::apiserver {

using nlohmann::json;

namespace {

/// ".spec.replicas" as a pointer; such paths have no lists.
json::json_pointer pointer_of(const std::string& path) {
    json::json_pointer pointer;
    std::size_t at = 1;
    while (at < path.size()) {
        const std::size_t end = std::min(path.find('.', at), path.size());
        pointer /= path.substr(at, end - at);
        at = end + 1;
    }
    return pointer;
}

std::int64_t number_at(const json& object, const std::string& path) {
    const auto pointer = pointer_of(path);
    if (!object.contains(pointer) || !object[pointer].is_number_integer()) return 0;
    return object[pointer].get<std::int64_t>();
}

json scale_of(const ResourceType& type, const json& object) {
    const json& metadata = child(object, "metadata");
    json shown = json::object();
    for (const char* field : {"name", "namespace", "uid", "resourceVersion", "creationTimestamp"}) {
        if (metadata.contains(field)) shown[field] = metadata[field];
    }
    json status = {{"replicas", number_at(object, type.scale->status_replicas)}};
    if (!type.scale->label_selector.empty()) {
        const auto pointer = pointer_of(type.scale->label_selector);
        if (object.contains(pointer) && object[pointer].is_string()) status["selector"] = object[pointer];
    }
    return {{"kind", "Scale"},
            {"apiVersion", "autoscaling/v1"},
            {"metadata", std::move(shown)},
            {"spec", {{"replicas", number_at(object, type.scale->spec_replicas)}}},
            {"status", std::move(status)}};
}

Result<json> with_replicas(const WriteRequest& write, json object, const json& scale) {
    const json& wanted = child(child(scale, "spec"), "replicas");
    const schema::StatusSubject subject{"autoscaling", "Scale", write.request.name};
    if (!wanted.is_null() && !wanted.is_number_integer()) {
        return bad_request("spec.replicas of a Scale must be an integer");
    }
    const std::int64_t replicas = wanted.is_null() ? 0 : wanted.get<std::int64_t>();
    if (replicas < 0) {
        return invalid_object(subject, {schema::invalid("spec.replicas", wanted, "should be a non-negative integer")});
    }
    const std::string version = text_of(child(scale, "metadata"), "resourceVersion");
    if (!version.empty() && version != text_of(child(object, "metadata"), "resourceVersion")) {
        return modified(write.request.subject());
    }
    const auto pointer = pointer_of(write.type->scale->spec_replicas);
    // A parent that is no object cannot be: the schema has been checked.
    object[pointer] = replicas;
    return object;
}

net::Response scale_response(const View& view, const ResourceType& type, const json& object) {
    View plain = view;
    plain.form = view.form == Form::Yaml ? Form::Yaml : Form::Json;
    return response_of(200, plain, show(plain, scale_of(type, object)));
}

/// The Scale that the body makes of the current one.
Result<json> wanted_scale(const WriteRequest& write, const json& scale, const Body& body) {
    if (write.request.verb == "update") {
        const std::string name = text_of(child(body.value, "metadata"), "name");
        if (name != write.request.name) {
            return bad_request("the name of the object (" + name + ") does not match the name on the URL (" +
                               write.request.name + ")");
        }
        return body.value;
    }
    auto kind = patch_kind(write.request, true);
    if (!kind.ok()) return std::move(kind).error();
    return patched(*kind == PatchKind::Json ? PatchKind::Json : PatchKind::Merge, scale, body.value);
}

}  // namespace

Task<net::Response> scale_object(Serving& serving, const ApiRequest& request, TypePtr type) {
    const View view = co_await view_of(request, type, serving.clock.wall_now());
    if (request.verb == "get") {
        const Stored found = co_await find_object(serving, request, *type);
        co_return scale_response(view, *type, read_object(*type, found.text));
    }
    WriteRequest write = co_await read_write_request(request, type, "UpdateOptions", serving.clock.wall_now());
    write.manager.subresource = "scale";
    Body body = co_await (request.verb == "update" ? read_body(request) : decode_text(request.http->body, false));
    const ObjectWriter::Transform transform = [&](const json& current) -> Result<json> {
        auto scale = wanted_scale(write, scale_of(*type, current), body);
        if (!scale.ok()) return scale;
        return with_replicas(write, current, *scale);
    };
    ObjectWriter writer(serving);
    const json saved = co_await writer.update(write, transform);
    co_return scale_response(view, *type, saved);
}

}  // namespace atl::apiserver
