#include "cloud/docker/marked.h"

#include <algorithm>
#include <array>
#include <optional>

#include "cloud/docker/marks.h"
#include "cloud/docker/volumes.h"
#include "operator/base/root_task.h"
#include "operator/base/time.h"

namespace atl::cloud::docker {

namespace {

/// Where a kind of thing lives in the engine's API.
struct Shelf {
    std::string_view kind;
    std::string_view list;    ///< path and query
    std::string_view single;  ///< path, to which the id is added
    bool of_swarm;            ///< whether only a manager has it; its labels then stand in its Spec
};
// clang-format off
constexpr std::array kShelves = {
    Shelf{"service",   "/services",              "/services/",   true},
    Shelf{"config",    "/configs",               "/configs/",    true},
    Shelf{"secret",    "/secrets",               "/secrets/",    true},
    Shelf{"container", "/containers/json?all=1", "/containers/", false},
    Shelf{"network",   "/networks",              "/networks/",   false},
    Shelf{"volume",    "/volumes",               "/volumes/",    false},
};
// clang-format on
constexpr std::string_view kSwarm = "swarm";

const Shelf* shelf_of(std::string_view kind) {
    const auto found = std::ranges::find(kShelves, kind, &Shelf::kind);
    return found == kShelves.end() ? nullptr : &*found;
}

Labels labels_of(const Json& thing) {
    Labels labels = texts_at(thing, {"Spec", "Labels"});
    if (labels.empty()) labels = texts_at(thing, {"Config", "Labels"});
    if (labels.empty()) labels = texts_at(thing, {"Labels"});
    return labels;
}

std::string first_of(std::initializer_list<std::string> texts) {
    for (const std::string& text : texts) {
        if (!text.empty()) return text;
    }
    return "";
}

std::string name_of(const Json& thing) {
    const Json& names = list_at(thing, {"Names"});
    std::string name = first_of({text_at(thing, {"Spec", "Name"}), text_at(thing, {"Name"})});
    if (name.empty() && !names.empty() && names[0].is_string()) name = names[0].get<std::string>();
    return name.starts_with('/') ? name.substr(1) : name;
}

std::string since_of(const Json& thing) {
    const std::int64_t seconds = number_at(thing, {"Created"});
    if (seconds != 0) return format_rfc3339(WallTime(std::chrono::seconds(seconds)));
    return first_of({text_at(thing, {"CreatedAt"}), text_at(thing, {"Created"})});
}

/// The thing, if its labels carry the installation's mark.
std::optional<Marked> read(const Json& thing, std::string_view kind, const std::string& installation) {
    const Labels labels = labels_of(thing);
    const auto label = [&](std::string_view name) {
        const auto found = labels.find(std::string(name));
        return found == labels.end() ? std::string() : found->second;
    };
    if (label(kInstallationLabel) != installation || label(kOwnerLabel).empty()) return std::nullopt;
    if (labels.contains("com.docker.swarm.task.id")) return std::nullopt;  // goes with its service
    Marked marked;
    marked.kind = kind;
    marked.name = name_of(thing);
    marked.id = first_of({text_at(thing, {"ID"}), text_at(thing, {"Id"}), marked.name});
    marked.owner = label(kOwnerLabel);
    marked.object = label(kObjectLabel);
    marked.since = since_of(thing);
    marked.retained = labels.contains(std::string(kRetainLabel));
    return marked;
}

}  // namespace

Task<std::vector<Marked>> marked_on(Client client, std::string installation, std::string machine, Instant deadline) {
    std::vector<Marked> all;
    const auto add = [&](const Json& thing, std::string_view kind) {
        std::optional<Marked> marked = read(thing, kind, installation);
        if (!marked) return;
        marked->machine = machine;
        all.push_back(std::move(*marked));
    };
    const Reply info = co_await client.get("/info", deadline);
    const bool manages = is_true_at(info.body, {"Swarm", "ControlAvailable"});
    if (manages) add(at(info.body, {"Swarm", "Cluster"}), kSwarm);
    const std::vector<std::pair<std::string, std::string>> ours{{std::string(kInstallationLabel), installation}};
    for (const Shelf& shelf : kShelves) {
        if (shelf.of_swarm && !manages) continue;
        std::string filter = label_filter(ours);
        if (shelf.list.find('?') != std::string_view::npos) filter.replace(0, 1, "&");
        const Reply reply = co_await client.get(std::string(shelf.list) + filter, deadline);
        const Json& things = shelf.kind == "volume" ? list_at(reply.body, {"Volumes"}) : reply.body;
        if (!things.is_array()) continue;
        for (const Json& thing : things) add(thing, shelf.kind);
    }
    co_return all;
}

Task<> remove_marked(Client client, std::string installation, Marked what, Instant deadline) {
    const Shelf* shelf = shelf_of(what.kind);
    if (shelf == nullptr) {
        co_await fail(unsupported("NotRemovable", "the " + what.kind + " of machine \"" + what.machine +
                                                      "\" is left by hand: docker swarm leave --force"));
    }
    const std::string path = std::string(shelf->single) + what.id;
    const bool container = what.kind == "container";
    const Reply now = co_await client.get(path + (container ? "/json" : ""), deadline);
    if (!now.found()) co_return;
    const Labels labels = labels_of(now.body);
    Owner owner;
    owner.installation = installation;
    owner.id = what.owner;
    if (!is_owned(labels, owner)) co_await fail(name_taken(what.name));
    Call remove("DELETE", path + (container ? "?v=1&force=1" : ""));
    remove.accept = std::vector<int>(1, 404);
    co_await client.call(std::move(remove), deadline);
}

}  // namespace atl::cloud::docker
