#include "cloud/docker/errors.h"

#include <array>
#include <string>

namespace atl::cloud::docker {

namespace {

struct ErrorRow {
    int status;             ///< 0: any
    std::string_view text;  ///< part of the message; empty: any
    ErrorClass error_class;
    std::string_view reason;
};

/// The first row that fits holds. Texts are those of engines 20.10 to 29; see test/data/docker.
// clang-format off
constexpr std::array kRows = {
    ErrorRow{0,   "update out of sequence",           ErrorClass::Conflict,    "OutOfSequence"},
    ErrorRow{0,   "client version",                   ErrorClass::Transient,   "ApiVersion"},
    ErrorRow{0,   "is in use",                        ErrorClass::Conflict,    "InUse"},
    ErrorRow{0,   "in use by",                        ErrorClass::Conflict,    "InUse"},
    ErrorRow{0,   "has active endpoints",             ErrorClass::Conflict,    "InUse"},
    ErrorRow{0,   "port is already allocated",        ErrorClass::Conflict,    "PortTaken"},
    ErrorRow{0,   "address already in use",           ErrorClass::Conflict,    "PortTaken"},
    ErrorRow{0,   "not a swarm manager",              ErrorClass::Conflict,    "NotASwarmManager"},
    ErrorRow{0,   "already part of a swarm",          ErrorClass::Conflict,    "EngineInUse"},
    ErrorRow{0,   "is encrypted and needs to be unlocked", ErrorClass::Credentials, "SwarmLocked"},
    ErrorRow{0,   "certificates have expired",        ErrorClass::Credentials, "SwarmCertificatesExpired"},
    ErrorRow{0,   "No such image",                    ErrorClass::Transient,   "ImageMissing"},
    ErrorRow{0,   "pull access denied",               ErrorClass::Credentials, "ImagePullDenied"},
    ErrorRow{0,   "unauthorized",                     ErrorClass::Credentials, "ImagePullDenied"},
    ErrorRow{0,   "manifest unknown",                 ErrorClass::Transient,   "ImageMissing"},
    ErrorRow{400, "",                                 ErrorClass::Invalid,     "Refused"},
    ErrorRow{401, "",                                 ErrorClass::Credentials, "Unauthorized"},
    ErrorRow{403, "",                                 ErrorClass::Credentials, "Forbidden"},
    ErrorRow{404, "",                                 ErrorClass::Transient,   "NotFound"},
    ErrorRow{409, "",                                 ErrorClass::Conflict,    "Conflict"},
    ErrorRow{429, "",                                 ErrorClass::Throttled,   "Throttled"},
    ErrorRow{500, "constraint",                       ErrorClass::Invalid,     "BadConstraint"},
    ErrorRow{500, "expected",                         ErrorClass::Invalid,     "Refused"},
    ErrorRow{501, "",                                 ErrorClass::Unsupported, "NotImplemented"},
};
// clang-format on

constexpr std::size_t kIdLength = 64;

bool is_id(std::string_view text) {
    return text.size() == kIdLength && text.find_first_not_of("0123456789abcdef") == std::string_view::npos;
}

/// "endpoint web (613254…)" becomes "endpoint web".
std::string without_ids(std::string text) {
    constexpr std::string_view kOpen = " (";
    for (std::size_t at = text.find(kOpen); at != std::string::npos; at = text.find(kOpen, at)) {
        const std::size_t id = at + kOpen.size();
        const bool closed = id + kIdLength < text.size() && text[id + kIdLength] == ')';
        if (closed && is_id(std::string_view(text).substr(id, kIdLength))) {
            text.erase(at, kOpen.size() + kIdLength + 1);
        } else {
            at = id;
        }
    }
    return text;
}

}  // namespace

std::string steady_text(std::string_view message) {
    constexpr std::string_view kPrefix = "rpc error: code = ";
    constexpr std::string_view kDescription = " desc = ";
    if (message.starts_with(kPrefix)) {
        const auto description = message.find(kDescription);
        if (description != std::string_view::npos) message.remove_prefix(description + kDescription.size());
    }
    std::string text;
    for (const char c : message) text += c == '\n' || c == '\r' ? ' ' : c;
    text = without_ids(std::move(text));
    while (!text.empty() && (text.back() == ' ' || text.back() == '.')) text.pop_back();
    constexpr std::size_t kLongest = 1000;
    if (text.size() > kLongest) text.resize(kLongest);
    return text;
}

std::optional<Error> stream_error(const Json& document) {
    const bool failed = document.is_object() && (document.contains("error") || document.contains("errorDetail"));
    if (!failed) return std::nullopt;
    std::string message = text_at(document, {"errorDetail", "message"});
    if (message.empty()) message = text_at(document, {"error"});
    return classify(200, message);
}

Error classify(int status, std::string_view message) {
    const std::string said = steady_text(message);
    // A stream that tells of a failure has begun with 200, which says nothing.
    const std::string code = status == 200 ? "" : " " + std::to_string(status);
    const std::string text = "the engine says" + code + ": " + (said.empty() ? "no reason given" : said);
    for (const ErrorRow& row : kRows) {
        if (row.status != 0 && row.status != status) continue;
        if (message.find(row.text) == std::string_view::npos) continue;
        return Error(row.error_class, std::string(row.reason), text).with_status(status);
    }
    return Error(ErrorClass::Transient, "EngineError", text).with_status(status);
}

}  // namespace atl::cloud::docker
