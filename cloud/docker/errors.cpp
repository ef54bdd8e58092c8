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

/// One line, no stop at the end, without the transport's own prefix.
std::string tidy(std::string_view message) {
    constexpr std::string_view kPrefix = "rpc error: code = ";
    constexpr std::string_view kDescription = " desc = ";
    if (message.starts_with(kPrefix)) {
        const auto description = message.find(kDescription);
        if (description != std::string_view::npos) message.remove_prefix(description + kDescription.size());
    }
    std::string text;
    for (const char c : message) text += c == '\n' || c == '\r' ? ' ' : c;
    while (!text.empty() && (text.back() == ' ' || text.back() == '.')) text.pop_back();
    constexpr std::size_t kLongest = 1000;
    if (text.size() > kLongest) text.resize(kLongest);
    return text.empty() ? "no reason given" : text;
}

}  // namespace

Error classify(int status, std::string_view message) {
    const std::string text = "the engine says " + std::to_string(status) + ": " + tidy(message);
    for (const ErrorRow& row : kRows) {
        if (row.status != 0 && row.status != status) continue;
        if (message.find(row.text) == std::string_view::npos) continue;
        return Error(row.error_class, std::string(row.reason), text).with_status(status);
    }
    return Error(ErrorClass::Transient, "EngineError", text).with_status(status);
}

}  // namespace atl::cloud::docker
