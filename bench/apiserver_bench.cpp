// What the embedded API server does on this disk and one core and a bit: durable writes, watchers, long lists, memory.
#include <vector>

#include <nlohmann/json.hpp>

#include "bench/figure.h"
#include "bench/served.h"
#include "crds/definitions.h"

namespace atl::bench {
namespace {

using nlohmann::json;

const std::string kStacks = "/apis/atoll.dev/v1alpha1/namespaces/default/stacks";
const std::string kSpaces = "/api/v1/namespaces";

/// How much is measured.
struct Amounts {
    explicit Amounts(Size size)
        : seconds(chosen(size, 0.2, 0.8, 5.0)),
          watchers(chosen(size, 20, 500, 500)),
          paced(chosen(size, 10, 30, 200)),
          objects(chosen(size, 200, 10000, 10000)),
          lists(chosen(size, 2, 3, 20)) {}
    double seconds;  ///< per rate
    int watchers;
    int paced;  ///< events, at 20 a second, for the latencies
    int objects;
    int lists;
};

std::string maps_in(const std::string& ns) {
    return kSpaces + "/" + ns + "/configmaps";
}

std::string config_map(const std::string& name) {
    const json object = {{"apiVersion", "v1"},
                         {"kind", "ConfigMap"},
                         {"metadata", {{"name", name}, {"labels", {{"app", "shop"}}}}},
                         {"data", {{"settings", std::string(400, 'x')}}}};
    return object.dump();
}

std::string stack(const std::string& name) {
    json services = json::array();
    for (const char* service : {"web", "app", "store"}) {
        json one = {{"name", service},
                    {"replicas", 2},
                    {"container",
                     {{"image", "registry.example/shop/" + std::string(service) + "@sha256:" + std::string(64, 'a')},
                      {"ports", json::array({{{"name", "http"}, {"containerPort", 8080}}})},
                      {"env", json::array({{{"name", "LEVEL"}, {"value", "info"}}})}}}};
        services.push_back(std::move(one));
    }
    const json object = {{"apiVersion", "atoll.dev/v1alpha1"},
                         {"kind", "Stack"},
                         {"metadata", {{"name", name}}},
                         {"spec", {{"clusterRef", {{"name", "blue"}}}, {"services", std::move(services)}}}};
    return object.dump();
}

/// Fails if the answer is not 200 or 201.
Result<Unit> expect_done(const net::Response& response) {
    if (response.status == 200 || response.status == 201) return ok();
    return transient("Refused", std::to_string(response.status) + ": " + response.body.substr(0, 300));
}

Task<> create(Way& way, std::string target, std::string body) {
    const net::Response response = co_await way.call("POST", std::move(target), std::move(body));
    co_await expect_done(response);
}

/// Objects to create, shared by many writers: each takes the next.
struct Work {
    std::string target;
    std::string (*make)(const std::string& name);
    std::string prefix;
    int at_most;
    Instant until;
    int next = 0;
    int done = 0;
};

Task<> write_on(Served& served, Way& way, Work& work) {
    while (work.next < work.at_most && served.loop.now() < work.until) {
        const std::string name = work.prefix + "-" + std::to_string(work.next++);
        co_await create(way, work.target, work.make(name));
        ++work.done;
    }
}

/// Creates by so many writers at once; gives the writes per second.
Task<double> write_all(Served& served, Way& way, Work& work, int writers) {
    std::vector<Task<>> tasks;
    const auto begun = Stopwatch::now();
    for (int i = 0; i < writers; ++i) tasks.push_back(write_on(served, way, work));
    const auto results = co_await all(std::move(tasks));
    for (const auto& result : results) co_await result;
    co_return work.done / seconds_since(begun);
}

class Bench {
public:
    Bench(Served& served, Size size) : served_(served), amounts_(size) {}

    Task<> measure() {
        co_await prepare();
        co_await rate("in process, 1 writer", in_process_, 1, {});
        co_await rate("in process, 64 writers", in_process_, 64, 1000);
        co_await rate("over HTTP, 64 writers", over_http_, 64, 1000);
        co_await watched("in process", in_process_, 1000);
        co_await watched("over HTTP", over_http_, {});
        co_await load();
        co_await lists("in process", in_process_);
        co_await lists("over HTTP", over_http_);
        print({"apiserver: resident after the lists", resident_mb(), "MB", {}, Better::Lower});
    }

private:
    Task<> prepare() {
        for (const json& definition : crds::definitions()) {
            co_await create(in_process_, "/apis/apiextensions.k8s.io/v1/customresourcedefinitions", definition.dump());
        }
        // A definition is served a moment after it was accepted.
        for (int i = 0; i < 100; ++i) {
            const net::Response response = co_await in_process_.call("GET", kStacks, "");
            if (response.status == 200) co_return;
            co_await sleep_for(served_.loop, std::chrono::milliseconds(20));
        }
        co_await fail(transient("NotServed", "the Stacks are not served"));
    }

    Work work_of(std::string target, int at_most) {
        Work work{std::move(target), config_map, "run" + std::to_string(++runs_), at_most, {}};
        work.until = served_.loop.now() + std::chrono::milliseconds(static_cast<int>(amounts_.seconds * 1000));
        return work;
    }

    Task<> rate(std::string how, Way& way, int writers, std::optional<double> budget) {
        Work work = work_of(maps_in("default"), 1 << 30);
        const double each_second = co_await write_all(served_, way, work, writers);
        print({"apiserver: durable writes, " + how, each_second, "1/s", budget, Better::Higher});
    }

