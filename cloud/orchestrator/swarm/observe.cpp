#include "cloud/orchestrator/swarm/observe.h"

#include <algorithm>
#include <optional>
#include <set>

#include "cloud/docker/marks.h"
#include "cloud/orchestrator/swarm/service_spec.h"

namespace atl::cloud::swarm {

namespace {

using docker::at;
using docker::list_at;
using docker::number_at;
using docker::text_at;

docker::Labels labels_of(const Json& thing, bool in_spec) {
    return in_spec ? docker::texts_at(thing, {"Spec", "Labels"}) : docker::texts_at(thing, {"Labels"});
}

std::string label(const docker::Labels& labels, std::string_view name) {
    const auto found = labels.find(std::string(name));
    return found == labels.end() ? "" : found->second;
}

/// Networks, configs and secrets: Ready as soon as they are listed.
void add_collection(World& world, const Collection& collection, const Json& things, const Owner& owner) {
    if (!things.is_array()) return;
    for (const Json& thing : things) {
        const docker::Labels labels = labels_of(thing, collection.in_spec);
        if (!docker::is_owned(labels, owner)) continue;
        Observed observed;
        observed.key = {std::string(collection.kind), label(labels, docker::kNameLabel)};
        observed.id = text_at(thing, {collection.id});
        observed.state = State::Ready;
        observed.content_hash = label(labels, docker::kContentLabel);
        observed.outputs["id"] = observed.id;
        if (collection.kind == kNetwork) {
            observed.properties = {{"driver", text_at(thing, {"Driver"})}, {"attachable", at(thing, {"Attachable"})}};
            observed.outputs["name"] = text_at(thing, {"Name"});
        }
        world.resources.push_back(std::move(observed));
    }
}

NamesById names_in(const Listed& listed) {
    NamesById names;
    if (listed.networks.is_array()) {
        for (const Json& network : listed.networks)
            names.networks[text_at(network, {"Id"})] = text_at(network, {"Name"});
    }
    for (const Json* files : {&listed.configs, &listed.secrets}) {
        if (!files->is_array()) continue;
        for (const Json& file : *files) {
            names.files[text_at(file, {"ID"})] = label(labels_of(file, true), docker::kNameLabel);
        }
    }
    return names;
}

/// Ids of the networks, files and volumes that a copy or a service needs.
void add_uses(const Json& copies, std::vector<std::string>& uses) {
    for (const Json& network : list_at(copies, {"Networks"})) uses.push_back(text_at(network, {"Target"}));
    const Json& container = at(copies, {"ContainerSpec"});
    for (const Json& config : list_at(container, {"Configs"})) uses.push_back(text_at(config, {"ConfigID"}));
    for (const Json& secret : list_at(container, {"Secrets"})) uses.push_back(text_at(secret, {"SecretID"}));
    for (const Json& mount : list_at(container, {"Mounts"})) {
        if (text_at(mount, {"Type"}) == "volume") uses.push_back(text_at(mount, {"Source"}));
    }
}

Observed service_in(const Json& service, const NamesById& names) {
    const Json& spec = at(service, {"Spec"});
    Observed observed;
    observed.key = {std::string(kService), text_at(spec, {"Labels", docker::kNameLabel})};
    observed.id = text_at(service, {"ID"});
    observed.properties = service_properties(spec, names);
    observed.version = std::to_string(number_at(service, {"Version", "Index"})) + "/" +
                       std::to_string(number_at(spec, {"TaskTemplate", "ForceUpdate"}));
    observed.outputs["id"] = observed.id;
    observed.outputs["name"] = text_at(spec, {"Name"});
    observed.detail = {{"revision", text_at(spec, {"TaskTemplate", "ContainerSpec", "Labels", docker::kRevisionLabel})},
                       {"replicas", observed.properties["replicas"]},
                       {"copies", Json::array()}};
    observed.detail["update"] = {{"state", text_at(service, {"UpdateStatus", "State"})},
                                 {"message", text_at(service, {"UpdateStatus", "Message"})}};
    add_uses(at(spec, {"TaskTemplate"}), observed.uses);
    return observed;
}

Observed leaving_service(const Json& copy) {
    Observed observed;
    observed.key = {std::string(kService), text_at(copy, {"Spec", "ContainerSpec", "Labels", docker::kNameLabel})};
    observed.id = text_at(copy, {"ServiceID"});
    observed.state = State::Deleting;
    observed.message = "its copies are stopping";
    add_uses(at(copy, {"Spec"}), observed.uses);
    return observed;
}

/// A service that made copies with the owner's mark and has only part of it left itself. One without any was let go of.
std::optional<Stranger> damaged_service(const Json& service, const Owner& owner) {
    const docker::Labels labels = labels_of(service, true);
    std::string missing;
    std::size_t wrong = 0;
    for (const auto& [name, value] : docker::filter_of(owner)) {
        if (label(labels, name) == value) continue;
        ++wrong;
        missing = name + "=" + value;
    }
    if (wrong != 1) return std::nullopt;
    const std::string name = text_at(service, {"Spec", "Name"});
    Stranger stranger;
    stranger.key = {std::string(kService),
                    text_at(service, {"Spec", "TaskTemplate", "ContainerSpec", "Labels", docker::kNameLabel})};
    stranger.id = text_at(service, {"ID"});
    stranger.damaged = true;
    stranger.message = "service \"" + name + "\" was made for " + stranger.key.to_string() +
                       " and has lost its label \"" + missing +
                       "\", so it is left alone: put it back (docker service update --label-add " + missing + " " +
                       name + "), or remove the service (docker service rm " + name + ")";
    return stranger;
}

/// Puts every copy below its service; copies whose service is gone make one that is Deleting.
void place_copies(std::vector<Observed>& services, const Listed& listed, const Owner& owner) {
    if (!listed.copies.is_array()) return;
    std::set<std::string> unlisted;
    for (const Json& service : listed.unlisted) unlisted.insert(text_at(service, {"ID"}));
    for (const Json& copy : listed.copies) {
        if (!docker::is_owned(docker::texts_at(copy, {"Spec", "ContainerSpec", "Labels"}), owner)) continue;
        const auto service = std::ranges::find(services, text_at(copy, {"ServiceID"}), &Observed::id);
        if (service == services.end()) {
            // A job's records stay for ever after its service (moby 42789); they hold nothing.
            if (copy.contains("JobIteration") || unlisted.contains(text_at(copy, {"ServiceID"}))) continue;
            services.push_back(leaving_service(copy));
        } else if (service->state != State::Deleting) {
            service->detail["copies"].push_back(copy_of(copy, listed.names));
        }
    }
}

/// Consumers go before their providers: the order in which services said they want to go.
void add_order_of_removal(std::vector<Observed>& services) {
    for (Observed& service : services) {
        for (const Json& name : list_at(service.properties, {"removeBefore"})) {
            for (const Observed& other : services) {
                if (name == other.key.name) service.uses.push_back(other.id);
            }
        }
    }
}

}  // namespace

World world_of(const Listed& listed, const Owner& owner) {
    World world;
    const Json* lists[] = {&listed.networks, &listed.configs, &listed.secrets};
    for (std::size_t i = 0; i < collections().size(); ++i) {
        add_collection(world, collections()[i], *lists[i], owner);
    }
    const NamesById names = names_in(listed);
    std::vector<Observed> services;
    if (listed.services.is_array()) {
        for (const Json& service : listed.services) {
            if (docker::is_owned(labels_of(service, true), owner)) services.push_back(service_in(service, names));
        }
    }
    place_copies(services, listed, owner);
    for (const Json& service : listed.unlisted) {
        if (auto damaged = damaged_service(service, owner)) world.strangers.push_back(std::move(*damaged));
    }
    add_order_of_removal(services);
    for (Observed& service : services) {
        if (service.state != State::Deleting) judge(service);
        world.resources.push_back(std::move(service));
    }
    return world;
}

}  // namespace atl::cloud::swarm
