#include "operator/observe/metric_rows.h"

#include <algorithm>
#include <array>

namespace atl::observe {

namespace {

using Labels = std::string_view;
constexpr std::array<Labels, 1> kController{"controller"};
constexpr std::array<Labels, 2> kControllerResult{"controller", "result"};
constexpr std::array<Labels, 1> kWebhook{"webhook"};
constexpr std::array<Labels, 2> kWebhookCode{"webhook", "code"};
constexpr std::array<Labels, 2> kQueue{"name", "controller"};
constexpr std::array<Labels, 3> kQueuePriority{"name", "controller", "priority"};
constexpr std::array<Labels, 3> kRequest{"code", "method", "host"};
constexpr std::array<Labels, 2> kVerbHost{"verb", "host"};
constexpr std::array<Labels, 1> kName{"name"};
constexpr std::array<Labels, 1> kVersion{"version"};

constexpr std::array kReconcileBuckets{0.005, 0.01, 0.025, 0.05, 0.1,  0.15, 0.2,  0.25, 0.3,  0.35,
                                       0.4,   0.45, 0.5,   0.6,  0.7,  0.8,  0.9,  1.0,  1.25, 1.5,
                                       1.75,  2.0,  2.5,   3.0,  3.5,  4.0,  4.5,  5.0,  6.0,  7.0,
                                       8.0,   9.0,  10.0,  15.0, 20.0, 25.0, 30.0, 40.0, 50.0, 60.0};
constexpr std::array kQueueBuckets{1e-8, 1e-7, 1e-6, 1e-5, 1e-4, 1e-3, 1e-2, 1e-1, 1.0, 10.0, 100.0, 1000.0};
constexpr std::array kRequestBuckets{0.005, 0.025, 0.1, 0.25, 0.5, 1.0, 2.0, 4.0, 8.0, 15.0, 30.0, 60.0};

using enum MetricType;

// clang-format off
constexpr std::array kRows = {
    MetricRow{"atoll_build_info",                                  Gauge,     kVersion,          {},                "1, with the version of this binary."},
    MetricRow{"atoll_shard_members",                               Gauge,     {},                {},                "Replicas that this one sees alive, with --shards."},
    MetricRow{"atoll_shards",                                      Gauge,     {},                {},                "Shards that this replica holds, with --shards."},
    MetricRow{"atoll_unknown_metrics_total",                       Counter,   kName,             {},                "Measurements that no row of the table of metrics is for; a bug."},
    MetricRow{"certwatcher_read_certificate_errors_total",         Counter,   {},                {},                "Total number of certificate read errors."},
    MetricRow{"certwatcher_read_certificate_total",                Counter,   {},                {},                "Total number of certificate reads."},
    MetricRow{"controller_runtime_active_workers",                 Gauge,     kController,       {},                "Number of currently used workers per controller."},
    MetricRow{"controller_runtime_max_concurrent_reconciles",      Gauge,     kController,       {},                "Maximum number of concurrent reconciles per controller."},
    MetricRow{"controller_runtime_reconcile_errors_total",         Counter,   kController,       {},                "Total number of reconciliation errors per controller."},
    MetricRow{"controller_runtime_reconcile_panics_total",         Counter,   kController,       {},                "Total number of reconciliation panics per controller."},
    MetricRow{"controller_runtime_reconcile_time_seconds",         Histogram, kController,       kReconcileBuckets, "Length of time per reconciliation per controller."},
    MetricRow{"controller_runtime_reconcile_timeouts_total",       Counter,   kController,       {},                "Total number of reconciliation timeouts per controller."},
    MetricRow{"controller_runtime_reconcile_total",                Counter,   kControllerResult, {},                "Total number of reconciliations per controller."},
    MetricRow{"controller_runtime_terminal_reconcile_errors_total", Counter,  kController,       {},                "Total number of terminal reconciliation errors per controller."},
    MetricRow{"controller_runtime_webhook_latency_seconds",        Histogram, kWebhook,          kQueueBuckets,     "Histogram of the latency of processing admission requests."},
    MetricRow{"controller_runtime_webhook_panics_total",           Counter,   {},                {},                "Total number of webhook panics."},
    MetricRow{"controller_runtime_webhook_requests_in_flight",     Gauge,     kWebhook,          {},                "Current number of admission requests being served."},
    MetricRow{"controller_runtime_webhook_requests_total",         Counter,   kWebhookCode,      {},                "Total number of admission requests by HTTP status code."},
    MetricRow{"leader_election_master_status",                     Gauge,     kName,             {},                "Gauge of if the reporting system is master of the relevant lease, 0 indicates backup, 1 indicates master."},
    MetricRow{"leader_election_slowpath_total",                    Counter,   kName,             {},                "Total number of slow path exercised in renewing leader leases."},
    MetricRow{"process_cpu_seconds_total",                         Counter,   {},                {},                "Total user and system CPU time spent in seconds."},
    MetricRow{"process_max_fds",                                   Gauge,     {},                {},                "Maximum number of open file descriptors."},
    MetricRow{"process_open_fds",                                  Gauge,     {},                {},                "Number of open file descriptors."},
    MetricRow{"process_resident_memory_bytes",                     Gauge,     {},                {},                "Resident memory size in bytes."},
    MetricRow{"process_start_time_seconds",                        Gauge,     {},                {},                "Start time of the process since unix epoch in seconds."},
    MetricRow{"process_virtual_memory_bytes",                      Gauge,     {},                {},                "Virtual memory size in bytes."},
    MetricRow{"rest_client_request_duration_seconds",              Histogram, kVerbHost,         kRequestBuckets,   "Request latency in seconds. Broken down by verb, and host."},
    MetricRow{"rest_client_requests_total",                        Counter,   kRequest,          {},                "Number of HTTP requests, partitioned by status code, method, and host."},
    MetricRow{"workqueue_adds_total",                              Counter,   kQueue,            {},                "Total number of adds handled by workqueue."},
    MetricRow{"workqueue_depth",                                   Gauge,     kQueuePriority,    {},                "Current depth of workqueue by workqueue and priority."},
    MetricRow{"workqueue_longest_running_processor_seconds",       Gauge,     kQueue,            {},                "How many seconds has the longest running processor for workqueue been running."},
    MetricRow{"workqueue_queue_duration_seconds",                  Histogram, kQueue,            kQueueBuckets,     "How long in seconds an item stays in workqueue before being requested."},
    MetricRow{"workqueue_retries_total",                           Counter,   kQueue,            {},                "Total number of retries handled by workqueue."},
    MetricRow{"workqueue_unfinished_work_seconds",                 Gauge,     kQueue,            {},                "How many seconds of work has been done that is in progress and hasn't been observed by work_duration."},
    MetricRow{"workqueue_work_duration_seconds",                   Histogram, kQueue,            kQueueBuckets,     "How long in seconds processing an item from workqueue takes."},
};
// clang-format on

constexpr bool sorted_and_unique() {
    for (std::size_t i = 1; i < kRows.size(); ++i)
        if (kRows[i - 1].name >= kRows[i].name) return false;
    return true;
}
static_assert(sorted_and_unique(), "rows are looked up by binary search");

constexpr bool histograms_have_buckets() {
    return std::all_of(kRows.begin(), kRows.end(), [](const MetricRow& row) {
        return (row.type == Histogram) != row.buckets.empty() && std::is_sorted(row.buckets.begin(), row.buckets.end());
    });
}
static_assert(histograms_have_buckets());

}  // namespace

std::span<const MetricRow> metric_rows() {
    return kRows;
}

}  // namespace atl::observe
