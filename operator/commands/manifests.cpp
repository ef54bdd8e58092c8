#include "operator/commands/manifests.h"

#include <map>

#include <nlohmann/json.hpp>

#include "crds/definitions.h"
#include "operator/base/manifest.h"
#include "operator/schema/crd_schema.h"

namespace atl::commands {

namespace {

bool is_manifest(const std::string& name) {
    return name.ends_with(".yaml") || name.ends_with(".yml") || name.ends_with(".json");
}

Result<std::vector<std::string>> files_of(Files& files, const std::string& path) {
    const auto names = files.list(path);
    if (!names.ok()) return std::vector<std::string>{path};
    std::vector<std::string> found;
    for (const std::string& name : *names) {
        if (is_manifest(name)) found.push_back(path + "/" + name);
    }
    if (found.empty()) return invalid("NoManifests", path + ": no .yaml, .yml or .json file in it");
    return found;
}

/// The schemas of our kinds.
std::map<std::string, schema::CrdSchema> schemas() {
    std::map<std::string, schema::CrdSchema> all;
    for (const nlohmann::json& definition : crds::definitions()) {
        const nlohmann::json& spec = definition["spec"];
        auto compiled = schema::CrdSchema::compile(spec["versions"][0]["schema"]["openAPIV3Schema"]);
        if (compiled.ok()) all.emplace(spec["names"]["kind"].get<std::string>(), std::move(*compiled));
    }
    return all;
}

std::string name_of(const nlohmann::json& object) {
    return object["kind"].get<std::string>() + " \"" + object["metadata"]["name"].get<std::string>() + "\"";
}

Result<Unit> check_type(const nlohmann::json& object, const std::string& where) {
    const bool typed = object.contains("kind") && object["kind"].is_string() && object.contains("metadata") &&
                       object["metadata"].is_object() && object["metadata"].contains("name") &&
                       object["metadata"]["name"].is_string();
    if (typed) return ok();
    return invalid("NotAnObject", where + ": not a Kubernetes object: kind and metadata.name are required");
}

Result<Unit> complete(nlohmann::json& object, const std::map<std::string, schema::CrdSchema>& known) {
    if (!object["metadata"].contains("namespace")) object["metadata"]["namespace"] = "default";
    const auto found = known.find(object["kind"].get<std::string>());
    if (found == known.end()) return ok();
    const std::vector<std::string> unknown = found->second.prune(object);
    if (!unknown.empty()) return invalid("UnknownField", name_of(object) + ": unknown field \"" + unknown[0] + "\"");
    found->second.apply_defaults(object);
    const schema::FieldErrors errors = found->second.validate(object);
    if (errors.empty()) return ok();
    return invalid("InvalidSpec", name_of(object) + ": " + errors[0].text());
}

}  // namespace

Result<std::vector<nlohmann::json>> read_manifests(Files& files, const std::vector<std::string>& paths) {
    const auto known = schemas();
    std::vector<nlohmann::json> objects;
    for (const std::string& path : paths) {
        const auto found = files_of(files, path);
        if (!found.ok()) return found.error();
        for (const std::string& file : *found) {
            const auto text = files.read(file);
            if (!text.ok()) return text.error();
            auto documents = parse_manifests(*text);
            if (!documents.ok()) return Error(documents.error()).during(file);
            for (ManifestDocument& document : *documents) {
                const std::string where = file + ", line " + std::to_string(document.line);
                auto checked = check_type(document.object, where);
                if (checked.ok()) checked = complete(document.object, known);
                if (!checked.ok()) return Error(checked.error()).during(where);
                objects.push_back(std::move(document.object));
            }
        }
    }
    return objects;
}

}  // namespace atl::commands
