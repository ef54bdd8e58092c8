#include "operator/kube/admission_review.h"

#include <nlohmann/json.hpp>

namespace atl::kube {

namespace {

using nlohmann::json;

Error bad(const std::string& field, const std::string& what) {
    return invalid("BadReview", "AdmissionReview: " + field + " " + what).at_field(field);
}

Result<std::string> text_of(const json& request, const char* field) {
    const auto found = request.find(field);
    if (found == request.end() || !found->is_string()) return bad("request." + std::string(field), "must be a text");
    return found->get<std::string>();
}

std::string text_or_nothing(const json& object, const char* field) {
    const auto found = object.find(field);
    return found == object.end() || !found->is_string() ? std::string() : found->get<std::string>();
}

std::shared_ptr<const json> object_of(const json& request, const char* field) {
    const auto found = request.find(field);
    if (found == request.end() || !found->is_object()) return nullptr;
    return std::make_shared<const json>(*found);
}

/// Names are made by the server after admission where only metadata.generateName is given.
ObjectKey key_of(const json& request, const std::shared_ptr<const json>& object) {
    std::string name = text_or_nothing(request, "name");
    if (name.empty() && object) {
        const json meta = object->value("metadata", json::object());
        if (meta.is_object()) name = text_or_nothing(meta, "name");
    }
    return {text_or_nothing(request, "namespace"), name};
}

}  // namespace

Result<AdmissionCall> parse_admission_review(const std::string& body) {
    const json review = json::parse(body, nullptr, false);
    if (!review.is_object()) return bad("body", "is not a JSON object");
    if (text_or_nothing(review, "apiVersion") != "admission.k8s.io/v1" ||
        text_or_nothing(review, "kind") != "AdmissionReview") {
        return bad("apiVersion, kind", "must be admission.k8s.io/v1, AdmissionReview");
    }
    const std::shared_ptr<const json> request = object_of(review, "request");
    if (!request) return bad("request", "is missing");
    AdmissionCall call;
    auto uid = text_of(*request, "uid");
    if (!uid.ok()) return uid.error();
    auto operation = text_of(*request, "operation");
    if (!operation.ok()) return operation.error();
    call.uid = std::move(*uid);
    call.operation = std::move(*operation);
    call.kind = text_or_nothing(request->value("kind", json::object()), "kind");
    if (call.kind.empty()) return bad("request.kind.kind", "must be a text");
    call.user = text_or_nothing(request->value("userInfo", json::object()), "username");
    const auto dry_run = request->find("dryRun");
    call.dry_run = dry_run != request->end() && dry_run->is_boolean() && dry_run->get<bool>();
    call.object = object_of(*request, "object");
    call.old_object = object_of(*request, "oldObject");
    call.key = key_of(*request, call.object);
    return call;
}

json admission_response(const AdmissionCall& call, const AdmissionAnswer& answer) {
    constexpr std::size_t kMostWarnings = 16;
    constexpr std::size_t kLongestWarning = 240;
    json response{{"uid", call.uid}, {"allowed", answer.errors.empty()}};
    if (!answer.errors.empty()) {
        std::string message = call.kind + " \"" + call.key.name + "\" is invalid: ";
        json causes = json::array();
        for (const auto& error : answer.errors) {
            if (!causes.empty()) message += "; ";
            message += error.field + ": " + error.message;
            causes.push_back({{"reason", "FieldValueInvalid"}, {"field", error.field}, {"message", error.message}});
        }
        response["status"] = {{"code", 422},
                              {"reason", "Invalid"},
                              {"message", message},
                              {"details", {{"kind", call.kind}, {"name", call.key.name}, {"causes", causes}}}};
    }
    for (const std::string& warning : answer.warnings) {
        if (response["warnings"].size() == kMostWarnings) break;
        response["warnings"].push_back(warning.substr(0, kLongestWarning));
    }
    return {{"apiVersion", "admission.k8s.io/v1"}, {"kind", "AdmissionReview"}, {"response", std::move(response)}};
}

}  // namespace atl::kube
