#include "operator/observe/metric_store.h"

#include <gtest/gtest.h>

namespace atl::observe {
namespace {

bool has_line(const std::string& text, const std::string& line) {
    return ("\n" + text).find("\n" + line + "\n") != std::string::npos;
}

TEST(MetricStore, StartsAtZeroWhereThereAreNoLabels) {
    MetricStore store;
    std::string text = store.text();
    EXPECT_TRUE(has_line(text, "process_cpu_seconds_total 0")) << text;
    EXPECT_TRUE(has_line(text, "# TYPE process_cpu_seconds_total counter"));
    EXPECT_EQ(text.find("workqueue_adds_total"), std::string::npos) << "no series, no family";
}

TEST(MetricStore, KeepsCountersGaugesAndHistograms) {
    MetricStore store;
    store.add("controller_runtime_reconcile_total", {"stack", "success"}, 0);
    store.add("controller_runtime_reconcile_total", {"stack", "error"}, 2);
    store.add("controller_runtime_reconcile_total", {"stack", "error"}, 1);
    store.set("workqueue_depth", {"stack", "stack", ""}, 7);
    store.set("workqueue_depth", {"stack", "stack", ""}, 3);
    store.observe("controller_runtime_reconcile_time_seconds", {"stack"}, 0.005);
    store.observe("controller_runtime_reconcile_time_seconds", {"stack"}, 0.02);
    store.observe("controller_runtime_reconcile_time_seconds", {"stack"}, 1000);
    std::string text = store.text();
    EXPECT_TRUE(has_line(text, R"(controller_runtime_reconcile_total{controller="stack",result="error"} 3)")) << text;
    EXPECT_TRUE(has_line(text, R"(controller_runtime_reconcile_total{controller="stack",result="success"} 0)"));
    EXPECT_TRUE(has_line(text, R"(workqueue_depth{name="stack",controller="stack",priority=""} 3)")) << text;
    EXPECT_TRUE(has_line(text, R"(controller_runtime_reconcile_time_seconds_bucket{controller="stack",le="0.005"} 1)"))
        << "a bound is inside";
    EXPECT_TRUE(has_line(text, R"(controller_runtime_reconcile_time_seconds_bucket{controller="stack",le="60"} 2)"));
    EXPECT_TRUE(has_line(text, R"(controller_runtime_reconcile_time_seconds_bucket{controller="stack",le="+Inf"} 3)"));
    EXPECT_TRUE(has_line(text, R"(controller_runtime_reconcile_time_seconds_count{controller="stack"} 3)"));
    EXPECT_EQ(store.value("controller_runtime_reconcile_time_seconds", {"stack"}), 3);
}

TEST(MetricStore, CountsWhatNoRowIsFor) {
    MetricStore store;
    store.add("no_such_metric", {}, 1);
    store.add("workqueue_adds_total", {"one label too few"}, 1);
    store.set("workqueue_adds_total", {"a", "b"}, 1);
    EXPECT_EQ(store.value("atoll_unknown_metrics_total", {"no_such_metric"}), 1);
    EXPECT_EQ(store.value("atoll_unknown_metrics_total", {"workqueue_adds_total"}), 2) << "wrong labels, wrong type";
}

TEST(MetricStore, BoundsTheNumberOfSeries) {
    MetricStore store;
    for (int i = 0; i < 3000; ++i) store.add("workqueue_adds_total", {std::to_string(i), "x"}, 1);
    EXPECT_EQ(store.value("atoll_unknown_metrics_total", {"workqueue_adds_total"}), 1000);
}

TEST(MetricStore, EscapesLabels) {
    MetricStore store;
    store.add("rest_client_requests_total", {"200", "GET", "a\"b\\c\nd"}, 1);
    EXPECT_NE(store.text().find(R"(host="a\"b\\c\nd")"), std::string::npos) << store.text();
}

}  // namespace
}  // namespace atl::observe
