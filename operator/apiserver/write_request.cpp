#include "operator/apiserver/write_request.h"

#include <algorithm>

#include "operator/apiserver/json_access.h"
#include "operator/base/time.h"
#include "operator/schema/go_text.h"

namespace atl::apiserver {

using nlohmann::json;

namespace {

constexpr std::size_t kMaxManager = 128;

/// The manager of a client that names none: the first word of its user agent.
std::string default_manager(const ApiRequest& request) {
    const std::string agent = request.http->headers.find("User-Agent").value_or("");
    const std::string word = agent.substr(0, agent.find('/')).substr(0, kMaxManager);
    return word.empty() ? "unknown" : word;
}

std::string quoted_warning(const std::string& text) {
    std::string quoted = "299 - \"";
    for (const char c : text) {
        if (c == '"' || c == '\\') quoted.push_back('\\');
        quoted.push_back(static_cast<unsigned char>(c) < 0x20 ? ' ' : c);
    }
    return quoted + '"';
}

}  // namespace

Result<WriteRequest> read_write_request(const ApiRequest& request, TypePtr type, const std::string& options,
                                        WallTime now) {
    WriteRequest write{request, std::move(type)};
    schema::FieldErrors errors;
    const std::string validation = request.parameter("fieldValidation");
    if (validation == "Strict") {
        write.validation = FieldValidation::Strict;
    } else if (validation == "Ignore") {
        write.validation = FieldValidation::Ignore;
    } else if (!validation.empty() && validation != "Warn") {
        errors.push_back(schema::not_supported("fieldValidation", validation, {"", "Ignore", "Strict", "Warn"}));
    }
    const std::string dry_run = request.parameter("dryRun");
    if (!dry_run.empty() && dry_run != "All") {
        errors.push_back(schema::not_supported("dryRun", json::array({dry_run}), {"All"}));
    }
    write.dry_run = dry_run == "All";
    write.manager.name = request.parameter("fieldManager");
    if (write.manager.name.size() > kMaxManager) errors.push_back(schema::too_long("fieldManager", kMaxManager));
    const bool printable = std::none_of(write.manager.name.begin(), write.manager.name.end(),
                                        [](unsigned char c) { return c < 0x20 || c == 0x7F; });
    if (!printable) {
        errors.push_back(
            schema::invalid("fieldManager", write.manager.name, "should only contain printable characters"));
    }
    if (!errors.empty()) return invalid_options(options, errors);
    if (write.manager.name.empty()) write.manager.name = default_manager(request);
    write.manager.api_version = write.type->api_version();
    write.manager.time = format_rfc3339(now);
    write.manager.status_is_apart = write.type->has_status;
    if (request.subresource == "status") write.part = Part::Status;
    if (request.subresource == "finalize") write.part = Part::Finalize;
    if (write.part == Part::Status) write.manager.subresource = "status";
    return write;
}

Result<Unit> complain(WriteRequest& write, const std::vector<std::string>& complaints) {
    if (complaints.empty() || write.validation == FieldValidation::Ignore) return ok();
    if (write.validation == FieldValidation::Warn) {
        write.warnings.insert(write.warnings.end(), complaints.begin(), complaints.end());
        return ok();
    }
    const std::string text = schema::strict_decoding_text(complaints);
    if (write.is_patch) {
        return invalid_object({"", "", ""}, {{schema::FieldErrorType::Invalid, "patch", std::nullopt, text}});
    }
    const std::string& kind = write.type->kind;
    return bad_request(kind + " in version " + schema::go_quote(write.type->version) + " cannot be handled as a " +
                       kind + ": " + text);
}

Result<Unit> prune(WriteRequest& write, json& object, std::vector<std::string> duplicates) {
    std::vector<std::string> complaints = std::move(duplicates);
    for (const std::string& path : write.type->schema.prune(object)) {
        complaints.push_back(schema::unknown_field_text(path));
    }
    return complain(write, complaints);
}

net::Response with_warnings(net::Response response, const WriteRequest& write) {
    for (const std::string& warning : write.warnings) response.headers.add("Warning", quoted_warning(warning));
    return response;
}

}  // namespace atl::apiserver
