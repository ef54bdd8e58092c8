#include "operator/apiserver/server.h"

#include <optional>
#include <utility>

#include <nlohmann/json.hpp>

#include "operator/apiserver/admission_policies.h"
#include "operator/apiserver/api_server.h"
#include "operator/apiserver/bootstrap.h"
#include "operator/apiserver/built_in_types.h"
#include "operator/apiserver/custom_resources.h"
#include "operator/apiserver/data_directory.h"
#include "operator/apiserver/garbage_collector.h"
#include "operator/apiserver/lifecycle.h"
#include "operator/apiserver/object_text.h"
#include "operator/apiserver/reviews.h"
#include "operator/apiserver/sqlite_store.h"
#include "operator/apiserver/worker_thread.h"

namespace atl::apiserver {

/// Everything a running server is made of, in the order of its making.
struct Server::Parts {
    Parts(DataDirectory directory_in, std::unique_ptr<Worker> worker_in, std::unique_ptr<SqliteStore> store_in,
          Surroundings around)
        : directory(std::move(directory_in)),
          worker(std::move(worker_in)),
          store(std::move(store_in)),
          watches(around.executor),
          serving{around.clock, around.random, *store, watches, registry, admission, around.log},
          tokens(directory.token_key, *store, around.clock),
          authenticator(directory.users, tokens),
          authorizer(*store, watches),
          escalation(authorizer),
          policies(*store, authorizer),
          api(serving, {authenticator, authorizer, tokens}),
          garbage(serving),
          lifecycle(serving),
          executor(around.executor) {}

    Result<Unit> prepare();
    Result<Unit> load_definitions();
    void add_admission();
    void take_in(std::vector<Change> changes);
    void serve_definition(const Change& change);

    DataDirectory directory;
    std::unique_ptr<Worker> worker;
    std::unique_ptr<SqliteStore> store;
    WatchCache watches;
    Registry registry;
    Admission admission;
    Serving serving;
    ServiceAccountTokens tokens;
    Authenticator authenticator;
    Authorizer authorizer;
    EscalationCheck escalation;
    AdmissionPolicies policies;
    ApiServer api;
    GarbageCollector garbage;
    Lifecycle lifecycle;
    Executor& executor;
    std::optional<Spawner> spawner;
};

Result<Unit> Server::Parts::prepare() {
    add_built_in_types(registry);
    watches.begin_at(store->revision());
    auto definitions = load_definitions();
    if (!definitions.ok()) return definitions;
    auto loaded = garbage.load();
    if (!loaded.ok()) return loaded;
    auto policies_loaded = policies.load();
    if (!policies_loaded.ok()) return policies_loaded;
    add_admission();
    store->on_change([this](std::vector<Change> changes) { take_in(std::move(changes)); });
    return ok();
}

Result<Unit> Server::Parts::load_definitions() {
    Range range;
    range.resource = kDefinitions;
    auto page = store->list(range);
    if (!page.ok()) return std::move(page).error();
    for (const Stored& stored : page->objects) {
        registry.set_custom(stored.key.name, types_of_definition(parse_stored(stored.text)));
    }
    return ok();
}

void Server::Parts::add_admission() {
    admission.add(check_namespace_deletion);
    admission.add([this](const AdmissionRequest& request) { return policies.check(request); });
    admission.add([this](const AdmissionRequest& request) -> Result<Unit> {
        const bool is_rbac = request.type.group == "rbac.authorization.k8s.io";
        if (!is_rbac || request.object == nullptr) return ok();
        return escalation.check(request.user, request.ns, *request.object);
    });
}

/// Resources are served as soon as their definition is stored, and before its writer hears of it.
void Server::Parts::take_in(std::vector<Change> changes) {
    for (const Change& change : changes) {
        if (change.key.resource == kDefinitions) serve_definition(change);
        policies.take_in(change);
    }
    std::vector<Change> published = changes;
    watches.publish(std::move(published));
    garbage.take_in(changes);
}

void Server::Parts::serve_definition(const Change& change) {
    std::vector<ResourceType> types;
    if (change.type != ChangeType::Deleted) types = types_of_definition(parse_stored(change.text));
    registry.set_custom(change.key.name, std::move(types));
    watches.interrupt(change.key.name);
}

Result<std::unique_ptr<Server>> Server::open(ServerOptions options, Surroundings surroundings) {
    auto directory = DataDirectory::open(options.data_directory, options.vfs, surroundings.files, surroundings.random);
    if (!directory.ok()) return std::move(directory).error();
    std::unique_ptr<Worker> worker;
    if (options.writer_runs == ServerOptions::WriterRuns::OnThread) {
        worker = make_worker_thread(surroundings.executor);
    } else {
        worker = std::make_unique<LoopWorker>(surroundings.executor);
    }
    SqliteStoreOptions store_options;
    store_options.path = directory->database;
    store_options.vfs = options.vfs;
    store_options.keys = directory->keys;
    auto store = SqliteStore::open(std::move(store_options), {surroundings.clock, surroundings.random, *worker});
    if (!store.ok()) return std::move(store).error();
    auto parts =
        std::make_unique<Parts>(std::move(*directory), std::move(worker), std::move(*store), std::move(surroundings));
    auto prepared = parts->prepare();
    if (!prepared.ok()) return std::move(prepared).error();
    if (options.check) parts->admission.add(std::move(options.check));
    return std::unique_ptr<Server>(new Server(std::move(parts)));
}

Server::Server(std::unique_ptr<Parts> parts) : parts_(std::move(parts)) {}

Server::~Server() {
    stop();
}

net::Handler& Server::handler() {
    return parts_->api;
}

Task<> Server::start() {
    co_await bootstrap(parts_->serving);
    const Log log = parts_->serving.log;
    parts_->spawner.emplace(parts_->executor, [log](const std::string& name, const Error& error, bool) {
        log.error("Ending background work of the API server",
                  {{key::kOperation, name}, {key::kError, error.message()}});
    });
    parts_->spawner->start("end namespaces", parts_->lifecycle.end_namespaces());
    parts_->spawner->start("end definitions", parts_->lifecycle.end_definitions());
    parts_->spawner->start("expire events", parts_->lifecycle.expire_events());
    parts_->spawner->start("collect garbage", parts_->garbage.collect());
    parts_->api.set_ready(true);
}

std::string Server::store_trouble() {
    const std::string trouble = trouble_of(*parts_->store);
    if (!trouble.empty() && parts_->spawner) parts_->spawner->start("try the store", parts_->store->try_out());
    return trouble;
}

void Server::stop() {
    parts_->api.set_ready(false);
    parts_->spawner.reset();
}

const std::string& Server::admin_token() const {
    return parts_->directory.admin_token;
}

}  // namespace atl::apiserver
