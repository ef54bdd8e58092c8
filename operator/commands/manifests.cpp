#include "operator/commands/manifests.h"

#include <algorithm>
#include <map>

#include <nlohmann/json.hpp>

#include "operator/base/manifest.h"
#include "operator/commands/manifest_check.h"
#include "operator/schema/go_text.h"

namespace atl::commands {

namespace {

bool is_manifest(const std::string& name) {
    return name.ends_with(".yaml") || name.ends_with(".yml") || name.ends_with(".json");
}

/// A path as a message shows it: names of files may hold anything.
std::string shown(const std::string& path) {
    const bool plain = std::all_of(path.begin(), path.end(), [](unsigned char c) { return c >= 0x20 && c < 0x7F; });
    return plain ? path : schema::go_quote(path);
}

Result<std::vector<std::string>> files_of(Files& files, const std::string& path) {
    const auto names = files.list(path);
    if (!names.ok()) return std::vector<std::string>{path};
    std::vector<std::string> found;
    for (const std::string& name : *names) {
        const std::string file = path + "/" + name;
        if (is_manifest(name) && !files.list(file).ok()) found.push_back(file);
    }
    if (found.empty()) return invalid("NoManifests", shown(path) + ": no .yaml, .yml or .json file in it");
    return found;
}

class Collector {
public:
    explicit Collector(Files& files) : files_(files) {}

    Result<Unit> add_file(const std::string& path) {
        const std::string name = path == "-" ? "standard input" : shown(path);
        const auto text = files_.read(path == "-" ? "/dev/stdin" : path);
        if (!text.ok()) return text.error();
        auto documents = parse_manifests(*text);
        if (!documents.ok()) return Error(documents.error()).during(name);
        for (ManifestDocument& document : *documents) {
            const std::string where = name + ", line " + std::to_string(document.line);
            auto added = add(std::move(document.object), where);
            if (!added.ok()) return Error(added.error()).during(where);
        }
        return ok();
    }

    Manifests take() { return std::move(found_); }

private:
    Result<Unit> add(nlohmann::json object, const std::string& where) {
        auto checked = check_.complete(object);
        if (!checked.ok()) return checked;
        if (!ManifestCheck::is_read(object)) {
            found_.others.push_back(name_of(object) + " (" + where + ")");
            return ok();
        }
        const std::string key = name_of(object) + " of namespace " + object["metadata"]["namespace"].get<std::string>();
        const auto [first, fresh] = places_.emplace(key, where);
        if (!fresh) return invalid("DuplicateObject", key + " comes twice; the first one is in " + first->second);
        found_.objects.push_back(std::move(object));
        return ok();
    }

    Files& files_;
    ManifestCheck check_;
    Manifests found_;
    std::map<std::string, std::string> places_;
};

}  // namespace

Result<Manifests> read_manifests(Files& files, const std::vector<std::string>& paths) {
    Collector collector(files);
    for (const std::string& path : paths) {
        const auto found = files_of(files, path);
        if (!found.ok()) return found.error();
        for (const std::string& file : *found) {
            const auto added = collector.add_file(file);
            if (!added.ok()) return added.error();
        }
    }
    Manifests manifests = collector.take();
    if (!manifests.objects.empty()) return manifests;
    std::string names;
    for (const std::string& path : paths) names += (names.empty() ? "" : ", ") + shown(path);
    const std::string others = manifests.others.empty() ? "" : "; passed over: " + manifests.others[0];
    return invalid("NoManifests", names + ": no Cluster, Stack or ServiceInstance in it" + others);
}

}  // namespace atl::commands