    /// Rates and latencies while every watcher gets every event.
    Task<> watched(std::string how, Way& way, std::optional<double> budget) {
        const std::string count = std::to_string(amounts_.watchers);
        co_await open_watchers(way);
        co_await latencies(count + " watchers " + how, way);
        received_ = 0;
        Work work = work_of(maps_in("kube-system"), 1 << 30);
        const auto begun = Stopwatch::now();
        const double each_second = co_await write_all(served_, way, work, 64);
        print({"apiserver: durable writes, " + count + " watchers get each, " + how, each_second, "1/s", budget,
               Better::Higher});
        const std::uint64_t expected = static_cast<std::uint64_t>(work.done) * amounts_.watchers;
        while (received_ < expected && seconds_since(begun) < 30) {
            co_await sleep_for(served_.loop, std::chrono::milliseconds(1));
        }
        if (received_ != expected) co_await fail(transient("EventsLost", "not every watcher got every event"));
        const double rate = static_cast<double>(received_) / seconds_since(begun);
        print({"apiserver: events delivered, " + count + " watchers " + how, rate, "1/s", {}, Better::Higher});
        spawner_.reset();
    }

    Task<> open_watchers(Way& way) {
        spawner_ = std::make_unique<Spawner>(served_.loop, [](const std::string& name, const Error& error, bool) {
            std::cerr << name << ": " << error.message() << "\n";
            std::exit(1);
        });
        // From now on: what is there already is not news.
        const net::Response now = co_await way.call("GET", maps_in("kube-system") + "?limit=1", "");
        const json list = json::parse(now.body, nullptr, false);
        const std::string version = list["metadata"]["resourceVersion"].get<std::string>();
        const std::string target = maps_in("kube-system") + "?watch=1&resourceVersion=" + version;
        arrivals_.assign(amounts_.watchers, 0);
        begun_.clear();
        delays_.clear();
        for (int i = 0; i < amounts_.watchers; ++i) {
            spawner_->start("watching", way.watch(target, [this, i] { arrived(i); }));
        }
        co_await sleep_for(served_.loop, std::chrono::milliseconds(300));
    }

    /// The k-th line of a watcher is about the k-th write: one writer makes them, one after the other.
    void arrived(int watcher) {
        ++received_;
        const std::size_t at = arrivals_[watcher]++;
        if (at < begun_.size()) delays_.push_back(seconds_since(begun_[at]) * 1000);
    }

    Task<> latencies(std::string who, Way& way) {
        for (int i = 0; i < amounts_.paced; ++i) {
            begun_.push_back(Stopwatch::now());
            co_await create(way, maps_in("kube-system"), config_map("paced" + std::to_string(++runs_)));
            co_await sleep_for(served_.loop, std::chrono::milliseconds(50));
        }
        const std::size_t expected = static_cast<std::size_t>(amounts_.paced) * amounts_.watchers;
        for (int i = 0; i < 1000 && delays_.size() < expected; ++i) {
            co_await sleep_for(served_.loop, std::chrono::milliseconds(5));
        }
        if (delays_.size() != expected) co_await fail(transient("EventsLost", "not every watcher got every event"));
        const std::string name = "apiserver: from the write to the event, " + who;
        print({name + ", p50", percentile(delays_, 0.5), "ms", {}, Better::Lower});
        print({name + ", p99", percentile(delays_, 0.99), "ms", {}, Better::Lower});
    }

    Task<> load() {
        Work work = work_of(kStacks, amounts_.objects);
        work.make = stack;
        work.until = served_.loop.now() + std::chrono::minutes(5);
        const double each_second = co_await write_all(served_, in_process_, work, 64);
        print({"apiserver: durable creates of Stacks, in process, 64 writers", each_second, "1/s", {}, Better::Higher});
        print({"apiserver: resident with 10,000 Stacks", resident_mb(), "MB", {}, Better::Lower});
    }

    Task<> lists(std::string how, Way& way) {
        std::vector<double> times;
        std::size_t bytes = 0;
        const double used = cpu_seconds();
        for (int i = 0; i < amounts_.lists; ++i) {
            const auto begun = Stopwatch::now();
            const net::Response response = co_await way.call("GET", kStacks, "");
            times.push_back(seconds_since(begun) * 1000);
            co_await expect_done(response);
            bytes = response.body.size();
        }
        print({"apiserver: list of 10,000 Stacks, " + how, percentile(times, 0.5), "ms", 100, Better::Lower});
        const double each = (cpu_seconds() - used) * 1000 / amounts_.lists;
        print({"apiserver: CPU of that list, " + std::to_string(bytes / 1'000'000) + " MB",
               each,
               "ms",
               {},
               Better::Lower});
    }

    Served& served_;
    Amounts amounts_;
    Served::InProcess in_process_{served_};
    Served::OverHttp over_http_{served_};
    std::unique_ptr<Spawner> spawner_;
    int runs_ = 0;
    std::uint64_t received_ = 0;
    std::vector<std::size_t> arrivals_;
    std::vector<Stopwatch::time_point> begun_;
    std::vector<double> delays_;
};

}  // namespace
}  // namespace atl::bench

int main(int argc, char** argv) {
    atl::bench::Served served;
    atl::bench::Bench bench(served, atl::bench::size_of(argc, argv));
    served.run(bench.measure());
}
