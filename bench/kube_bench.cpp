// What the machinery costs: passes that change nothing, a first list, and what cached objects hold in memory.
#include <chrono>
#include <memory>
#include <string>

#include <malloc.h>
#include <nlohmann/json.hpp>

#include "bench/figure.h"
#include "operator/kube/controller.h"
#include "operator/kube/object_reader.h"
#include "test/sim/sim_loop.h"
#include "test/sim/sim_network.h"

namespace atl::kube {
namespace {

using bench::Better;
using bench::chosen;
using bench::seconds_since;
using bench::Size;
using bench::Stopwatch;
using nlohmann::json;

const ResourceType kStacks{"atoll.dev", "v1alpha1", "stacks", "Stack", true};

json condition(const char* type, const char* status, const char* reason) {
    return {{"type", type},  {"status", status},        {"reason", reason},
            {"message", ""}, {"observedGeneration", 1}, {"lastTransitionTime", "2026-01-01T00:00:00Z"}};
}

/// A Stack of three services as it lies on a server, its status as the loop would write it.
json stack(int number) {
    json services = json::array();
    for (const char* name : {"web", "app", "store"}) {
        services.push_back(
            {{"name", name},
             {"replicas", 2},
             {"container",
              {{"image", "registry.example/shop/" + std::string(name) + "@sha256:" + std::string(64, 'a')},
               {"ports", {{{"name", "http"}, {"containerPort", 8080}}}},
               {"env", {{{"name", "LEVEL"}, {"value", "info"}}, {{"name", "REGION"}, {"value", "eu"}}}},
               {"resources", {{"limits", {{"cpu", "500m"}, {"memory", "256Mi"}}}}}}}});
    }
    json managed = json::array();
    for (const char* manager : {"kubectl", "atoll-stack"}) {
        json fields = json::object();
        for (int i = 0; i < 20; ++i) fields["f:spec"]["f:field" + std::to_string(i)] = {{"f:name", json::object()}};
        managed.push_back(
            {{"manager", manager}, {"operation", "Apply"}, {"fieldsType", "FieldsV1"}, {"fieldsV1", fields}});
    }
    const std::string suffix = std::to_string(1000000 + number);
    return {{"apiVersion", kStacks.api_version()},
            {"kind", kStacks.kind},
            {"metadata",
             {{"name", "stack-" + suffix},
              {"namespace", "team-" + std::to_string(number % 50)},
              {"uid", "0b54e7a5-3f53-4b43-a6f7-00000" + suffix},
              {"resourceVersion", suffix},
              {"generation", 1},
              {"creationTimestamp", "2026-01-01T00:00:00Z"},
              {"labels", {{"app.kubernetes.io/name", "shop"}, {"team", "a"}}},
              {"finalizers", {"atoll.dev/stack"}},
              {"managedFields", managed}}},
            {"spec", {{"clusterRef", {{"name", "blue"}}}, {"services", services}}},
            {"status",
             {{"observedGeneration", 1},
              {"conditions",
               {condition("Ready", "True", "Ready"), condition("Deleting", "False", "NotDeleting"),
                condition("Paused", "False", "NotPaused")}}}}};
}

std::string list_of(int count) {
    json items = json::array();
    for (int i = 0; i < count; ++i) items.push_back(stack(i));
    const json list = {
        {"kind", "StackList"}, {"metadata", {{"resourceVersion", "9000000"}}}, {"items", std::move(items)}};
    return list.dump();
}

/// Answers lists from a text, and watches with what it is told to.
class Quiet final : public net::Handler {
public:
    explicit Quiet(std::string list) : list_(std::move(list)) {}

    /// Sends one line to whoever watches.
    void tell(std::string line) {
        line_ = std::make_shared<const std::string>(std::move(line));
        if (waiting_) std::exchange(waiting_, std::nullopt)->resolve(ok());
    }

    Task<> serve(const net::ServerRequest& request, net::ResponseWriter& writer) override {
        if (request.method != "GET") {
            ++writes;
            co_await fail(unsupported("ReadOnly", "nothing is to be written"));
        }
        if (request.target.find("watch=1") != std::string::npos) {
            co_await watch(writer);
            co_return;
        }
        net::Response response;
        response.status = 200;
        response.body = list_;
        co_await writer.send(std::move(response));
    }
    int writes = 0;

private:
    Task<> watch(net::ResponseWriter& writer) {
        net::Headers headers;
        co_await writer.start(200, headers);
        while (true) {
            CallbackAwaiter<Unit>::Start wait = [this](Callback<Unit> told) -> Cancel {
                waiting_ = std::move(told);
                return {};
            };
            co_await await_callback<Unit>(wait);
            co_await writer.write(line_);
        }
    }

    std::string list_;
    std::shared_ptr<const std::string> line_;
    std::optional<Callback<Unit>> waiting_;
};

class NoOp final : public Reconciler {
public:
    Task<Recheck> run(Pass&) override {
        ++passes;
        co_return Recheck::never();
    }
    int passes = 0;
};

/// A process with one controller over so many objects, all at rest.
struct World {
    explicit World(int count) : handler(list_of(count)) {
        endpoint.host = "api";
        endpoint.port = 80;
        network.serve(endpoint.to_string(), &handler);
        Access access;
        access.endpoint = endpoint;
        transport.latency = Duration(0);
        client = std::make_unique<Client>(transport, loop, std::make_shared<FixedCredentials>(access));
        caches = std::make_unique<Caches>(*client, random, spawner, Log::none());
        events = std::make_unique<EventRecorder>(*client, random, spawner, EventRecorder::Options());
        ControllerOptions options;
        options.name = "stack";
        options.type = kStacks;
        controller = std::make_unique<Controller>(
            Runtime{loop, random, spawner, *client, *caches, *events, Metrics::none(), Log::none(), nullptr}, options,
            reconciler);
        controller->start();
        settle();
    }
    void settle() {
        loop.run_until([&] { return controller->synced() && controller->at_rest(); }, std::chrono::minutes(1));
    }

