#pragma once

#include <functional>
#include <map>
#include <memory>
#include <set>
#include <string>

#include "operator/kube/controller.h"
#include "test/operator/kube/small_api.h"

namespace atl::kube {

/// A Metrics that remembers: "name{a,b}" -> sum of a counter, or last value of a gauge.
class MetricSums final : public Metrics {
public:
    void add(std::string_view name, LabelValues labels, double amount) override { values[id(name, labels)] += amount; }
    void set(std::string_view name, LabelValues labels, double value) override { values[id(name, labels)] = value; }
    void observe(std::string_view name, LabelValues labels, double) override { values[id(name, labels)] += 1; }

    static std::string id(std::string_view name, LabelValues labels) {
        std::string text = std::string(name) + "{";
        for (const std::string_view label : labels) text += (text.back() == '{' ? "" : ",") + std::string(label);
        return text + "}";
    }
    std::map<std::string, double> values;
};

/// A reconciler whose passes are a function of the test.
class ScriptedReconciler final : public Reconciler {
public:
    using Script = std::function<Result<Recheck>(Pass&)>;
    explicit ScriptedReconciler(Clock& clock) : clock_(clock) {}

    Task<Recheck> run(Pass& pass) override {
        ++passes;
        ++passes_of[pass.key().to_string()];
        most_at_once = std::max(most_at_once, ++at_once);
        const Duration work = duration;
        if (!working.insert(pass.key()).second) ++twice_at_once;
        const Leave leave{*this, pass.key()};
        co_await sleep_for(clock_, work);
        if (!script) co_return Recheck::never();
        co_return co_await script(pass);
    }

    Script script;
    Duration duration = std::chrono::milliseconds(1);
    int passes = 0;
    int at_once = 0;
    int most_at_once = 0;
    int twice_at_once = 0;
    std::set<ObjectKey> working;
    std::map<std::string, int> passes_of;

private:
    struct Leave {
        ScriptedReconciler& self;
        ObjectKey key;
        ~Leave() {
            --self.at_once;
            self.working.erase(key);
        }
    };
    Clock& clock_;
};

/// A process: what a controller needs, around the small server. crash() ends it as kill -9 would.
struct Process {
    explicit Process(Given& given_in)
        : given(given_in),
          client(given.client()),
          spawner(std::make_unique<Spawner>(given.loop, nullptr)),
          caches(*client, random, *spawner, Log::none()),
          events(*client, random, *spawner, EventRecorder::Options()) {}
    ~Process() { crash(); }

    Runtime runtime() { return Runtime{given.loop, random, *spawner, *client, caches, events, metrics, log, nullptr}; }
    void crash() { spawner.reset(); }

    Given& given;
    SeededRandom random{17};
    MetricSums metrics;
    std::vector<std::string> lines;
    Log log{given.loop, LogLevel::Debug, [this](const std::string& line) { lines.push_back(line); }};
    std::unique_ptr<Client> client;
    std::unique_ptr<Spawner> spawner;
    Caches caches;
    EventRecorder events;
};

}  // namespace atl::kube
