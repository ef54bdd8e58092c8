#include "operator/apiserver/service_account_tokens.h"

#include <algorithm>

#include <nlohmann/json.hpp>
#include <openssl/crypto.h>

#include "operator/apiserver/json_access.h"
#include "operator/apiserver/media.h"
#include "operator/apiserver/object_text.h"
#include "operator/apiserver/output.h"
#include "operator/base/base64.h"
#include "operator/base/digest.h"
#include "operator/base/time.h"

namespace atl::apiserver {

using nlohmann::json;

namespace {

constexpr std::int64_t kShortest = 600;
constexpr std::int64_t kUsual = 3600;
constexpr std::int64_t kLongest = std::int64_t{365} * 24 * 3600;

/// base64url without padding (RFC 7515).
std::string to_url(std::string text) {
    text = encode_base64(text);
    text.resize(text.find_last_not_of('=') + 1);
    std::replace(text.begin(), text.end(), '+', '-');
    std::replace(text.begin(), text.end(), '/', '_');
    return text;
}

std::optional<std::string> from_url(std::string text) {
    std::replace(text.begin(), text.end(), '-', '+');
    std::replace(text.begin(), text.end(), '_', '/');
    text.append((4 - text.size() % 4) % 4, '=');
    return decode_base64(text);
}

std::int64_t seconds_of(WallTime time) {
    return std::chrono::duration_cast<std::chrono::seconds>(time.time_since_epoch()).count();
}

/// The JSON in the middle part of a token.
json claims_of(const std::string& body) {
    const auto decoded = from_url(body);
    return decoded ? json::parse(*decoded, nullptr, false) : json();
}

}  // namespace

std::string ServiceAccountTokens::sign(const std::string& text) const {
    return to_url(hmac_sha256_hex(key_, text));
}

std::string ServiceAccountTokens::issue(const Key& account, const std::string& uid, WallTime until) const {
    const json head = {{"alg", "HS256"}, {"typ", "JWT"}};
    const json claims = {
        {"iss", "atoll"},           {"sub", "system:serviceaccount:" + account.ns + ":" + account.name},
        {"exp", seconds_of(until)}, {"ns", account.ns},
        {"name", account.name},     {"uid", uid}};
    const std::string text = to_url(head.dump()) + "." + to_url(claims.dump());
    return text + "." + sign(text);
}

std::optional<User> ServiceAccountTokens::verify(const std::string& token) const {
    const std::size_t last = token.rfind('.');
    const std::size_t first = token.find('.');
    if (first == std::string::npos || first == last) return std::nullopt;
    const std::string text = token.substr(0, last);
    const std::string signature = token.substr(last + 1);
    const std::string expected = sign(text);
    if (signature.size() != expected.size()) return std::nullopt;
    if (CRYPTO_memcmp(signature.data(), expected.data(), expected.size()) != 0) return std::nullopt;
    const json claims = claims_of(text.substr(first + 1));
    const json& until = child(claims, "exp");
    if (!until.is_number_integer() || until.get<std::int64_t>() <= seconds_of(clock_.wall_now())) return std::nullopt;
    const std::string ns = text_of(claims, "ns");
    const auto found = store_.find({kServiceAccounts, ns, text_of(claims, "name")});
    if (!found.ok() || !*found) return std::nullopt;
    const std::string uid = text_of(child(parse_stored((*found)->text), "metadata"), "uid");
    if (uid != text_of(claims, "uid")) return std::nullopt;
    return User{text_of(claims, "sub"), uid, {"system:serviceaccounts", "system:serviceaccounts:" + ns}};
}

Result<net::Response> answer_token_request(const ServiceAccountTokens& tokens, Store& store, const ApiRequest& request,
                                           WallTime now) {
    auto body = read_body(request);
    if (!body.ok()) return std::move(body).error();
    const Key account{kServiceAccounts, request.ns, request.name};
    auto found = store.find(account);
    if (!found.ok()) return std::move(found).error();
    if (!*found) return not_found(request.subject());
    json answer = std::move(body->value);
    if (!answer.is_object()) return bad_request("the body is no object");
    const json& wanted = child(child(answer, "spec"), "expirationSeconds");
    std::int64_t seconds = wanted.is_number_integer() ? wanted.get<std::int64_t>() : kUsual;
    if (seconds < kShortest) {
        return invalid_object(
            {"authentication.k8s.io", "TokenRequest", ""},
            {schema::invalid("spec.expirationSeconds", seconds, "may not specify a duration less than 10 minutes")});
    }
    seconds = std::min(seconds, kLongest);
    const WallTime until = now + std::chrono::seconds(seconds);
    const std::string uid = text_of(child(parse_stored((*found)->text), "metadata"), "uid");
    answer["apiVersion"] = "authentication.k8s.io/v1";
    answer["kind"] = "TokenRequest";
    answer["metadata"] = {
        {"name", request.name}, {"namespace", request.ns}, {"creationTimestamp", format_rfc3339(now)}};
    if (!answer.contains("spec") || !answer["spec"].is_object()) answer["spec"] = json::object();
    answer["spec"]["expirationSeconds"] = seconds;
    answer["status"] = {{"token", tokens.issue(account, uid, until)}, {"expirationTimestamp", format_rfc3339(until)}};
    return json_response(201, answer);
}

}  // namespace atl::apiserver
