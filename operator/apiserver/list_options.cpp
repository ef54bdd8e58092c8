#include "operator/apiserver/list_options.h"

#include <charconv>

#include <nlohmann/json.hpp>

#include "operator/apiserver/json_access.h"
#include "operator/base/base64.h"
#include "operator/schema/go_text.h"

namespace atl::apiserver {

using nlohmann::json;

namespace {

std::optional<std::int64_t> number_of(const std::string& text) {
    std::int64_t number = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
    if (error != std::errc() || end != text.data() + text.size() || number < 0) return std::nullopt;
    return number;
}

Error not_a_count(const std::string& name, const std::string& value) {
    return bad_request(name + ": Invalid value: " + schema::go_quote(value.substr(0, 64)) +
                       ": must be a number that is not negative");
}

Result<Unit> check_match(const ApiRequest& request) {
    const std::string match = request.parameter("resourceVersionMatch");
    if (match.empty()) return ok();
    schema::FieldErrors errors;
    const std::string version = request.parameter("resourceVersion");
    if (version.empty()) {
        errors.push_back(schema::forbidden("resourceVersionMatch",
                                           "resourceVersionMatch is forbidden unless resourceVersion is provided"));
    } else if (!request.parameter("continue").empty()) {
        errors.push_back(
            schema::forbidden("resourceVersionMatch", "resourceVersionMatch is forbidden when continue is provided"));
    } else if (match != "Exact" && match != "NotOlderThan") {
        errors.push_back(schema::not_supported("resourceVersionMatch", match, {"Exact", "NotOlderThan", ""}));
    } else if (match == "Exact" && version == "0") {
        errors.push_back(schema::forbidden("resourceVersionMatch",
                                           "resourceVersionMatch \"exact\" is forbidden for resourceVersion \"0\""));
    }
    if (!errors.empty()) return invalid_options("ListOptions", errors);
    return ok();
}

Result<Unit> read_token(const ApiRequest& request, ListOptions& options) {
    const std::string token = request.parameter("continue");
    if (token.empty()) return ok();
    const Error malformed = bad_request("continue key is not valid: the token cannot be read");
    const std::string version = request.parameter("resourceVersion");
    if (!version.empty() && version != "0") {
        return bad_request("specifying resource version is not allowed when using continue");
    }
    const auto decoded = decode_base64(token);
    if (!decoded) return malformed;
    const json value = json::parse(*decoded, nullptr, false);
    const json& revision = child(value, "rv");
    if (!revision.is_number_integer() || text_of(value, "name").empty()) return malformed;
    options.range.at = revision.get<Revision>();
    options.range.after = Key{options.range.resource, text_of(value, "ns"), text_of(value, "name")};
    options.is_continued = true;
    return ok();
}

}  // namespace

Result<Revision> read_revision(const ApiRequest& request) {
    const std::string text = request.parameter("resourceVersion");
    if (text.empty()) return Revision{0};
    const auto number = number_of(text);
    if (!number) return bad_request("invalid resource version " + schema::go_quote(text) + ": it must be a number");
    return *number;
}

std::string continue_token(Revision revision, const Key& last) {
    const json token = {{"v", "meta.k8s.io/v1"}, {"rv", revision}, {"ns", last.ns}, {"name", last.name}};
    return encode_base64(token.dump());
}

Error too_large_version(Revision wanted, Revision now) {
    return api_error(
        504, "Timeout", "Too large resource version: " + std::to_string(wanted) + ", current: " + std::to_string(now),
        {{"causes", json::array({{{"reason", "ResourceVersionTooLarge"}, {"message", "Too large resource version"}}})},
         {"retryAfterSeconds", 1}});
}

Result<ListOptions> read_list_options(const ApiRequest& request, const ResourceType& type, Revision now) {
    ListOptions options;
    options.range.resource = type.storage;
    if (!request.ns.empty() && type.namespaced) options.range.ns = request.ns;
    auto selection = Selection::of(request, type);
    if (!selection.ok()) return std::move(selection).error();
    options.selection = std::move(*selection);
    options.range.name = options.selection.exact_name();
    if (const std::string limit = request.parameter("limit"); !limit.empty()) {
        const auto number = number_of(limit);
        if (!number) return not_a_count("limit", limit);
        if (*number > 0) options.range.limit = static_cast<std::size_t>(*number);
    }
    const std::string timeout = request.parameter("timeoutSeconds");
    if (!timeout.empty() && !number_of(timeout)) return not_a_count("timeoutSeconds", timeout);
    auto match = check_match(request);
    if (!match.ok()) return std::move(match).error();
    auto revision = read_revision(request);
    if (!revision.ok()) return std::move(revision).error();
    auto token = read_token(request, options);
    if (!token.ok()) return std::move(token).error();
    if (options.is_continued || *revision == 0) return options;
    if (*revision > now) return too_large_version(*revision, now);
    const std::string how = request.parameter("resourceVersionMatch");
    // With a limit and no word about it, the version is meant exactly.
    if (how == "Exact" || (how.empty() && options.range.limit != SIZE_MAX)) options.range.at = *revision;
    return options;
}

}  // namespace atl::apiserver
