#include "cloud/docker/client.h"

#include <algorithm>
#include <charconv>

#include "cloud/docker/errors.h"
#include "operator/base/time.h"

namespace atl::cloud::docker {

namespace {

/// "1.41" as (1, 41); (0, 0) if it is not that.
std::pair<int, int> as_version(std::string_view text) {
    std::pair<int, int> version{0, 0};
    const auto dot = text.find('.');
    if (dot == std::string_view::npos) return version;
    std::from_chars(text.data(), text.data() + dot, version.first);
    std::from_chars(text.data() + dot + 1, text.data() + text.size(), version.second);
    return version;
}

/// Seconds since 1970 of an HTTP date ("Wed, 02 Dec 2026 09:51:36 GMT"); 0 if it is not that.
std::int64_t as_seconds(const std::string& date) {
    constexpr std::string_view kMonths = "JanFebMarAprMayJunJulAugSepOctNovDec";
    if (date.size() != 29) return 0;
    const auto month = kMonths.find(date.substr(8, 3));
    if (month == std::string_view::npos || month % 3 != 0) return 0;
    const std::string number = std::to_string(month / 3 + 1);
    const std::string iso = date.substr(12, 4) + "-" + (number.size() == 1 ? "0" : "") + number + "-" +
                            date.substr(5, 2) + "T" + date.substr(17, 8) + "Z";
    const auto time = parse_rfc3339(iso);
    if (!time) return 0;
    return std::chrono::duration_cast<std::chrono::seconds>(time->time_since_epoch()).count();
}

std::string message_of(const net::Response& response) {
    const Json body = Json::parse(response.body, nullptr, false);
    const std::string message = text_at(body, {"message"});
    return message.empty() ? response.body : message;
}

/// What an engine that has answered 200 tells of its work, line by line; what is no JSON is left out.
Result<Json> documents_of(const std::string& body) {
    Json documents = Json::array();
    for (std::size_t at = 0; at < body.size();) {
        const std::size_t end = std::min(body.find('\n', at), body.size());
        Json document = Json::parse(body.begin() + static_cast<std::ptrdiff_t>(at),
                                    body.begin() + static_cast<std::ptrdiff_t>(end), nullptr, false);
        at = end + 1;
        if (document.is_discarded()) continue;
        if (auto failure = stream_error(document)) return std::move(*failure);
        documents.push_back(std::move(document));
    }
    return documents;
}

Error unreachable(const Error& error, const net::Endpoint& endpoint) {
    if (error.reason() != "ConnectFailed") return error;
    return Error(ErrorClass::Transient, "EngineUnreachable",
                 "the engine at " + endpoint.to_string() + " does not answer: " + error.message());
}

}  // namespace

Client::Client(net::Transport& transport, net::Endpoint endpoint, std::shared_ptr<Versions> versions)
    : transport_(transport), endpoint_(std::move(endpoint)), versions_(std::move(versions)) {}

Task<Reply> Client::call(Call call, Instant deadline) {
    const std::vector<int> accept = call.accept;
    const bool streams = call.streams;
    const net::Response response = co_await send(std::move(call), deadline);
    const bool success = response.status >= 200 && response.status < 300;
    if (!success && std::ranges::find(accept, response.status) == accept.end()) {
        Error error = classify(response.status, message_of(response));
        if (error.reason() == "ApiVersion") versions_->by_endpoint.erase(endpoint_.to_string());
        co_return error;
    }
    Reply reply;
    reply.status = response.status;
    reply.engine_time = as_seconds(response.headers.find("Date").value_or(""));
    if (success && streams) {
        reply.body = co_await documents_of(response.body);
        co_return reply;
    }
    reply.body = Json::parse(response.body, nullptr, false);
    if (reply.body.is_discarded()) reply.body = Json();
    co_return reply;
}

Task<Reply> Client::get(std::string target, Instant deadline) {
    Call wanted("GET", std::move(target));
    wanted.accept = std::vector<int>(1, 404);
    Reply reply = co_await call(std::move(wanted), deadline);
    co_return reply;
}

Task<net::StreamResponse> Client::open(std::string target, net::Limits limits) {
    net::Request request;
    request.endpoint = endpoint_;
    request.target = co_await prefix(limits.deadline) + target;
    request.headers.set("Host", "docker");
    net::StreamResponse response = co_await transport_.open(std::move(request), limits);
    if (response.status != 200) co_return classify(response.status, "the stream was refused");
    co_return response;
}

Task<std::string> Client::prefix(Instant deadline) {
    std::string& known = versions_->by_endpoint[endpoint_.to_string()];
    if (!known.empty()) co_return known;
    const net::Response response = co_await send(Call("GET", "/version"), deadline);
    if (response.status != 200) co_return classify(response.status, message_of(response));
    const Json body = Json::parse(response.body, nullptr, false);
    std::string version = co_await choose_version(text_at(body, {"MinAPIVersion"}), text_at(body, {"ApiVersion"}));
    // Looked up again: the map may have changed while we waited.
    versions_->by_endpoint[endpoint_.to_string()] = "/v" + version;
    co_return "/v" + version;
}

Task<net::Response> Client::send(Call call, Instant deadline) {
    net::Request request;
    request.endpoint = endpoint_;
    request.method = call.method;
    request.target = call.target;
    if (call.target != "/version") request.target = co_await prefix(deadline) + call.target;
    request.headers.set("Host", "docker");
    if (!call.body.is_null()) {
        request.headers.set("Content-Type", "application/json");
        request.body = call.body.dump(-1, ' ', false, Json::error_handler_t::replace);
    } else if (!call.raw.empty()) {
        request.headers.set("Content-Type", "application/x-tar");
        request.body = std::move(call.raw);
    }
    net::Limits limits;
    limits.deadline = deadline;
    Result<net::Response> response = co_await transport_.send(std::move(request), limits).attempt();
    if (!response.ok()) co_return unreachable(response.error(), endpoint_);
    co_return std::move(*response);
}

std::string label_filter(const std::vector<std::pair<std::string, std::string>>& labels) {
    Json wanted = Json::array();
    for (const auto& [name, value] : labels) wanted.push_back(name + "=" + value);
    Json filters;
    filters["label"] = std::move(wanted);
    return "?filters=" + net::encode_component(filters.dump(-1, ' ', false, Json::error_handler_t::replace));
}

Result<std::string> choose_version(std::string_view oldest, std::string_view newest) {
    if (as_version(newest) == std::pair(0, 0)) {
        return transient("NotADockerEngine", "what answers is not a Docker engine: it names no API version");
    }
    const std::string_view chosen = std::min(
        newest, Client::kNewest, [](std::string_view a, std::string_view b) { return as_version(a) < as_version(b); });
    const bool too_old = as_version(chosen) < as_version(Client::kOldest);
    if (too_old || as_version(chosen) < as_version(oldest)) {
        return unsupported("ApiVersion", "the engine speaks API " + std::string(oldest) + " to " + std::string(newest) +
                                             ", atoll " + std::string(Client::kOldest) + " to " +
                                             std::string(Client::kNewest));
    }
    return std::string(chosen);
}

}  // namespace atl::cloud::docker
