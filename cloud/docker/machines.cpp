#include "cloud/docker/machines.h"

#include <algorithm>

#include "cloud/docker/marked.h"
#include "operator/base/digest.h"
#include "operator/base/root_task.h"

namespace atl::cloud::docker {

namespace {

constexpr Field kMachineFields[] = {{"engine", OnChange::Replace}};
constexpr Field kSwarmFields[] = {{"machine", OnChange::Ignore}};
constexpr Field kMemberFields[] = {{"role", OnChange::Ignore}};
constexpr Kind kKinds[] = {{"machine", kMachineFields}, {"swarm/swarm", kSwarmFields}, {"swarm/member", kMemberFields}};

Labels swarm_labels(const Json& info) {
    return texts_at(info, {"Swarm", "Cluster", "Spec", "Labels"});
}

bool in_own_swarm(const Survey& survey, const Owner& owner) {
    return survey.in_swarm() && is_owned(swarm_labels(survey.info), owner);
}

/// Known for certain: it is in no swarm, or manages one that is not ours. A worker, or an engine that is just starting,
/// does not say whose its swarm is.
bool is_without_own_swarm(const Survey& survey, const Owner& owner) {
    if (!survey.in_swarm()) return true;
    return !text_at(survey.info, {"Swarm", "Cluster", "ID"}).empty() && !in_own_swarm(survey, owner);
}

Error engine_in_use(const EngineMachine& engine, const std::string& whose) {
    return invalid("EngineInUse", "the engine " + engine.host + " of machine \"" + engine.machine + "\" " + whose +
                                      "; it is left alone. Choose another engine, or free this one")
        .with_retry_after(std::chrono::minutes(1));  // nothing in the API tells when it is free
}

Error join_failed(const EngineMachine& engine, const std::string& why) {
    return transient("SwarmJoinFailed",
                     "machine \"" + engine.machine + "\" cannot join its swarm: " + why +
                         ". Each machine must reach each other's TCP ports 2377 and 7946, and UDP ports 7946 and 4789");
}

std::string claimant(const Labels& labels) {
    const auto object = labels.find(std::string(kObjectLabel));
    return "belongs to " + (object == labels.end() ? "something unknown" : object->second);
}

/// Who has the engine, by the volume that is in the place of our claim.
std::string holder(const Labels& claim) {
    const std::string volume = "volume \"" + std::string(Machines::kClaim) + "\"";
    if (claim.contains(std::string(kInstallationLabel)) && claim.contains(std::string(kOwnerLabel)))
        return claimant(claim) + " (its " + volume + " says so)";
    return "has a " + volume + " that is not Atoll's in the place of the Cluster's claim (docker volume rm " +
           std::string(Machines::kClaim) + " removes it, if nobody needs it)";
}

Observed observe_member(const EngineMachine& engine, const Json& node, const std::string& swarm) {
    Observed member;
    member.key = {"swarm/member", engine.machine};
    member.id = text_at(node, {"ID"});
    const std::string state = text_at(node, {"Status", "State"});
    member.state = state == "ready" ? State::Ready : State::Pending;
    if (state != "ready") member.message = "the machine is " + state + " in the swarm";
    member.properties["role"] = text_at(node, {"Spec", "Role"});
    member.uses = {swarm};
    return member;
}

}  // namespace

LoopbackPlace loopback_place(const Owner& owner) {
    const std::string digest = sha256_hex(owner.installation + "\n" + owner.id);
    const auto number = [&](std::size_t from, std::size_t digits) {
        return static_cast<int>(std::stoul(digest.substr(from, digits), nullptr, 16));
    };
    constexpr int kFirstPort = 20000;
    constexpr int kPorts = 20000;
    LoopbackPlace place;
    place.address = "127." + std::to_string(1 + number(0, 2) % 254) + "." + std::to_string(number(2, 2)) + "." +
                    std::to_string(1 + number(4, 2) % 254);
    place.data_port = kFirstPort + number(6, 4) % kPorts;
    return place;
}

Machines::Machines(std::vector<EngineMachine> engines, Surroundings surroundings, std::shared_ptr<Versions> versions)
    : engines_(std::move(engines)), surroundings_(surroundings), versions_(std::move(versions)) {}

std::span<const Kind> Machines::kinds() const {
    return kKinds;
}

Client Machines::client(const EngineMachine& engine) const {
    return Client(surroundings_.transport, engine.where, versions_);
}

const EngineMachine* Machines::find(const std::string& machine) const {
    const auto found = std::ranges::find(engines_, machine, &EngineMachine::machine);
    return found == engines_.end() ? nullptr : &*found;
}

Task<Survey> Machines::survey(EngineMachine engine, Instant deadline) {
    Survey survey;
    Client engine_client = client(engine);
    const Result<Reply> info = co_await engine_client.get("/info", deadline).attempt();
    const std::string path = "/volumes/" + std::string(kClaim);
    const Result<Reply> claim = co_await engine_client.get(path, deadline).attempt();
    if (!info.ok() || !claim.ok()) {
        survey.error = info.ok() ? claim.error() : info.error();
        co_return survey;
    }
    survey.info = info->body;
    survey.claimed = claim->found();
    survey.claim = texts_at(claim->body, {"Labels"});
    co_return survey;
}

Task<std::vector<Survey>> Machines::survey_all(Instant deadline) {
    std::vector<Task<Survey>> calls;
    for (const EngineMachine& engine : engines_) calls.push_back(survey(engine, deadline));
    auto results = co_await all(std::move(calls));
    std::vector<Survey> surveys;
    for (auto& result : results) surveys.push_back(co_await std::move(result));
    co_return surveys;
}

Observed Machines::observe_machine(const EngineMachine& engine, const Survey& survey, const Owner& owner) const {
    Observed machine;
    machine.key = {"machine", engine.machine};
    machine.properties = {{"engine", engine.host}};
    if (survey.error) {
        // Whether it is ours is not known: it counts as there, so that nobody forgets it.
        machine.id = engine.host;
        machine.state = State::Failed;
        machine.message = survey.error->message();
        return machine;
    }
    machine.id = text_at(survey.info, {"ID"});
    machine.state = State::Ready;
    machine.outputs = {{"id", machine.id},
                       {"engine", engine.host},
                       {"address", engine.address},
                       {"tlsSecret", engine.tls_secret},
                       {"hostname", text_at(survey.info, {"Name"})},
                       {"engineVersion", text_at(survey.info, {"ServerVersion"})},
                       {"operatingSystem", text_at(survey.info, {"OperatingSystem"})},
                       {"architecture", text_at(survey.info, {"Architecture"})},
                       {"kernel", text_at(survey.info, {"KernelVersion"})},
                       {"cpu", std::to_string(number_at(survey.info, {"NCPU"}))},
                       {"memory", std::to_string(number_at(survey.info, {"MemTotal"}))}};
    if (is_without_own_swarm(survey, owner)) machine.outputs["noSwarm"] = "true";
    return machine;
}

Task<World> Machines::observe(Owner owner, Instant deadline) {
    const std::vector<Survey> surveys = co_await survey_all(deadline);
    World world;
    for (std::size_t i = 0; i < engines_.size(); ++i) {
        const bool ours = surveys[i].error || is_owned(surveys[i].claim, owner);
        if (!ours && !surveys[i].claimed) continue;
        Observed machine = observe_machine(engines_[i], surveys[i], owner);
        if (ours) {
            world.resources.push_back(std::move(machine));
        } else {
            const Error why = engine_in_use(engines_[i], holder(surveys[i].claim));
            world.strangers.push_back({machine.key, machine.id, why.message(), false, std::move(machine.outputs)});
        }
    }
    co_await observe_swarm(world, surveys, owner, deadline);
    co_return world;
}

Task<> Machines::observe_swarm(World& world, const std::vector<Survey>& surveys, Owner owner, Instant deadline) {
    Observed swarm;
    Json nodes;
    for (std::size_t i = 0; i < engines_.size() && swarm.id.empty(); ++i) {
        if (surveys[i].error || !in_own_swarm(surveys[i], owner)) continue;
        const Json& state = at(surveys[i].info, {"Swarm"});
        swarm.key = {"swarm/swarm", "swarm"};
        swarm.id = text_at(state, {"Cluster", "ID"});
        swarm.properties["machine"] = engines_[i].machine;
        swarm.state = is_true_at(state, {"ControlAvailable"}) ? State::Ready : State::Pending;
        swarm.message = text_at(state, {"Error"});
        swarm.outputs = facts_;
        swarm.outputs["id"] = swarm.id;
        swarm.outputs["machine"] = engines_[i].machine;
        swarm.uses = {text_at(surveys[i].info, {"ID"})};
        if (engines_.size() == 1) continue;
        Client manager_client = client(engines_[i]);
        const Reply reply = co_await manager_client.get("/nodes", deadline);
        nodes = reply.body;
    }
    if (swarm.id.empty()) co_return;
    for (std::size_t i = 0; i < engines_.size(); ++i) {
        const std::string node_id = text_at(surveys[i].info, {"Swarm", "NodeID"});
        if (node_id.empty() || engines_[i].machine == swarm.outputs["machine"] || !nodes.is_array()) continue;
        for (const Json& node : nodes) {
            if (text_at(node, {"ID"}) != node_id) continue;
            world.resources.push_back(observe_member(engines_[i], node, swarm.id));
            world.resources.back().uses.push_back(text_at(surveys[i].info, {"ID"}));
        }
    }
    world.resources.push_back(std::move(swarm));
}

Task<std::vector<Accepted>> Machines::apply(Batch batch, Instant deadline) {
    std::vector<Task<>> calls;
    for (const Step& step : batch.steps) calls.push_back(run(batch.owner, step, deadline));
    auto results = co_await all(std::move(calls));
    std::vector<Accepted> accepted;
    for (auto& result : results) {
        accepted.push_back({"", result.ok() ? std::optional<Error>() : std::optional<Error>(result.error())});
    }
    co_return accepted;
}

Task<> Machines::run(Owner owner, Step step, Instant deadline) {
    std::string name = step.key.name;
    if (step.key.kind == "swarm/swarm") {
        name = step.desired ? text_at(step.desired->properties, {"machine"}) : step.observed->outputs["machine"];
    }
    const EngineMachine* found = find(name);
    if (found == nullptr) {
        co_await fail(invalid("UnknownMachine", "there is no machine \"" + name + "\" in this Cluster"));
    }
    const EngineMachine engine = *found;
    const bool removal = step.op == Op::Delete;
    if (step.key.kind == "machine") {
        if (removal || step.op == Op::Release)  // the claim is all that we have on it
            co_await release(owner, engine, deadline);
        else
            co_await claim(owner, engine, deadline);
    } else if (step.key.kind == "swarm/swarm") {
        if (step.op == Op::Release)
            co_await unmark_swarm(owner, engine, deadline);
        else if (removal)
            co_await leave_swarm(owner, engine, deadline);
        else
            co_await form_swarm(owner, engine, deadline);
    } else if (step.op != Op::Release) {
        if (removal)
            co_await remove_member(owner, std::move(step), engine, deadline);
        else
            co_await join_swarm(owner, std::move(step), engine, deadline);
    }
}

Task<std::vector<Marked>> Machines::marked(std::string installation, Instant deadline) {
    std::vector<Marked> all;
    for (const EngineMachine& engine : engines_) {
        const auto here = co_await marked_on(client(engine), installation, engine.machine, deadline);
        all.insert(all.end(), here.begin(), here.end());
    }
    co_return all;
}

Task<> Machines::remove_marked(std::string installation, Marked what, Instant deadline) {
    const EngineMachine* engine = find(what.machine);
    if (engine == nullptr) co_await fail(invalid("UnknownMachine", "there is no machine \"" + what.machine + "\""));
    co_await docker::remove_marked(client(*engine), installation, what, deadline);
}

Task<> Machines::claim(Owner owner, EngineMachine engine, Instant deadline) {
    Client engine_client = client(engine);
    Call create("POST", "/volumes/create");
    create.body = {{"Name", kClaim}, {"Driver", "local"}, {"Labels", marks_of(owner, engine.machine)}};
    const Reply reply = co_await engine_client.call(std::move(create), deadline);
    // The engine gives the volume that is there already, with 201 too.
    const Labels labels = texts_at(reply.body, {"Labels"});
    if (!is_owned(labels, owner)) co_await fail(engine_in_use(engine, holder(labels)));
}

Task<> Machines::release(Owner owner, EngineMachine engine, Instant deadline) {
    Client engine_client = client(engine);
    const std::string path = "/volumes/" + std::string(kClaim);
    const Reply claim = co_await engine_client.get(path, deadline);
    if (!claim.found() || !is_owned(texts_at(claim.body, {"Labels"}), owner)) co_return;
    const Survey now = co_await survey(engine, deadline);
    if (now.asks_to_join()) co_await engine_client.call(Call("POST", "/swarm/leave?force=true"), deadline);
    Call remove("DELETE", path);
    remove.accept = std::vector<int>(1, 404);
    co_await engine_client.call(std::move(remove), deadline);
}

Task<> Machines::form_swarm(Owner owner, EngineMachine engine, Instant deadline) {
    const Survey now = co_await survey(engine, deadline);
    if (now.error) co_await fail(*now.error);
    if (now.in_swarm() && in_own_swarm(now, owner)) co_return;
    if (now.in_swarm()) {
        const Labels labels = swarm_labels(now.info);
        const bool marked = labels.contains(std::string(kObjectLabel));
        co_await fail(engine_in_use(engine, marked ? "is in a swarm that " + claimant(labels)
                                                   : "is already in a swarm that Atoll did not make"));
    }
    co_await end_asking(engine, now, deadline);
    Call init("POST", "/swarm/init");
    init.body["Spec"] = {{"Name", "default"}, {"Labels", marks_of(owner, "swarm")}};
    std::string address = engine.address;
    if (is_loopback(address)) {
        const LoopbackPlace place = loopback_place(owner);
        address = place.address;
        init.body["DataPathPort"] = place.data_port;
    }
    init.body["ListenAddr"] = address + ":2377";
    init.body["AdvertiseAddr"] = address;
    Client engine_client = client(engine);
    co_await engine_client.call(std::move(init), deadline);
}

Task<Client> Machines::manager(Owner owner, Instant deadline) {
    for (const EngineMachine& engine : engines_) {
        const Survey now = co_await survey(engine, deadline);
        if (!now.error && in_own_swarm(now, owner) && is_true_at(now.info, {"Swarm", "ControlAvailable"})) {
            co_return client(engine);
        }
    }
    co_return transient("NoManager", "no manager of the swarm answers");
}

Task<> Machines::join_swarm(Owner owner, Step step, EngineMachine engine, Instant deadline) {
    const Survey now = co_await survey(engine, deadline);
    if (now.error) co_await fail(*now.error);
    // A member of our own swarm would have been observed.
    if (now.in_swarm()) co_await fail(engine_in_use(engine, "is already in another swarm"));
    co_await end_asking(engine, now, deadline);
    Client manager_client = co_await manager(owner, deadline);
    const Reply swarm = co_await manager_client.get("/swarm", deadline);
    const Reply info = co_await manager_client.get("/info", deadline);
    const bool manages = text_at(step.desired->properties, {"role"}) == "manager";
    Call join("POST", "/swarm/join");
    join.body["JoinToken"] = text_at(swarm.body, {"JoinTokens", manages ? "Manager" : "Worker"});
    join.body["ListenAddr"] = engine.address + ":2377";
    join.body["AdvertiseAddr"] = engine.address;
    join.body["RemoteAddrs"] = Json::array();
    for (const Json& remote : list_at(info.body, {"Swarm", "RemoteManagers"})) {
        join.body["RemoteAddrs"].push_back(text_at(remote, {"Addr"}));
    }
    Client engine_client = client(engine);
    const Result<Reply> joined = co_await engine_client.call(std::move(join), deadline).attempt();
    if (joined.ok()) co_return;
    // The engine waits 20 s for the swarm, and goes on in the background.
    const bool unheard = joined.error().reason() == "EngineError";
    co_await fail(unheard ? join_failed(engine, joined.error().message()) : joined.error());
}

/// An engine whose asking has failed has to take it back before it can ask again. It has our claim.
Task<> Machines::end_asking(EngineMachine engine, Survey now, Instant deadline) {
    if (!now.asks_to_join()) co_return;
    const std::string error = text_at(now.info, {"Swarm", "Error"});
    if (now.swarm_state() == "pending") co_await fail(join_failed(engine, error.empty() ? "no answer yet" : error));
    Client engine_client = client(engine);
    co_await engine_client.call(Call("POST", "/swarm/leave?force=true"), deadline);
}

Task<> Machines::leave_swarm(Owner owner, EngineMachine engine, Instant deadline) {
    const Survey now = co_await survey(engine, deadline);
    if (now.error) co_await fail(*now.error);
    if (!in_own_swarm(now, owner)) co_return;
    co_await until_no_copies(owner, engine, deadline);
    Client engine_client = client(engine);
    co_await engine_client.call(Call("POST", "/swarm/leave?force=true"), deadline);
}

Task<> Machines::unmark_swarm(Owner owner, EngineMachine engine, Instant deadline) {
    Client engine_client = client(engine);
    const Reply now = co_await engine_client.get("/swarm", deadline);
    const Labels labels = texts_at(now.body, {"Spec", "Labels"});
    if (!now.found() || !is_owned(labels, owner)) co_return;
    const std::int64_t version = number_at(now.body, {"Version", "Index"});
    Call update("POST", "/swarm/update?version=" + std::to_string(version));
    update.body = at(now.body, {"Spec"});
    update.body["Labels"] = without_mark(labels);
    co_await engine_client.call(std::move(update), deadline);
}

/// A machine that leaves its swarm forgets the copies that it was about to remove: their containers would stay.
Task<> Machines::until_no_copies(Owner owner, EngineMachine engine, Instant deadline) {
    Client engine_client = client(engine);
    const std::vector<std::pair<std::string, std::string>> ours{{std::string(kInstallationLabel), owner.installation}};
    const std::string filter = label_filter(ours);
    const Reply reply = co_await engine_client.get("/containers/json" + filter + "&all=true", deadline);
    if (!reply.body.is_array() || reply.body.empty()) co_return;
    co_await fail(conflict("ContainersRemain", "the engine is still removing " + std::to_string(reply.body.size()) +
                                                   " containers of machine \"" + engine.machine + "\""));
}

Task<> Machines::remove_member(Owner owner, Step step, EngineMachine engine, Instant deadline) {
    const Survey now = co_await survey(engine, deadline);
    if (now.error) co_await fail(*now.error);
    // Only the membership that was observed in our swarm: the engine may be in another one by now.
    if (now.in_swarm() && text_at(now.info, {"Swarm", "NodeID"}) == step.observed->id) {
        Client engine_client = client(engine);
        co_await engine_client.call(Call("POST", "/swarm/leave?force=true"), deadline);
    }
    Client manager_client = co_await manager(owner, deadline);
    Call remove("DELETE", "/nodes/" + step.observed->id + "?force=true");
    remove.accept = std::vector<int>(1, 404);
    co_await manager_client.call(std::move(remove), deadline);
}

}  // namespace atl::cloud::docker
