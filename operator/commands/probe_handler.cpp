#include "operator/commands/probe_handler.h"

#include <optional>

namespace atl::commands {

namespace {

net::Response plain(int status, std::string body) {
    net::Response response;
    response.status = status;
    response.headers.set("Content-Type", "text/plain; charset=utf-8");
    response.headers.set("X-Content-Type-Options", "nosniff");
    response.headers.set("Cache-Control", "no-cache, private");
    response.body = std::move(body);
    return response;
}

net::Response page_of(const observe::HealthReport& report) {
    return plain(report.healthy ? 200 : 500, report.text);
}

/// The answer of /healthz or /readyz; `rest` is what follows in the path.
net::Response health_page(const observe::HealthChecks& checks, std::string_view rest, bool verbose) {
    using Detail = observe::HealthChecks::Detail;
    if (rest.empty() || rest == "/") return page_of(checks.report(verbose ? Detail::Always : Detail::OnFailure));
    std::optional<observe::HealthReport> one = checks.report_one(rest.substr(1));
    if (!one) return plain(404, "no such check\n");
    return page_of(*one);
}

/// What follows the page's name in the path: "" or "/NAME"; nullopt if this is another page.
std::optional<std::string_view> rest_of(std::string_view path, std::string_view page) {
    if (!path.starts_with(page)) return std::nullopt;
    path.remove_prefix(page.size());
    if (!path.empty() && path.front() != '/') return std::nullopt;
    return path;
}

}  // namespace

net::Response ProbeHandler::answer(const net::ServerRequest& request) const {
    std::string_view target = request.target;
    std::size_t mark = target.find('?');
    std::string_view path = target.substr(0, mark);
    std::string_view query = mark == std::string_view::npos ? std::string_view() : target.substr(mark + 1);
    if (request.method != "GET" && request.method != "HEAD") {
        net::Response response = plain(405, "only GET and HEAD\n");
        response.headers.set("Allow", "GET, HEAD");
        return response;
    }
    bool verbose = false;
    for (const auto& [name, value] : net::parse_query(query)) verbose = verbose || name == "verbose";
    if (auto rest = rest_of(path, "/healthz")) return health_page(parts_.healthz, *rest, verbose);
    if (auto rest = rest_of(path, "/readyz")) return health_page(parts_.readyz, *rest, verbose);
    if (path != "/metrics") return plain(404, "pages: /metrics, /healthz, /readyz\n");
    if (parts_.before_metrics) parts_.before_metrics();
    net::Response response = plain(200, parts_.metrics.text());
    response.headers.set("Content-Type", "text/plain; version=0.0.4; charset=utf-8");
    return response;
}

Task<> ProbeHandler::serve(const net::ServerRequest& request, net::ResponseWriter& writer) {
    net::Response response = answer(request);
    co_await writer.send(std::move(response));
}

void record(Metrics& metrics, const kube::RequestSample& request) {
    metrics.add("rest_client_requests_total", {request.code, request.method, request.host}, 1);
    double seconds = std::chrono::duration<double>(request.duration).count();
    metrics.observe("rest_client_request_duration_seconds", {request.verb, request.host}, seconds);
}

}  // namespace atl::commands
