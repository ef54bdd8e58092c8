#include "operator/kube/status_error.h"

#include <algorithm>
#include <charconv>
#include <chrono>
#include <optional>
#include <string>

#include <nlohmann/json.hpp>

namespace atl::kube {

namespace {

using nlohmann::json;
using std::chrono::seconds;

/// The members of a Status that we use; all may be missing.
struct Status {
    int code = 0;
    std::string reason;
    std::string message;
    std::string field;
    bool namespace_terminating = false;
    bool names_object = false;
    std::optional<seconds> retry_after;
};

std::string text(const json& object, const char* member) {
    const auto found = object.find(member);
    return found != object.end() && found->is_string() ? found->get<std::string>() : std::string();
}

void read_causes(const json& details, Status& status) {
    const auto causes = details.find("causes");
    if (causes == details.end() || !causes->is_array()) return;
    for (const json& cause : *causes) {
        if (!cause.is_object()) continue;
        if (status.field.empty()) status.field = text(cause, "field");
        if (text(cause, "reason") == "NamespaceTerminating") status.namespace_terminating = true;
    }
}

/// A wish of the server as far as it makes sense: none for zero, which would be a loop without a pause; not for ever.
std::optional<seconds> sensible(std::int64_t retry_after) {
    constexpr std::int64_t kLongest = 600;
    if (retry_after <= 0) return std::nullopt;
    return seconds(std::min(retry_after, kLongest));
}

void read_details(const json& details, Status& status) {
    status.names_object = !text(details, "name").empty();
    const auto retry = details.find("retryAfterSeconds");
    if (retry != details.end() && retry->is_number_integer()) {
        status.retry_after = sensible(retry->get<std::int64_t>());
    }
    read_causes(details, status);
}

Status read_status(std::string_view body) {
    Status status;
    const json tree = json::parse(body, nullptr, false);
    if (!tree.is_object()) {
        status.message = std::string(body.substr(0, 200));
        return status;
    }
    const auto code = tree.find("code");
    if (code != tree.end() && code->is_number_integer()) status.code = code->get<int>();
    status.reason = text(tree, "reason");
    status.message = text(tree, "message");
    const auto details = tree.find("details");
    if (details != tree.end() && details->is_object()) read_details(*details, status);
    return status;
}

ErrorClass class_of(int code, const Status& status) {
    if (status.namespace_terminating) return ErrorClass::Conflict;
    switch (code) {
        case 401:
        case 403:
            return ErrorClass::Credentials;
        case 404:
            return status.names_object ? ErrorClass::Conflict : ErrorClass::Unsupported;
        case 405:
        case 406:
        case 415:
            return ErrorClass::Unsupported;
        case 409:
            return ErrorClass::Conflict;
        case 408:
        case 410:
            return ErrorClass::Transient;
        case 429:
            return ErrorClass::Throttled;
        default:
            return code >= 400 && code < 500 ? ErrorClass::Invalid : ErrorClass::Transient;
    }
}

std::string reason_of(int code, const Status& status) {
    if (status.namespace_terminating) return "NamespaceTerminating";
    if (code == 404) return status.names_object ? "NotFound" : "NoSuchType";
    if (code == 410) return "Expired";
    return status.reason.empty() ? "Http" + std::to_string(code) : status.reason;
}

/// One line, without control characters.
std::string one_line(std::string message) {
    std::replace_if(message.begin(), message.end(), [](unsigned char c) { return c < 0x20; }, ' ');
    return message;
}

std::optional<seconds> retry_after_of(const net::Headers& headers) {
    const std::optional<std::string> value = headers.find("Retry-After");
    if (!value) return std::nullopt;
    std::int64_t number = 0;
    const char* end = value->data() + value->size();
    const auto [stop, failure] = std::from_chars(value->data(), end, number);
    if (failure != std::errc() || stop != end) return std::nullopt;
    return sensible(number);
}

Error error_from(int http_status, const Status& status, std::string_view body) {
    const int code = http_status != 0 ? http_status : (status.code != 0 ? status.code : 500);
    std::string message = status.message.empty() ? "the API server answered " + std::to_string(code) : status.message;
    Error error(class_of(code, status), reason_of(code, status), one_line(std::move(message)));
    error = std::move(error).with_status(code).with_details(std::string(body)).at_field(status.field);
    if (status.retry_after) error = std::move(error).with_retry_after(*status.retry_after);
    return error;
}

}  // namespace

Error error_of_answer(const net::Response& response) {
    Status status = read_status(response.body);
    if (!status.retry_after) status.retry_after = retry_after_of(response.headers);
    return error_from(response.status, status, response.body);
}

Error error_of_status(int status, std::string_view body) {
    return error_from(status, read_status(body), body);
}

bool is_not_found(const Error& error) {
    return error.status() == 404 && error.reason() == "NotFound";
}

}  // namespace atl::kube
