#include "operator/schema/openapi.h"

#include "operator/schema/openapi_meta.h"

namespace atl::schema {
namespace {

using Json = nlohmann::json;

Json gvk_extension(const ServedKind& kind, const std::string& name) {
    return Json::array({{{"group", kind.group}, {"kind", name}, {"version", kind.version}}});
}

Json kind_schema(const ServedKind& kind) {
    Json schema = kind.schema.is_object() ? kind.schema
                                          : Json{{"type", "object"}, {"x-kubernetes-preserve-unknown-fields", true}};
    Json& properties = schema["properties"];
    if (!properties.is_object()) properties = Json::object();
    properties.update(type_meta_properties());
    properties["metadata"] = {
        {"description",
         "Standard object's metadata. More info: "
         "https://git.k8s.io/community/contributors/devel/sig-architecture/api-conventions.md#metadata"},
        {"allOf", Json::array({schema_reference(meta_name("ObjectMeta"))})}};
    if (!schema.contains("description") && !kind.description.empty()) schema["description"] = kind.description;
    schema["x-kubernetes-group-version-kind"] = gvk_extension(kind, kind.kind);
    return schema;
}

Json list_schema(const ServedKind& kind) {
    Json properties = type_meta_properties();
    properties["items"] = {{"type", "array"},
                           {"description", "List of " + kind.plural + "."},
                           {"items", schema_reference(schema_name(kind, kind.kind))}};
    properties["metadata"] = {{"description", "Standard list metadata."},
                              {"allOf", Json::array({schema_reference(meta_name("ListMeta"))})}};
    return {{"type", "object"},
            {"description", kind.list_kind + " is a list of " + kind.kind},
            {"required", Json::array({"items"})},
            {"properties", std::move(properties)},
            {"x-kubernetes-group-version-kind", gvk_extension(kind, kind.list_kind)}};
}

}  // namespace

Json openapi_v3_document(const std::vector<ServedKind>& kinds) {
    Json schemas = Json::object();
    Json paths = Json::object();
    add_meta_schemas(schemas);
    for (const ServedKind& kind : kinds) {
        schemas[schema_name(kind, kind.kind)] = kind_schema(kind);
        schemas[schema_name(kind, kind.list_kind)] = list_schema(kind);
        if (kind.has_scale) add_scale_schema(schemas);
        add_paths(kind, paths);
    }
    return {{"openapi", "3.0.0"},
            {"info", {{"title", "Kubernetes"}, {"version", "1.32"}}},
            {"paths", std::move(paths)},
            {"components", {{"schemas", std::move(schemas)}}}};
}

Json openapi_v2_document() {
    return {{"swagger", "2.0"},
            {"info", {{"title", "Kubernetes"}, {"version", "1.32"}}},
            {"paths", Json::object()},
            {"definitions", Json::object()}};
}

std::string openapi_v2_protobuf() {
    auto field = [](int number, const std::string& bytes) {
        constexpr int kLengthDelimited = 2;
        return std::string{static_cast<char>(number << 3 | kLengthDelimited), static_cast<char>(bytes.size())} + bytes;
    };
    std::string info = field(1, "Kubernetes") + field(2, "1.32");
    return field(1, "2.0") + field(2, info) + field(8, "");
}

Json openapi_v3_index(const std::vector<std::pair<std::string, std::string>>& hashes) {
    Json paths = Json::object();
    for (const auto& [path, hash] : hashes) {
        paths[path] = {{"serverRelativeURL", "/openapi/v3/" + path + "?hash=" + hash}};
    }
    return {{"paths", std::move(paths)}};
}

}  // namespace atl::schema
