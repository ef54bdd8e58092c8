#include "cloud/orchestrator/swarm/driver.h"

#include <algorithm>
#include <charconv>
#include <set>

#include "cloud/docker/marks.h"
#include "cloud/docker/volumes.h"
#include "cloud/orchestrator/swarm/extend.h"
#include "cloud/orchestrator/swarm/observe.h"
#include "operator/base/base64.h"
#include "operator/base/root_task.h"

namespace atl::cloud::swarm {

namespace {

using docker::Call;
using docker::Reply;
using docker::text_at;

/// "1328/0": the version index to update with, and the live counter of forced updates.
std::pair<std::int64_t, std::int64_t> version_of(const std::string& version) {
    std::pair<std::int64_t, std::int64_t> numbers{0, 0};
    const char* end = version.data() + version.size();
    const auto index = std::from_chars(version.data(), end, numbers.first);
    if (index.ptr != end) std::from_chars(index.ptr + 1, end, numbers.second);
    return numbers;
}

Json body_for(const Collection& collection, const Owner& owner, const Resource& resource) {
    docker::Labels labels = docker::marks_of(owner, resource.key.name);
    Json body;
    if (collection.kind == kNetwork) {
        body = {{"Name", docker::network_name(resource.key.name)},
                {"Driver", resource.properties.value("driver", "overlay")},
                {"Attachable", resource.properties.value("attachable", true)},
                {"CheckDuplicate", true}};
    } else {
        labels[std::string(docker::kContentLabel)] = resource.content_hash;
        body = {{"Name", docker::name_on_engine(owner, resource.key)}, {"Data", encode_base64(resource.content)}};
    }
    body["Labels"] = labels;
    return body;
}

}  // namespace

SwarmDriver::SwarmDriver(Endpoint endpoint, Surroundings surroundings, std::shared_ptr<docker::Versions> versions)
    : endpoint_(std::move(endpoint)), surroundings_(surroundings), versions_(std::move(versions)) {}

docker::Client SwarmDriver::client(std::size_t engine) const {
    return docker::Client(surroundings_.transport, endpoint_.engines[engine].where, versions_);
}

Task<Reply> SwarmDriver::on_manager(Call call, Instant deadline) {
    Result<Reply> reply = transient("NoManager", "the swarm has no manager that we know");
    for (std::size_t i = 0; i < endpoint_.engines.size(); ++i) {
        const std::size_t engine = (manager_ + i) % endpoint_.engines.size();
        docker::Client engine_client = client(engine);
        reply = co_await engine_client.call(call, deadline).attempt();
        // Of these two is sure that nothing happened, so another manager may be asked.
        const bool next = !reply.ok() && (reply.error().reason() == "NotASwarmManager" ||
                                          reply.error().reason() == "EngineUnreachable");
        if (next) continue;
        manager_ = engine;
        break;
    }
    co_return reply;
}

Task<SwarmDriver::Lists> SwarmDriver::read_lists(Owner owner, Instant deadline) {
    const std::string mine = docker::label_filter(docker::filter_of(owner));
    const auto installation = std::pair(std::string(docker::kInstallationLabel), owner.installation);
    const std::string ours = docker::label_filter({installation});
    std::vector<Task<Reply>> calls;
    for (const std::string& path : {"/services" + mine, "/tasks" + mine, "/networks" + ours, "/configs" + mine,
                                    "/secrets" + mine, std::string("/nodes")}) {
        calls.push_back(on_manager(Call("GET", path), deadline));
    }
    auto replies = co_await all(std::move(calls));
    Lists lists;
    Json* const targets[] = {&lists.services, &lists.copies,  &lists.networks,
                             &lists.configs,  &lists.secrets, &lists.machines};
    for (std::size_t i = 0; i < replies.size(); ++i) {
        Reply reply = co_await std::move(replies[i]);
        lists.engine_time = std::max(lists.engine_time, reply.engine_time);
        *targets[i] = std::move(reply.body);
    }
    lists.unlisted = co_await services_behind(lists, deadline);
    co_return lists;
}

/// The services that are not listed as the owner's though copies of theirs are. One that is gone is not there either.
Task<Json> SwarmDriver::services_behind(const Lists& lists, Instant deadline) {
    std::set<std::string> ids;
    for (const Json& copy : lists.copies) ids.insert(text_at(copy, {"ServiceID"}));
    for (const Json& service : lists.services) ids.erase(text_at(service, {"ID"}));
    std::vector<Task<Reply>> calls;
    for (const std::string& id : ids) {
        Call read("GET", "/services/" + id);
        read.accept = std::vector<int>(1, 404);
        calls.push_back(on_manager(std::move(read), deadline));
    }
    auto replies = co_await all(std::move(calls));
    Json services = Json::array();
    for (auto& result : replies) {
        Reply reply = co_await std::move(result);
        if (reply.found()) services.push_back(std::move(reply.body));
    }
    co_return services;
}

std::map<std::string, std::string> SwarmDriver::machine_names(const Json& machines) const {
    std::map<std::string, std::string> names;
    if (!machines.is_array()) return names;
    for (const Json& machine : machines) {
        const std::string hostname = text_at(machine, {"Description", "Hostname"});
        const auto engine = std::ranges::find(endpoint_.engines, hostname, &Endpoint::Engine::hostname);
        names[text_at(machine, {"ID"})] = engine == endpoint_.engines.end() ? hostname : engine->machine;
    }
    return names;
}

Task<World> SwarmDriver::observe(Owner owner, Instant deadline) {
    World world;
    if (!endpoint_.facts.contains(kSwarmGone)) {
        const Lists lists = co_await read_lists(owner, deadline);
        CopyNames names{machine_names(lists.machines), lists.engine_time, {}};
        names.images = co_await image_ids(owner, deadline);
        world = world_of(
            {lists.services, lists.unlisted, lists.copies, lists.networks, lists.configs, lists.secrets, names}, owner);
    }
    co_await observe_volumes(world, owner, deadline);
    co_return world;
}

/// Only the engines themselves know what an image was resolved to: the swarm keeps the name. One that does not answer
/// leaves its containers without.
Task<std::map<std::string, std::string>> SwarmDriver::image_ids(Owner owner, Instant deadline) {
    std::map<std::string, std::string> ids;
    const std::string path = "/containers/json" + docker::label_filter(docker::filter_of(owner));
    for (std::size_t i = 0; i < endpoint_.engines.size(); ++i) {
        docker::Client engine_client = client(i);
        const Result<Reply> reply = co_await engine_client.get(path, deadline).attempt();
        if (!reply.ok() || !reply->body.is_array()) continue;
        for (const Json& container : reply->body) ids[text_at(container, {"Id"})] = text_at(container, {"ImageID"});
    }
    co_return ids;
}

Task<> SwarmDriver::observe_volumes(World& world, Owner owner, Instant deadline) {
    const std::string path = "/volumes" + docker::label_filter(docker::filter_of(owner));
    for (std::size_t i = 0; i < endpoint_.engines.size(); ++i) {
        docker::Client engine_client = client(i);
        const Reply reply = co_await engine_client.get(path, deadline);
        Observed like;
        like.key.kind = kVolume;
        like.properties["machine"] = endpoint_.engines[i].machine;
        like.outputs["machine"] = endpoint_.engines[i].machine;
        docker::add_volumes(world, reply.body, like, owner);
    }
}

Task<std::vector<Accepted>> SwarmDriver::apply(Batch batch, Instant deadline) {
    std::vector<Task<Accepted>> calls;
    for (const Step& step : batch.steps) calls.push_back(run(batch.owner, step, deadline));
    auto results = co_await all(std::move(calls));
    std::vector<Accepted> accepted;
    for (auto& result : results) {
        accepted.push_back(result.ok() ? std::move(*result) : Accepted{"", result.error()});
    }
    co_return accepted;
}

Task<Accepted> SwarmDriver::run(Owner owner, Step step, Instant deadline) {
    Accepted accepted;
    if (step.op == Op::Create) {
        accepted = co_await create(owner, std::move(step), deadline);
    } else if (step.op == Op::Update) {
        accepted.id = co_await update(owner, std::move(step), deadline);
    } else if (step.op == Op::Release) {
        accepted.id = step.observed->id;
        co_await release(std::move(step), deadline);
    } else {
        accepted.id = step.observed->id;
        co_await remove(std::move(step), deadline);
    }
    co_return accepted;
}

Task<Accepted> SwarmDriver::create(Owner owner, Step step, Instant deadline) {
    const auto collection = std::ranges::find(collections(), step.key.kind, &Collection::kind);
    Accepted accepted;
    if (collection != collections().end()) {
        accepted = co_await create_in(*collection, owner, std::move(step), deadline);
    } else if (step.key.kind == kVolume) {
        accepted = co_await create_volume(owner, std::move(step), deadline);
    } else {
        accepted = co_await create_service(owner, std::move(step), deadline);
    }
    co_return accepted;
}

Task<Accepted> SwarmDriver::taken(std::string path, Owner owner, Instant deadline) {
    Call read("GET", path);
    read.accept = std::vector<int>(1, 404);
    const Reply reply = co_await on_manager(std::move(read), deadline);
    if (!reply.found()) co_return conflict("NameTaken", "what had the name of " + path + " has just gone");
    docker::Labels labels = docker::texts_at(reply.body, {"Spec", "Labels"});
    if (labels.empty()) labels = docker::texts_at(reply.body, {"Labels"});
    if (!docker::is_owned(labels, owner)) co_return docker::name_taken(path.substr(path.rfind('/') + 1));
    std::string id = text_at(reply.body, {"ID"});
    if (id.empty()) id = text_at(reply.body, {"Id"});
    co_return found_there(std::move(id));
}

Task<Accepted> SwarmDriver::create_in(Collection collection, Owner owner, Step step, Instant deadline) {
    Call create("POST", std::string(collection.create));
    create.body = body_for(collection, owner, *step.desired);
    create.accept = std::vector<int>(1, 409);
    const std::string name = text_at(create.body, {"Name"});
    Reply reply = co_await on_manager(create, deadline);
    if (reply.status == 409 && collection.kind == kNetwork) {
        const Reply other = co_await on_manager(Call("GET", "/networks/" + name), deadline);
        if (docker::is_owned(docker::texts_at(other.body, {"Labels"}), owner)) {
            co_return found_there(text_at(other.body, {"Id"}));
        }
        co_await docker::give_way(client(manager_), owner, other.body, deadline);
        create.accept.clear();
        reply = co_await on_manager(std::move(create), deadline);
    }
    if (reply.status != 409) co_return made(text_at(reply.body, {collection.id}));
    co_return co_await taken(std::string(collection.list) + "/" + name, owner, deadline);
}

/// A service's copies may start on any machine.
Task<> SwarmDriver::check_lasting_volumes(Owner owner, Resource service, Instant deadline) {
    const Json mounts = docker::mounts_for(docker::at(service.properties, {"volumes"}), owner, std::string(kVolume));
    for (std::size_t i = 0; i < endpoint_.engines.size(); ++i) {
        co_await docker::check_lasting_volumes(client(i), owner, mounts, deadline);
    }
}

/// Machines of a swarm run an image of their own where its registry does not give it; Always means that it must.
Task<> SwarmDriver::check_registry(Resource service, Instant deadline) {
    if (text_at(service.properties, {"imagePullPolicy"}) != "Always") co_return;
    const std::string image = text_at(service.properties, {"image"});
    docker::Client engine_client = client(manager_);
    Call ask("GET", "/distribution/" + image + "/json");
    Result<Reply> reply = co_await engine_client.call(std::move(ask), deadline).attempt();
    if (!reply.ok()) co_await fail(Error(reply.error()).during("pulling image \"" + image + "\""));
}

Task<Accepted> SwarmDriver::create_service(Owner owner, Step step, Instant deadline) {
    co_await check_registry(*step.desired, deadline);
    co_await check_lasting_volumes(owner, *step.desired, deadline);
    Call create("POST", "/services/create");
    create.body = service_spec(step.desired->properties, {owner, step.key.name, 0});
    create.accept = std::vector<int>(1, 409);
    const std::string name = text_at(create.body, {"Name"});
    const Reply reply = co_await on_manager(std::move(create), deadline);
    if (reply.status != 409) co_return made(text_at(reply.body, {"ID"}));
    co_return co_await taken("/services/" + name, owner, deadline);
}

Task<Accepted> SwarmDriver::create_volume(Owner owner, Step step, Instant deadline) {
    const std::string machine = text_at(step.desired->properties, {"machine"});
    std::size_t engine = 0;
    for (std::size_t i = 0; i < endpoint_.engines.size(); ++i) {
        if (endpoint_.engines[i].machine == machine) engine = i;
    }
    std::string name = co_await docker::create_volume(client(engine), owner, step.key, deadline);
    co_return made(std::move(name));
}

Task<std::string> SwarmDriver::update(Owner owner, Step step, Instant deadline) {
    if (step.key.kind != kService) co_return unsupported("NotUpdatable", step.key.to_string() + " cannot be changed");
    co_await check_registry(*step.desired, deadline);
    co_await check_lasting_volumes(owner, *step.desired, deadline);
    const auto version = version_of(step.observed->version);
    Call update("POST", "/services/" + step.observed->id +
                            "/update?registryAuthFrom=spec&version=" + std::to_string(version.first));
    update.body = service_spec(step.desired->properties, {owner, step.key.name, version.second});
    co_await on_manager(std::move(update), deadline);
    co_return step.observed->id;
}

/// Sends the specification back as it is, but for the labels of the thing itself: those of a service's copies stay, or
/// every copy would be replaced.
Task<> SwarmDriver::release(Step step, Instant deadline) {
    if (step.key.kind == kNetwork || step.key.kind == kVolume) co_await fail(docker::marks_stay(step.key));
    const auto collection = std::ranges::find(collections(), step.key.kind, &Collection::kind);
    const std::string path =
        (collection == collections().end() ? "/services" : std::string(collection->list)) + "/" + step.observed->id;
    Call read("GET", path);
    read.accept = std::vector<int>(1, 404);
    const Reply now = co_await on_manager(std::move(read), deadline);
    if (!now.found()) co_return;
    const std::int64_t version = docker::number_at(now.body, {"Version", "Index"});
    Call update("POST", path + "/update?version=" + std::to_string(version));
    if (step.key.kind == kService) update.target += "&registryAuthFrom=spec";
    update.body = docker::at(now.body, {"Spec"});
    update.body["Labels"] = docker::without_mark(docker::texts_at(now.body, {"Spec", "Labels"}));
    co_await on_manager(std::move(update), deadline);
}

Task<> SwarmDriver::remove(Step step, Instant deadline) {
    const std::string& id = step.observed->id;
    if (step.key.kind == kVolume) {
        for (std::size_t i = 0; i < endpoint_.engines.size(); ++i) {
            if (endpoint_.engines[i].machine != step.observed->outputs["machine"]) continue;
            co_await docker::remove_volume(client(i), id, deadline);
        }
        co_return;
    }
    const auto collection = std::ranges::find(collections(), step.key.kind, &Collection::kind);
    const std::string path = collection == collections().end() ? "/services" : std::string(collection->list);
    Call remove("DELETE", path + "/" + id);
    remove.accept = std::vector<int>(1, 404);
    co_await on_manager(std::move(remove), deadline);
}

}  // namespace atl::cloud::swarm
