#include "operator/apiserver/api_error.h"

#include <nlohmann/json.hpp>

#include "operator/apiserver/json_access.h"
#include "operator/schema/go_text.h"

namespace atl::apiserver {

using nlohmann::json;

namespace {

std::string qualified(const Subject& subject) {
    return subject.group.empty() ? subject.plural : subject.plural + "." + subject.group;
}

json details_of(const Subject& subject) {
    json details = {{"name", subject.name}, {"kind", subject.plural}};
    if (!subject.group.empty()) details["group"] = subject.group;
    return details;
}

json failure(int code, const std::string& reason, const std::string& message) {
    return {{"kind", "Status"},    {"apiVersion", "v1"}, {"metadata", json::object()},
            {"status", "Failure"}, {"message", message}, {"reason", reason},
            {"code", code}};
}

ErrorClass class_of(int code) {
    if (code == 429) return ErrorClass::Throttled;
    if (code == 409) return ErrorClass::Conflict;
    if (code == 401 || code == 403) return ErrorClass::Credentials;
    return code >= 500 ? ErrorClass::Transient : ErrorClass::Invalid;
}

}  // namespace

Error api_error(int code, std::string reason, std::string message, const json& details) {
    json status = failure(code, reason, message);
    if (!details.is_null()) status["details"] = details;
    return with_status(status);
}

Error api_error(int code, std::string reason, std::string message) {
    return api_error(code, std::move(reason), std::move(message), nullptr);
}

Error with_status(const json& status) {
    const int code = child(status, "code").is_number_integer() ? status["code"].get<int>() : 500;
    return Error(class_of(code), text_of(status, "reason"), text_of(status, "message"))
        .with_status(code)
        .with_details(status.dump(-1, ' ', false, json::error_handler_t::replace));
}

Error not_found(const Subject& subject) {
    return api_error(404, "NotFound", qualified(subject) + " " + schema::go_quote(subject.name) + " not found",
                     details_of(subject));
}

Error unknown_path() {
    return api_error(404, "NotFound", "the server could not find the requested resource", json::object());
}

Error already_exists(const Subject& subject) {
    return api_error(409, "AlreadyExists",
                     qualified(subject) + " " + schema::go_quote(subject.name) + " already exists",
                     details_of(subject));
}

Error update_conflict(const Subject& subject, const std::string& why) {
    const std::string message =
        "Operation cannot be fulfilled on " + qualified(subject) + " " + schema::go_quote(subject.name) + ": " + why;
    return api_error(409, "Conflict", message, details_of(subject));
}

Error modified(const Subject& subject) {
    return update_conflict(subject,
                           "the object has been modified; please apply your changes to the latest version and try "
                           "again");
}

Error bad_request(std::string message) {
    return api_error(400, "BadRequest", std::move(message));
}

Error invalid_object(const schema::StatusSubject& subject, const schema::FieldErrors& errors) {
    return with_status(schema::invalid_status(subject, errors));
}

Error invalid_options(const std::string& kind, const schema::FieldErrors& errors) {
    return with_status(schema::invalid_status({"meta.k8s.io", kind, ""}, errors));
}

Error forbidden(const Subject& subject, const std::string& why) {
    std::string message = qualified(subject);
    if (!subject.name.empty()) message += " " + schema::go_quote(subject.name);
    return api_error(403, "Forbidden", message + " is forbidden: " + why, details_of(subject));
}

Error too_large_body() {
    return api_error(413, "RequestEntityTooLarge", "Request entity too large: limit is 3145728");
}

Error method_not_allowed() {
    return api_error(405, "MethodNotAllowed", "the server does not allow this method on the requested resource",
                     json::object());
}

Error expired(std::string message) {
    return api_error(410, "Expired", std::move(message));
}

json status_of(const Error& error) {
    if (!error.details().empty()) {
        json status = json::parse(error.details(), nullptr, false);
        if (!status.is_discarded()) return status;
    }
    if (error.status() != 0) return failure(error.status(), error.reason(), error.message());
    json status = failure(500, "InternalError", "Internal error occurred: " + error.message());
    status["details"] = {{"causes", json::array({{{"message", error.message()}}})}};
    return status;
}

}  // namespace atl::apiserver
