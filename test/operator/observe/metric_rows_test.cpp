#include "operator/observe/metric_rows.h"

#include <cmath>
#include <filesystem>
#include <fstream>
#include <map>
#include <regex>
#include <set>
#include <sstream>

#include <gtest/gtest.h>

namespace atl::observe {
namespace {

using enum MetricType;
using Labels = std::vector<std::string_view>;

const MetricRow* row_of(std::string_view name) {
    for (const MetricRow& row : metric_rows()) {
        if (row.name == name) return &row;
    }
    return nullptr;
}

TEST(MetricRows, HaveTheNamesTypesAndLabelsThatDashboardsAskFor) {
    struct Case {
        const char* name;
        MetricType type;
        Labels labels;
    };
    for (const Case& wanted : {
             Case{"controller_runtime_reconcile_total", Counter, {"controller", "result"}},
             Case{"controller_runtime_reconcile_errors_total", Counter, {"controller"}},
             Case{"controller_runtime_terminal_reconcile_errors_total", Counter, {"controller"}},
             Case{"controller_runtime_reconcile_panics_total", Counter, {"controller"}},
             Case{"controller_runtime_reconcile_timeouts_total", Counter, {"controller"}},
             Case{"controller_runtime_reconcile_time_seconds", Histogram, {"controller"}},
             Case{"controller_runtime_max_concurrent_reconciles", Gauge, {"controller"}},
             Case{"controller_runtime_active_workers", Gauge, {"controller"}},
             Case{"workqueue_depth", Gauge, {"name", "controller", "priority"}},
             Case{"workqueue_adds_total", Counter, {"name", "controller"}},
             Case{"workqueue_retries_total", Counter, {"name", "controller"}},
             Case{"workqueue_queue_duration_seconds", Histogram, {"name", "controller"}},
             Case{"workqueue_work_duration_seconds", Histogram, {"name", "controller"}},
             Case{"workqueue_unfinished_work_seconds", Gauge, {"name", "controller"}},
             Case{"workqueue_longest_running_processor_seconds", Gauge, {"name", "controller"}},
             Case{"rest_client_requests_total", Counter, {"code", "method", "host"}},
             Case{"rest_client_request_duration_seconds", Histogram, {"verb", "host"}},
             Case{"leader_election_master_status", Gauge, {"name"}},
             Case{"leader_election_slowpath_total", Counter, {"name"}},
             Case{"process_cpu_seconds_total", Counter, {}},
             Case{"process_resident_memory_bytes", Gauge, {}},
             Case{"process_virtual_memory_bytes", Gauge, {}},
             Case{"process_open_fds", Gauge, {}},
             Case{"process_max_fds", Gauge, {}},
             Case{"process_start_time_seconds", Gauge, {}},
         }) {
        const MetricRow* row = row_of(wanted.name);
        ASSERT_NE(row, nullptr) << wanted.name;
        EXPECT_EQ(row->type, wanted.type) << wanted.name;
        EXPECT_EQ(Labels(row->labels.begin(), row->labels.end()), wanted.labels) << wanted.name;
    }
}

TEST(MetricRows, HaveTheBucketsOfControllerRuntimeAndClientGo) {
    const std::vector<double> passes = {
        0.005, 0.01, 0.025, 0.05, 0.1, 0.15, 0.2, 0.25, 0.3, 0.35, 0.4, 0.45, 0.5, 0.6, 0.7, 0.8, 0.9, 1,  1.25, 1.5,
        1.75,  2,    2.5,   3,    3.5, 4,    4.5, 5,    6,   7,    8,   9,    10,  15,  20,  25,  30,  40, 50,   60};
    const std::vector<double> requests = {0.005, 0.025, 0.1, 0.25, 0.5, 1, 2, 4, 8, 15, 30, 60};
    const auto buckets = [](std::string_view name) {
        const auto& all = row_of(name)->buckets;
        return std::vector<double>(all.begin(), all.end());
    };
    EXPECT_EQ(buckets("controller_runtime_reconcile_time_seconds"), passes);
    EXPECT_EQ(buckets("rest_client_request_duration_seconds"), requests);
    for (const char* name : {"workqueue_queue_duration_seconds", "workqueue_work_duration_seconds"}) {
        const auto found = buckets(name);
        ASSERT_EQ(found.size(), 12U);
        for (std::size_t i = 0; i < found.size(); ++i)
            EXPECT_NEAR(found[i] / std::pow(10, static_cast<double>(i) - 8), 1, 1e-9) << name;
    }
}

TEST(MetricRows, KeepToTheRulesOfNames) {
    for (const MetricRow& row : metric_rows()) {
        EXPECT_TRUE(std::regex_match(std::string(row.name), std::regex("[a-z][a-z0-9_]*"))) << row.name;
        EXPECT_EQ(row.type == Counter, row.name.ends_with("_total")) << row.name;
        EXPECT_FALSE(row.help.empty()) << row.name;
    }
}

/// The text of all sources of the program but the table itself.
std::string sources() {
    std::stringstream text;
    const std::string root = ATOLL_SOURCE_DIR;
    for (const char* folder : {"/operator", "/controllers", "/cloud"}) {
        for (const auto& entry : std::filesystem::recursive_directory_iterator(root + folder)) {
            if (entry.path().extension() != ".cpp" || entry.path().filename() == "metric_rows.cpp") continue;
            text << std::ifstream(entry.path()).rdbuf();
        }
    }
    return text.str();
}

TEST(MetricRows, AreTheNamesThatTheCodeUsesNoMoreAndNoLess) {
    const std::string code = sources();
    const std::regex name(
        "\"((?:controller_runtime|workqueue|rest_client|leader_election|process|atoll)_"
        "[a-z0-9_]+_(?:total|seconds|bytes|fds|depth|status|workers|reconciles|info))\"");
    std::set<std::string> used;
    for (std::sregex_iterator it(code.begin(), code.end(), name), end; it != end; ++it) {
        used.insert((*it)[1]);
        EXPECT_NE(row_of((*it)[1].str()), nullptr) << (*it)[1] << " has no row";
    }
    EXPECT_GT(used.size(), 20U);
    for (const MetricRow& row : metric_rows()) {
        const std::string quoted = "\"" + std::string(row.name) + "\"";
        EXPECT_NE(code.find(quoted), std::string::npos) << row.name << " is never measured";
    }
}

}  // namespace
}  // namespace atl::observe
