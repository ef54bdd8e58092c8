#include "cloud/docker/volumes.h"

#include "cloud/docker/marks.h"
#include "operator/base/root_task.h"

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
            const bool lasts = is_true_at(volume, {"retain"});
            if (lasts) labels[std::string(kRetainLabel)] = "true";
            const ResourceKey key{kind, name};
            mount["Source"] = lasts ? lasting_name_on_engine(owner, key) : name_on_engine(owner, key);
            mount["VolumeOptions"]["Labels"] = labels;
        }
        mounts.push_back(std::move(mount));
    }
    return mounts;
}

Task<> check_lasting_volumes(Client client, Owner owner, Json mounts, Instant deadline) {
    for (const Json& mount : mounts) {
        if (!at(mount, {"VolumeOptions", "Labels"}).contains(kRetainLabel)) continue;
        Call read("GET", "/volumes/" + text_at(mount, {"Source"}));
        read.accept = std::vector<int>(1, 404);
        const Reply present = co_await client.call(std::move(read), deadline);
        const Labels labels = texts_at(present.body, {"Labels"});
        if (!present.found() || is_owned(labels, owner) || is_of_predecessor(labels, owner)) continue;
        co_await fail(name_taken(text_at(mount, {"Source"})));
    }
}

Task<> give_way(Client client, Owner owner, Json found, Instant deadline) {
    const std::string name = text_at(found, {"Name"});
    if (!is_of_predecessor(texts_at(found, {"Labels"}), owner)) co_await fail(name_taken(name));
    Call remove("DELETE", "/networks/" + text_at(found, {"Id"}));
    remove.accept = std::vector<int>(1, 404);
    const auto removed = co_await client.call(std::move(remove), deadline).attempt();
    if (removed.ok()) co_return;
    if (removed.error().reason() != "InUse") co_await fail(removed.error());
    co_await fail(invalid("NameTaken", "network \"" + name + "\" was retained by an earlier " + owner.kind + " \"" +
                                           owner.name_space + "/" + owner.name +
                                           "\" and is still used by what that left running: remove those first (" +
                                           removed.error().message() + ")")
                      .with_retry_after(std::chrono::minutes(1)));
}

Error name_taken(const std::string& name) {
    return invalid("NameTaken", "the name \"" + name +
                                    "\" is taken by something without the mark of this owner; it is left alone. Remove "
                                    "or rename it on the engine, if nobody needs it")
        .with_retry_after(std::chrono::minutes(1));  // nothing in the API tells when it is free
}

}  // namespace atl::cloud::docker
