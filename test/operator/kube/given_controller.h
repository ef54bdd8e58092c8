#pragma once

#include <gtest/gtest.h>

#include "operator/kube/controller.h"
#include "test/operator/kube/machinery.h"

namespace atl::kube {

using namespace std::chrono_literals;
using nlohmann::json;

struct ControllerTest : testing::Test {
    Given given{7};
    Process process{given};
    ScriptedReconciler reconciler{given.loop};
    std::unique_ptr<Controller> controller;

    ControllerOptions options() {
        ControllerOptions options;
        options.name = "widget";
        options.type = kWidgets;
        return options;
    }
    void start(ControllerOptions chosen) {
        controller = std::make_unique<Controller>(process.runtime(), std::move(chosen), reconciler);
        controller->watch_owned(kGadgets);
        controller->start();
        given.loop.run_for(1s);
    }
    void start() { start(options()); }
    void put(const std::string& name, json spec = json::object(), const std::string& ns = "shop") {
        json object = widget(ns, name);
        object["spec"] = std::move(spec);
        given.api.put(kWidgets, object);
    }
    json stored(const std::string& name = "a") {
        return given.api.get(kWidgets, ObjectKey("shop", name)).value_or(json());
    }
    json condition(const std::string& type, const std::string& name = "a") {
        for (const json& entry : stored(name).value("status", json::object()).value("conditions", json::array())) {
            if (entry["type"] == type) return entry;
        }
        return {};
    }
    std::string status_of(const std::string& type) {
        const json found = condition(type);
        return found.is_null() ? "" : found["status"].get<std::string>() + "/" + found["reason"].get<std::string>();
    }
    std::vector<std::string> event_reasons() {
        std::vector<std::string> reasons;
        for (const json& event : given.api.all({"", "v1", "events", "Event", true})) reasons.push_back(event["reason"]);
        return reasons;
    }
    double metric(std::string_view name, LabelValues labels) {
        return process.metrics.values[MetricSums::id(name, labels)];
    }
    ~ControllerTest() override { process.crash(); }
};

}  // namespace atl::kube
