#pragma once

#include <chrono>
#include <optional>
#include <string>
#include <string_view>

namespace atl {

/// What kind of failure this is, the same for every back end. The class alone decides what happens next; see
/// reaction(). Drivers translate the codes of their vendor into a class; nobody else reads vendor codes.
enum class ErrorClass {
    Throttled,      ///< the other side asks us to slow down; slows the account's limiter too
    Capacity,       ///< this offering cannot be had right now; another one might
    Quota,          ///< a limit of the account is reached; a person must raise it or free something
    NotYetVisible,  ///< we made it, the other side does not show it yet
    Credentials,    ///< missing, wrong or expired
    Invalid,        ///< the request can never work as it is written
    Unsupported,    ///< this back end cannot do it
    Conflict,       ///< somebody else changed it, or something still needs it
    Transient,      ///< time-outs, resets, 5xx: the same again may work
    Waiting,        ///< not an error: a condition is not met yet; ends the pass, is neither counted nor logged
};

/// The word for the class, as it stands in conditions, logs and metrics: "Throttled".
std::string_view to_string(ErrorClass error_class);

/// What the loop does with an error of a class.
enum class Reaction {
    Retry,  ///< again with back-off
    Wait,   ///< again on an event, or after a fixed time
    Stop,   ///< not before the object's spec changes, or after a delay that the error names
};

/// The one table of reactions.
Reaction reaction(ErrorClass error_class);

/// A failure, or a reason to wait, as a value. It is passed on by Task and Result until someone looks at it.
///
/// The message is one line, starts in lower case, has no stop at the end, quotes values and never holds a secret.
class Error {
public:
    /// reason: CamelCase word for conditions and events ("NameTaken"); message: for people.
    Error(ErrorClass error_class, std::string reason, std::string message);

    /// A condition that is not met yet: what is awaited, and when to look again if no event comes.
    static Error waiting(std::string reason, std::string what, std::chrono::milliseconds hint);

    ErrorClass error_class() const { return class_; }
    const std::string& reason() const { return reason_; }
    const std::string& message() const { return message_; }
    /// The field of the spec at fault ("spec.services[0].ports[1].name"), empty if none.
    const std::string& field() const { return field_; }
    /// When the other side, or the waiting code, wants to be asked again.
    std::optional<std::chrono::milliseconds> retry_after() const { return retry_after_; }
    /// HTTP status that this stems from, 0 if none. For kube/client and apiserver only; controllers look at the class.
    int status() const { return status_; }
    /// What a program may want to know besides, as text: for an answer of a Kubernetes API server its whole Status
    /// (JSON). Empty if there is nothing; never shown to people.
    const std::string& details() const { return details_; }
    bool is_waiting() const { return class_ == ErrorClass::Waiting; }

    /// Puts context before the message: during("creating network \"a\"") gives `creating network "a": <message>`.
    Error during(std::string_view what) &&;
    Error at_field(std::string field) &&;
    Error with_retry_after(std::chrono::milliseconds delay) &&;
    Error with_status(int status) &&;
    Error with_details(std::string details) &&;

private:
    ErrorClass class_;
    std::string reason_;
    std::string message_;
    std::string field_;
    std::string details_;
    std::optional<std::chrono::milliseconds> retry_after_;
    int status_ = 0;
};

/// Shorthands for the commonest classes.
Error invalid(std::string reason, std::string message);
Error unsupported(std::string reason, std::string message);
Error transient(std::string reason, std::string message);
Error conflict(std::string reason, std::string message);

}  // namespace atl