    sim::SimLoop loop{0};
    sim::SimNetwork network{loop};
    sim::SimTransport transport{network};
    SeededRandom random{1};
    Quiet handler;
    net::Endpoint endpoint;
    NoOp reconciler;
    std::unique_ptr<Client> client;
    std::unique_ptr<Caches> caches;
    std::unique_ptr<EventRecorder> events;
    std::unique_ptr<Controller> controller;
    Spawner spawner{loop, nullptr};
};

/// Keys through a queue and a cache, and nothing else: what a pass costs before it begins.
void measure_queue(double wanted_seconds) {
    World world(1000);
    const Cache& cache = world.controller->cache();
    Queue queue(world.loop, world.random, Metrics::none(), {});
    std::vector<ObjectKey> keys;
    for (const Object& object : cache.list()) keys.push_back(object.key());
    std::size_t taken = 0;
    std::size_t found = 0;
    const double begun = bench::cpu_seconds();
    while (bench::cpu_seconds() - begun < wanted_seconds) {
        for (const ObjectKey& key : keys) queue.add(key);
        while (auto key = queue.take()) {
            ++taken;
            if (cache.find(*key)) ++found;
            queue.forget(*key);
            queue.done(*key);
        }
    }
    const double rate = static_cast<double>(taken) / (bench::cpu_seconds() - begun);
    if (found == taken) bench::print({"kube: keys through queue and cache alone", rate, "1/s/core", 150000});
}

void measure_passes(double wanted_seconds) {
    World world(1000);
    std::vector<ObjectKey> keys;
    for (const Object& object : world.controller->cache().list()) keys.push_back(object.key());
    const int before = world.reconciler.passes;
    const double begun = bench::cpu_seconds();
    while (bench::cpu_seconds() - begun < wanted_seconds) {
        for (const ObjectKey& key : keys) world.controller->hint(key);
        world.settle();
    }
    const double rate = (world.reconciler.passes - before) / (bench::cpu_seconds() - begun);
    bench::print({"kube: passes of the loop that change nothing", rate, "1/s/core", 20000});
    bench::print({"kube: API writes of those passes", static_cast<double>(world.handler.writes), "", 0, Better::Lower});
}

/// From the line of a watch to the pass that it causes, one after the other, with all objects cached.
void measure_events(int objects, int events) {
    World world(objects);
    const int writes = world.handler.writes;
    world.loop.run_for(std::chrono::minutes(10));
    bench::print({"kube: API writes in 10 minutes at rest", static_cast<double>(world.handler.writes - writes), "", 0,
                  Better::Lower});
    std::vector<double> delays;
    for (int i = 0; i < events; ++i) {
        json changed = stack(i);
        changed["metadata"]["labels"]["team"] = "b";
        changed["metadata"]["resourceVersion"] = std::to_string(9000001 + i);
        const json event = {{"type", "MODIFIED"}, {"object", std::move(changed)}};
        const std::string line = event.dump() + "\n";
        const int before = world.reconciler.passes;
        const auto begun = Stopwatch::now();
        world.handler.tell(line);
        if (!world.loop.run_until([&] { return world.reconciler.passes > before; }, std::chrono::seconds(1))) return;
        delays.push_back(seconds_since(begun) * 1000);
    }
    bench::print({"kube: from event to pass, p50", bench::percentile(delays, 0.5), "ms", {}, Better::Lower});
    bench::print({"kube: from event to pass, p99", bench::percentile(delays, 0.99), "ms", 50, Better::Lower});
}

void measure_list(int rounds) {
    const std::string text = list_of(10000);
    const double begun = bench::cpu_seconds();
    std::size_t read = 0;
    for (int i = 0; i < rounds; ++i) read += ObjectReader().read_list(text).value().objects.size();
    const double each = (bench::cpu_seconds() - begun) / rounds;
    if (read != static_cast<std::size_t>(rounds) * 10000) return;
    bench::print({"kube: reading a list of 10,000 Stacks", each * 1000, "ms of CPU", {}, Better::Lower});
    bench::print({"kube: reading lists", static_cast<double>(text.size()) / each / 1e6, "MB/s", {}, Better::Higher});
}

void measure_memory() {
    const std::string text = list_of(10000);
    Cache cache{Scope(kStacks)};
    malloc_trim(0);
    const double before = bench::resident_mb();
    {
        ListPage page = ObjectReader().read_list(text).value();
        cache.replace(std::move(page.objects), page.resource_version);
    }
    malloc_trim(0);
    const double all = bench::resident_mb() - before;
    bench::print({"kube: a Stack on the wire", static_cast<double>(text.size()) / 10000, "B", {}, Better::Lower});
    bench::print({"kube: 10,000 cached Stacks, resident", all, "MB", 60, Better::Lower});
}

}  // namespace
}  // namespace atl::kube

int main(int argc, char** argv) {
    using namespace atl;  // NOLINT(google-build-using-namespace): a program of one file
    const bench::Size size = bench::size_of(argc, argv);
    const double seconds = bench::chosen(size, 0.05, 0.7, 10.0);
    kube::measure_memory();
    kube::measure_list(bench::chosen(size, 1, 2, 20));
    kube::measure_queue(seconds);
    kube::measure_passes(seconds);
    kube::measure_events(bench::chosen(size, 500, 10000, 10000), bench::chosen(size, 50, 400, 4000));
}
