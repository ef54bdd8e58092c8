#include "operator/commands/probe_handler.h"

#include <gtest/gtest.h>

namespace atl::commands {
namespace {

struct Given {
    observe::MetricStore metrics;
    observe::HealthChecks healthz{"healthz"};
    observe::HealthChecks readyz{"readyz"};
    std::optional<std::string> trouble;
    int scrapes = 0;
    ProbeHandler handler{{metrics, healthz, readyz, [this] { ++scrapes; }}};

    Given() {
        readyz.add("caches", [this] { return trouble; });
    }
    net::Response get(const std::string& target, const std::string& method = "GET") {
        net::ServerRequest request;
        request.method = method;
        request.target = target;
        return handler.answer(request);
    }
};

TEST(ProbeHandler, GivesMetricsInPrometheusTextFormat) {
    Given given;
    record(given.metrics, kube::RequestSample{"200", "GET", "LIST", "10.0.0.1:443", std::chrono::milliseconds(20)});
    net::Response response = given.get("/metrics");
    EXPECT_EQ(response.status, 200);
    EXPECT_EQ(response.headers.find("content-type"), "text/plain; version=0.0.4; charset=utf-8");
    EXPECT_NE(response.body.find(R"(rest_client_requests_total{code="200",method="GET",host="10.0.0.1:443"} 1)"),
              std::string::npos);
    EXPECT_EQ(given.scrapes, 1);
}

TEST(ProbeHandler, AnswersHealthWithOneWordOrALineForEachCheck) {
    Given given;
    EXPECT_EQ(given.get("/healthz").body, "ok");
    EXPECT_EQ(given.get("/readyz").body, "ok");
    EXPECT_EQ(given.get("/readyz?verbose").body, "[+]ping ok\n[+]caches ok\nreadyz check passed\n");
    EXPECT_EQ(given.get("/readyz/caches").body, "ok");
    given.trouble = "waiting for the first list of stacks";
    EXPECT_EQ(given.get("/readyz").status, 500);
    EXPECT_EQ(given.get("/readyz").body,
              "[+]ping ok\n[-]caches failed: waiting for the first list of stacks\nreadyz check failed\n");
    EXPECT_EQ(given.get("/readyz/caches").status, 500);
    EXPECT_EQ(given.get("/healthz").status, 200) << "not ready is not ill";
}

TEST(ProbeHandler, RefusesOtherPagesAndMethods) {
    Given given;
    EXPECT_EQ(given.get("/").status, 404);
    EXPECT_EQ(given.get("/healthzz").status, 404);
    EXPECT_EQ(given.get("/readyz/nothing").status, 404);
    EXPECT_EQ(given.get("/metrics", "POST").status, 405);
    EXPECT_EQ(given.get("/metrics", "HEAD").status, 200);
    EXPECT_EQ(given.get("").status, 404);
    EXPECT_EQ(given.get("?").status, 404);
}

}  // namespace
}  // namespace atl::commands
