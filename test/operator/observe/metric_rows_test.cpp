#include "operator/observe/metric_rows.h"

#include <fstream>
#include <regex>
#include <set>
#include <sstream>

#include <gtest/gtest.h>

namespace atl::observe {
namespace {

TEST(MetricRows, HaveTheNamesAndLabelsThatDashboardsAskFor) {
    struct Case {
        const char* name;
        std::vector<std::string_view> labels;
    };
    const Case cases[] = {
        {"controller_runtime_reconcile_total", {"controller", "result"}},
        {"controller_runtime_reconcile_time_seconds", {"controller"}},
        {"workqueue_depth", {"name", "controller", "priority"}},
        {"workqueue_queue_duration_seconds", {"name", "controller"}},
        {"rest_client_requests_total", {"code", "method", "host"}},
        {"leader_election_master_status", {"name"}},
        {"process_cpu_seconds_total", {}},
        {"process_open_fds", {}},
    };
    for (const Case& wanted : cases) {
        bool found = false;
        for (const MetricRow& row : metric_rows()) {
            if (row.name != wanted.name) continue;
            found = true;
            EXPECT_EQ(std::vector<std::string_view>(row.labels.begin(), row.labels.end()), wanted.labels)
                << wanted.name;
        }
        EXPECT_TRUE(found) << wanted.name;
    }
}

TEST(MetricRows, HaveAnEntryForEveryNameThatTheCodeUses) {
    std::set<std::string> rows;
    for (const MetricRow& row : metric_rows()) rows.insert(std::string(row.name));
    std::regex use("metrics_?\\.(?:add|set|observe)\\(\\s*\"([a-z0-9_]+)\"");
    int uses = 0;
    for (const char* file : {"operator/kube/queue.cpp", "operator/kube/controller.cpp", "operator/kube/lease.cpp"}) {
        std::ifstream in(std::string(ATOLL_SOURCE_DIR) + "/" + file);
        std::stringstream text;
        text << in.rdbuf();
        std::string code = text.str();
        for (std::sregex_iterator it(code.begin(), code.end(), use), end; it != end; ++it, ++uses)
            EXPECT_TRUE(rows.contains((*it)[1])) << (*it)[1] << " in " << file;
    }
    EXPECT_GT(uses, 10);
}

}  // namespace
}  // namespace atl::observe
