#include "cloud/docker/volumes.h"

#include "cloud/docker/marks.h"

namespace atl::cloud::docker {

void add_volumes(World& world, const Json& list, const Observed& like, const Owner& owner) {
    for (const Json& volume : list_at(list, {"Volumes"})) {
        const Labels labels = texts_at(volume, {"Labels"});
        if (!is_owned(labels, owner) || labels.contains(std::string(kRetainLabel))) continue;
        const auto name = labels.find(std::string(kNameLabel));
        Observed observed = like;
        observed.key.name = name == labels.end() ? "" : name->second;
        observed.id = text_at(volume, {"Name"});
        observed.state = State::Ready;
        observed.outputs["id"] = observed.id;
        world.resources.push_back(std::move(observed));
    }
}

Task<std::string> create_volume(Client client, Owner owner, ResourceKey key, Instant deadline) {
    Call create("POST", "/volumes/create");
    create.body = {{"Name", name_on_engine(owner, key)}, {"Driver", "local"}, {"Labels", marks_of(owner, key.name)}};
    // A name that exists gives the volume that is there, with its own labels, and 201 too.
    const Reply reply = co_await client.call(std::move(create), deadline);
    const std::string name = text_at(reply.body, {"Name"});
    if (!is_owned(texts_at(reply.body, {"Labels"}), owner)) co_return name_taken(name);
    co_return name;
}

Task<> remove_volume(Client client, std::string name, Instant deadline) {
    Call remove("DELETE", "/volumes/" + name);
    remove.accept = std::vector<int>(1, 404);
    co_await client.call(std::move(remove), deadline);
}

Json mounts_for(const Json& volumes, const Owner& owner, const std::string& kind) {
    Json mounts = Json::array();
    if (!volumes.is_array()) return mounts;
    for (const Json& volume : volumes) {
        Json mount = {{"Type", "volume"}, {"Target", text_at(volume, {"path"})}};
        if (is_true_at(volume, {"readOnly"})) mount["ReadOnly"] = true;
        const std::string name = text_at(volume, {"volume"});
        if (!name.empty()) {
            Labels labels = marks_of(owner, name);
            if (is_true_at(volume, {"retain"})) labels[std::string(kRetainLabel)] = "true";
            mount["Source"] = name_on_engine(owner, {kind, name});
            mount["VolumeOptions"]["Labels"] = labels;
        }
        mounts.push_back(std::move(mount));
    }
    return mounts;
}

Error name_taken(const std::string& name) {
    return conflict("NameTaken", "the name \"" + name + "\" is taken by something that is not ours; it is left alone");
}

}  // namespace atl::cloud::docker
