#include "operator/schema/openapi_meta.h"

#include <algorithm>

#include "operator/schema/built_in.h"

namespace atl::schema {
namespace {

using Json = nlohmann::json;

Json text(const char* description) {
    return {{"type", "string"}, {"description", description}};
}

Json integer(const char* format, const char* description) {
    return {{"type", "integer"}, {"format", format}, {"description", description}};
}

Json object(const char* description, Json properties) {
    return {{"type", "object"}, {"description", description}, {"properties", std::move(properties)}};
}

Json described(const char* description, const std::string& name) {
    return {{"description", description}, {"allOf", Json::array({schema_reference(name)})}};
}

Json list_of(const char* description, Json items) {
    return {{"type", "array"},
            {"description", description},
            {"items", std::move(items)},
            {"x-kubernetes-list-type", "atomic"}};
}

Json list_meta() {
    return object(
        "ListMeta describes metadata that synthetic resources must have, including lists and various status objects.",
        {{"continue", text("More items can be had with this token.")},
         {"remainingItemCount", integer("int64", "How many items this page leaves out.")},
         {"resourceVersion", text("The version of the list; a watch can start from it.")},
         {"selfLink", text("Not set any more.")}});
}

Json status_cause() {
    return object("StatusCause is one reason of a failure.",
                  {{"field", text("The field of the resource that caused the error.")},
                   {"message", text("For people.")},
                   {"reason", text("For programs.")}});
}

Json status_details() {
    return object("StatusDetails says more about a failure.",
                  {{"causes", list_of("The single reasons.", schema_reference(meta_name("StatusCause")))},
                   {"group", text("The group of the resource.")},
                   {"kind", text("The kind of the resource.")},
                   {"name", text("The name of the resource.")},
                   {"retryAfterSeconds", integer("int32", "When to try again.")},
                   {"uid", text("The UID of the resource.")}});
}

Json status() {
    Json properties = type_meta_properties();
    properties["code"] = integer("int32", "The HTTP status code.");
    properties["details"] = described("More about the reason.", meta_name("StatusDetails"));
    properties["message"] = text("For people.");
    properties["metadata"] = described("Standard list metadata.", meta_name("ListMeta"));
    properties["reason"] = text("For programs.");
    properties["status"] = text("Success or Failure.");
    return object("Status is a return value for calls that don't return other objects.", std::move(properties));
}

Json delete_options() {
    Json properties = type_meta_properties();
    properties["dryRun"] = list_of("All: nothing is stored.", {{"type", "string"}});
    properties["gracePeriodSeconds"] = integer("int64", "Seconds before the object goes.");
    properties["orphanDependents"] = {{"type", "boolean"}, {"description", "Older form of propagationPolicy."}};
    properties["preconditions"] = described("Must hold for the deletion to happen.", meta_name("Preconditions"));
    properties["propagationPolicy"] = text("Orphan, Background or Foreground.");
    return object("DeleteOptions may be provided when deleting an API object.", std::move(properties));
}

/// ObjectMeta, with the patch strategies that strategic merge patches need.
Json object_meta() {
    Json schema = object_meta_definition();
    for (Json& property : schema["properties"]) {
        std::string list_type = property.value("x-kubernetes-list-type", "atomic");
        if (list_type == "atomic" || property.value("type", "") != "array") continue;
        property["x-kubernetes-patch-strategy"] = "merge";
        if (list_type == "map") property["x-kubernetes-patch-merge-key"] = property["x-kubernetes-list-map-keys"][0];
    }
    schema["description"] = "ObjectMeta is metadata that all persisted resources must have.";
    return schema;
}

}  // namespace

Json schema_reference(const std::string& name) {
    return {{"$ref", "#/components/schemas/" + name}};
}

std::string meta_name(const std::string& type) {
    return "io.k8s.apimachinery.pkg.apis.meta.v1." + type;
}

std::string schema_name(const ServedKind& kind, const std::string& type) {
    if (kind.group.empty()) return "io.k8s.api.core." + kind.version + "." + type;
    if (kind.group == "apiextensions.k8s.io") {
        return "io.k8s.apiextensions-apiserver.pkg.apis.apiextensions." + kind.version + "." + type;
    }
    if (kind.group.ends_with(".k8s.io")) {
        return "io.k8s.api." + kind.group.substr(0, kind.group.find('.')) + "." + kind.version + "." + type;
    }
    std::string reversed;
    std::string part;
    for (char c : kind.group + ".") {
        if (c != '.') {
            part += c;
        } else {
            reversed = part + (reversed.empty() ? "" : "." + reversed);
            part.clear();
        }
    }
    return reversed + "." + kind.version + "." + type;
}

Json type_meta_properties() {
    return {{"apiVersion",
             text("APIVersion defines the versioned schema of this representation of an object. Servers should convert "
                  "recognized schemas to the latest internal value, and may reject unrecognized values. More info: "
                  "https://git.k8s.io/community/contributors/devel/sig-architecture/api-conventions.md#resources")},
            {"kind",
             text("Kind is a string value representing the REST resource this object represents. Servers may infer "
                  "this from "
                  "the endpoint the client submits requests to. Cannot be updated. In CamelCase. More info: "
                  "https://git.k8s.io/community/contributors/devel/sig-architecture/api-conventions.md#types-kinds")}};
}

void add_meta_schemas(Json& schemas) {
    schemas[meta_name("ObjectMeta")] = object_meta();
    schemas[meta_name("ListMeta")] = list_meta();
    schemas[meta_name("StatusCause")] = status_cause();
    schemas[meta_name("StatusDetails")] = status_details();
    schemas[meta_name("Status")] = status();
    schemas[meta_name("Preconditions")] = object("Preconditions must be fulfilled before an operation is carried out.",
                                                 {{"resourceVersion", text("The version the object must have.")},
                                                  {"uid", text("The UID the object must have.")}});
    schemas[meta_name("DeleteOptions")] = delete_options();
    schemas[meta_name("Patch")] = {
        {"type", "object"},
        {"description", "Patch is provided to give a concrete name and type to the Kubernetes PATCH request body."}};
}

void add_scale_schema(Json& schemas) {
    Json properties = type_meta_properties();
    properties["metadata"] = described("Standard object metadata.", meta_name("ObjectMeta"));
    properties["spec"] = object("The wanted scale.", {{"replicas", integer("int32", "The wanted number of copies.")}});
    properties["status"] = object("The seen scale.", {{"replicas", integer("int32", "The seen number of copies.")},
                                                      {"selector", text("The label selector of the copies.")}});
    Json scale = object("Scale represents a scaling request for a resource.", std::move(properties));
    scale["x-kubernetes-group-version-kind"] =
        Json::array({{{"group", "autoscaling"}, {"kind", "Scale"}, {"version", "v1"}}});
    schemas["io.k8s.api.autoscaling.v1.Scale"] = std::move(scale);
}

}  // namespace atl::schema
