#include "cloud/orchestrator/none/driver.h"

#include <algorithm>

#include "cloud/docker/errors.h"
#include "cloud/docker/marks.h"
#include "cloud/docker/tar.h"
#include "cloud/docker/volumes.h"
#include "cloud/orchestrator/none/container_spec.h"
#include "cloud/orchestrator/none/translate.h"
#include "operator/base/root_task.h"

namespace atl::cloud::none {

namespace {

using docker::Call;
using docker::Client;
using docker::Reply;
using docker::text_at;

/// The archive with the files of a container; empty if it has none.
std::string archive_of(const Resource& resource) {
    if (resource.content.empty()) return "";
    std::vector<docker::TarFile> files;
    const auto contents = unpack_files(resource.content);
    for (const Json& file : docker::list_at(resource.properties, {"files"})) {
        const std::string path = text_at(file, {"path"});
        const auto content = contents.find(path);
        if (content == contents.end()) continue;
        files.push_back({path.substr(path.find_first_not_of('/')), content->second,
                         static_cast<std::uint32_t>(docker::number_at(file, {"mode"}))});
    }
    return docker::tar_of(files);
}

/// The repository and what follows it, as the engine wants them apart: "a.b/c:1" gives ("a.b/c", "1").
std::pair<std::string, std::string> split_image(const std::string& image) {
    const auto digest = image.find('@');
    if (digest != std::string::npos) return {image.substr(0, digest), image.substr(digest + 1)};
    const auto colon = image.rfind(':');
    const bool has_tag = colon != std::string::npos && image.find('/', colon) == std::string::npos;
    return has_tag ? std::pair(image.substr(0, colon), image.substr(colon + 1))
                   : std::pair(image, std::string("latest"));
}

void add_networks(World& world, const Json& list, const std::string& machine, const Owner& owner) {
    if (!list.is_array()) return;
    for (const Json& network : list) {
        const docker::Labels labels = docker::texts_at(network, {"Labels"});
        if (!docker::is_owned(labels, owner)) continue;
        Observed observed;
        const auto name = labels.find(std::string(docker::kNameLabel));
        observed.key = {std::string(kNetwork), name == labels.end() ? "" : name->second};
        observed.id = text_at(network, {"Id"});
        observed.state = State::Ready;
        observed.properties = {{"name", text_at(network, {"Name"})}, {"machine", machine}};
        observed.outputs = {{"id", observed.id}, {"machine", machine}};
        world.resources.push_back(std::move(observed));
    }
}

}  // namespace

NoneDriver::NoneDriver(Endpoint endpoint, Surroundings surroundings, std::shared_ptr<docker::Versions> versions)
    : endpoint_(std::move(endpoint)), surroundings_(surroundings), versions_(std::move(versions)) {}

Client NoneDriver::client(std::size_t engine) const {
    return Client(surroundings_.transport, endpoint_.engines[engine].where, versions_);
}

std::size_t NoneDriver::engine_of(const std::string& machine) const {
    const auto found = std::ranges::find(endpoint_.engines, machine, &Endpoint::Engine::machine);
    return static_cast<std::size_t>(found - endpoint_.engines.begin());
}

Task<World> NoneDriver::observe(Owner owner, Instant deadline) {
    std::vector<Task<World>> calls;
    for (std::size_t i = 0; i < endpoint_.engines.size(); ++i) calls.push_back(observe_engine(i, owner, deadline));
    auto results = co_await all(std::move(calls));
    World world;
    for (auto& result : results) {
        World part = co_await std::move(result);
        for (Observed& observed : part.resources) world.resources.push_back(std::move(observed));
    }
    co_return world;
}

Task<World> NoneDriver::observe_engine(std::size_t engine, Owner owner, Instant deadline) {
    const std::string mine = docker::label_filter(docker::filter_of(owner));
    const std::string& machine = endpoint_.engines[engine].machine;
    Client engine_client = client(engine);
    World world;
    co_await observe_containers(world, engine, owner, deadline);
    const Reply networks = co_await engine_client.get("/networks" + mine, deadline);
    add_networks(world, networks.body, machine, owner);
    const Reply volumes = co_await engine_client.get("/volumes" + mine, deadline);
    Observed like;
    like.key.kind = kVolume;
    like.properties["machine"] = machine;
    like.outputs["machine"] = machine;
    docker::add_volumes(world, volumes.body, like, owner);
    co_return world;
}

Task<> NoneDriver::observe_containers(World& world, std::size_t engine, Owner owner, Instant deadline) {
    Client engine_client = client(engine);
    std::string filter = docker::label_filter(docker::filter_of(owner));
    filter.replace(0, 1, "&");
    const Reply list = co_await engine_client.get("/containers/json?all=1" + filter, deadline);
    if (!list.body.is_array()) co_return;
    std::vector<Task<Reply>> calls;
    for (const Json& container : list.body) {
        calls.push_back(engine_client.get("/containers/" + text_at(container, {"Id"}) + "/json", deadline));
    }
    auto replies = co_await all(std::move(calls));
    for (auto& result : replies) {
        const Reply reply = co_await std::move(result);
        if (!reply.found()) continue;
        if (!docker::is_owned(docker::texts_at(reply.body, {"Config", "Labels"}), owner)) continue;
        const std::string& machine = endpoint_.engines[engine].machine;
        world.resources.push_back(container_in(reply.body, machine, reply.engine_time));
    }
}

Task<std::vector<Accepted>> NoneDriver::apply(Batch batch, Instant deadline) {
    std::vector<Task<Accepted>> calls;
    for (const Step& step : batch.steps) calls.push_back(run(batch.owner, step, deadline));
    auto results = co_await all(std::move(calls));
    std::vector<Accepted> accepted;
    for (auto& result : results) accepted.push_back(result.ok() ? std::move(*result) : Accepted{"", result.error()});
    co_return accepted;
}

Task<Accepted> NoneDriver::run(Owner owner, Step step, Instant deadline) {
    const bool creates = step.op == Op::Create;
    const std::string machine =
        creates ? text_at(step.desired->properties, {"machine"}) : step.observed->outputs["machine"];
    const std::size_t engine = engine_of(machine);
    if (engine == endpoint_.engines.size()) {
        co_return invalid("UnknownMachine", "there is no machine \"" + machine + "\" in this Cluster");
    }
    if (creates) co_return co_await create(owner, std::move(step), client(engine), deadline);
    Accepted accepted;
    accepted.id = step.observed->id;
    if (step.op == Op::Release) co_return docker::marks_stay(step.key);
    if (step.op == Op::Update)
        co_await fill_and_start(accepted.id, *step.desired, client(engine), deadline);
    else
        co_await remove(std::move(step), client(engine), deadline);
    co_return accepted;
}

Task<Accepted> NoneDriver::create(Owner owner, Step step, Client engine_client, Instant deadline) {
    if (step.key.kind == kNetwork) {
        co_return co_await create_network(owner, std::move(step), std::move(engine_client), deadline);
    }
    if (step.key.kind == kVolume) {
        std::string name = co_await docker::create_volume(std::move(engine_client), owner, step.key, deadline);
        co_return made(std::move(name));
    }
    co_return co_await create_container(owner, std::move(step), std::move(engine_client), deadline);
}

Task<Accepted> NoneDriver::create_network(Owner owner, Step step, Client engine_client, Instant deadline) {
    const std::string name = text_at(step.desired->properties, {"name"});
    Call create("POST", "/networks/create");
    // Without CheckDuplicate the engine makes a second network of the same name, and both become useless.
    create.body = {{"Name", name}, {"Driver", "bridge"}, {"CheckDuplicate", true}};
    create.body["Labels"] = docker::marks_of(owner, step.key.name);
    create.accept = std::vector<int>(1, 409);
    Reply reply = co_await engine_client.call(create, deadline);
    if (reply.status != 409) co_return made(text_at(reply.body, {"Id"}));
    const Reply other = co_await engine_client.get("/networks/" + name, deadline);
    if (docker::is_owned(docker::texts_at(other.body, {"Labels"}), owner))
        co_return found_there(text_at(other.body, {"Id"}));
    co_await docker::give_way(engine_client, owner, other.body, deadline);
    create.accept.clear();
    reply = co_await engine_client.call(std::move(create), deadline);
    co_return made(text_at(reply.body, {"Id"}));
}

Task<Accepted> NoneDriver::create_container(Owner owner, Step step, Client engine_client, Instant deadline) {
    Json mounts = docker::mounts_for(docker::at(step.desired->properties, {"volumes"}), owner, std::string(kVolume));
    co_await docker::check_lasting_volumes(engine_client, owner, std::move(mounts), deadline);
    const std::string name = docker::name_on_engine(owner, step.key);
    Call create("POST", "/containers/create?name=" + name);
    create.body = container_spec(step.desired->properties, owner, *step.desired);
    create.accept = std::vector<int>({404, 409});
    if (text_at(step.desired->properties, {"imagePullPolicy"}) == "Always") {
        co_await pull(*step.desired, engine_client, deadline);
    }
    Reply reply = co_await engine_client.call(create, deadline);
    if (reply.status == 404) {
        co_await pull(*step.desired, engine_client, deadline);
        create.accept = std::vector<int>(1, 409);
        reply = co_await engine_client.call(std::move(create), deadline);
    }
    Accepted accepted = made(text_at(reply.body, {"Id"}));
    if (reply.status == 409) accepted = found_there(co_await find_container(name, owner, engine_client, deadline));
    co_await fill_and_start(accepted.id, *step.desired, std::move(engine_client), deadline);
    co_return accepted;
}

Task<std::string> NoneDriver::find_container(std::string name, Owner owner, Client engine_client, Instant deadline) {
    const Reply reply = co_await engine_client.get("/containers/" + name + "/json", deadline);
    if (!docker::is_owned(docker::texts_at(reply.body, {"Config", "Labels"}), owner))
        co_return docker::name_taken(name);
    co_return text_at(reply.body, {"Id"});
}

Task<> NoneDriver::fill_and_start(std::string id, Resource resource, Client engine_client, Instant deadline) {
    std::string archive = archive_of(resource);
    if (!archive.empty()) {
        Call put("PUT", "/containers/" + id + "/archive?path=/");
        put.raw = std::move(archive);
        co_await engine_client.call(std::move(put), deadline);
    }
    Call start("POST", "/containers/" + id + "/start");
    start.accept = std::vector<int>(1, 304);
    co_await engine_client.call(std::move(start), deadline);
}

Task<> NoneDriver::pull(Resource resource, Client engine_client, Instant deadline) {
    const std::string image = text_at(resource.properties, {"image"});
    if (text_at(resource.properties, {"imagePullPolicy"}) == "Never") {
        co_await fail(
            transient("ImageMissing", "image \"" + image + "\" is not on the machine, and imagePullPolicy is Never"));
    }
    const auto [repository, tag] = split_image(image);
    Call pull("POST",
              "/images/create?fromImage=" + net::encode_component(repository) + "&tag=" + net::encode_component(tag));
    pull.streams = true;
    Result<Reply> reply = co_await engine_client.call(std::move(pull), deadline).attempt();
    if (!reply.ok()) co_await fail(Error(reply.error()).during("pulling image \"" + image + "\""));
}

Task<> NoneDriver::remove(Step step, Client engine_client, Instant deadline) {
    const std::string id = step.observed->id;
    if (step.key.kind == kVolume) {
        co_await docker::remove_volume(std::move(engine_client), id, deadline);
        co_return;
    }
    std::string path = "/networks/" + id;
    if (step.key.kind == kContainer) {
        const std::int64_t grace = docker::number_at(step.observed->properties, {"stopGraceSeconds"}, 10);
        Call stop("POST", "/containers/" + id + "/stop?t=" + std::to_string(grace));
        stop.accept = std::vector<int>({304, 404});
        co_await engine_client.call(std::move(stop), deadline);
        path = "/containers/" + id + "?v=1&force=1";
    }
    Call remove("DELETE", path);
    remove.accept = std::vector<int>(1, 404);
    co_await engine_client.call(std::move(remove), deadline);
}

}  // namespace atl::cloud::none
