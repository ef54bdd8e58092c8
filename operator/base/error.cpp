#include "operator/base/error.h"

#include <utility>

namespace atl {

std::string_view to_string(ErrorClass error_class) {
    switch (error_class) {
        case ErrorClass::Throttled:
            return "Throttled";
        case ErrorClass::Capacity:
            return "Capacity";
        case ErrorClass::Quota:
            return "Quota";
        case ErrorClass::NotYetVisible:
            return "NotYetVisible";
        case ErrorClass::Credentials:
            return "Credentials";
        case ErrorClass::Invalid:
            return "Invalid";
        case ErrorClass::Unsupported:
            return "Unsupported";
        case ErrorClass::Conflict:
            return "Conflict";
        case ErrorClass::Transient:
            return "Transient";
        case ErrorClass::Waiting:
            return "Waiting";
    }
    return "Transient";
}

Reaction reaction(ErrorClass error_class) {
    switch (error_class) {
        case ErrorClass::Throttled:
        case ErrorClass::Transient:
        case ErrorClass::Conflict:
        case ErrorClass::NotYetVisible:
            return Reaction::Retry;
        case ErrorClass::Capacity:
        case ErrorClass::Quota:
        case ErrorClass::Credentials:
        case ErrorClass::Waiting:
            return Reaction::Wait;
        case ErrorClass::Invalid:
        case ErrorClass::Unsupported:
            return Reaction::Stop;
    }
    return Reaction::Retry;
}

Error::Error(ErrorClass error_class, std::string reason, std::string message)
    : class_(error_class), reason_(std::move(reason)), message_(std::move(message)) {}

Error Error::waiting(std::string reason, std::string what, std::chrono::milliseconds hint) {
    Error error(ErrorClass::Waiting, std::move(reason), std::move(what));
    error.retry_after_ = hint;
    return error;
}

Error Error::during(std::string_view what) && {
    message_ = std::string(what) + ": " + message_;
    return std::move(*this);
}

Error Error::at_field(std::string field) && {
    field_ = std::move(field);
    return std::move(*this);
}

Error Error::with_retry_after(std::chrono::milliseconds delay) && {
    retry_after_ = delay;
    return std::move(*this);
}

Error Error::with_details(std::string details) && {
    details_ = std::move(details);
    return std::move(*this);
}

Error Error::with_status(int status) && {
    status_ = status;
    return std::move(*this);
}

Error invalid(std::string reason, std::string message) {
    return Error(ErrorClass::Invalid, std::move(reason), std::move(message));
}

Error unsupported(std::string reason, std::string message) {
    return Error(ErrorClass::Unsupported, std::move(reason), std::move(message));
}

Error transient(std::string reason, std::string message) {
    return Error(ErrorClass::Transient, std::move(reason), std::move(message));
}

Error conflict(std::string reason, std::string message) {
    return Error(ErrorClass::Conflict, std::move(reason), std::move(message));
}

}  // namespace atl
