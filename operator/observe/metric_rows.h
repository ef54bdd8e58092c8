#pragma once

#include <span>
#include <string_view>

namespace atl::observe {

enum class MetricType { Counter, Gauge, Histogram };

/// One metric: what the page at /metrics calls it. Names, labels and buckets of the controller_runtime_, workqueue_,
/// rest_client_, leader_election_ and process_ rows are those of controller-runtime and client-go, so that existing
/// dashboards work.
struct MetricRow {
    std::string_view name;
    MetricType type = MetricType::Counter;
    std::span<const std::string_view> labels;
    std::span<const double> buckets;  ///< upper bounds; for histograms
    std::string_view help;
};

/// The one table of metrics, sorted by name. Rows without labels exist from the start, at 0.
std::span<const MetricRow> metric_rows();

}  // namespace atl::observe
