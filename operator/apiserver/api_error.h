#pragma once

#include <string>

#include <nlohmann/json_fwd.hpp>

#include "operator/base/error.h"
#include "operator/schema/field_error.h"

namespace atl::apiserver {

/// Names what a request speaks of, as a Status does.
struct Subject {
    std::string group;
    std::string plural;
    std::string name;
};

/// An Error that is answered with a Status of this code, reason and message (all in Kubernetes' words). `details` may
/// be null.
Error api_error(int code, std::string reason, std::string message, const nlohmann::json& details);
Error api_error(int code, std::string reason, std::string message);
/// An Error that is answered with exactly this Status.
Error with_status(const nlohmann::json& status);

/// 404 `widgets.example.com "w" not found`.
Error not_found(const Subject& subject);
/// 404 for a path that nothing serves.
Error unknown_path();
/// 409 `widgets.example.com "w" already exists`.
Error already_exists(const Subject& subject);
/// 409 `Operation cannot be fulfilled on …: why`.
Error update_conflict(const Subject& subject, const std::string& why);
/// 409: somebody else was faster.
Error modified(const Subject& subject);
/// 400.
Error bad_request(std::string message);
/// 422 for an object: `Widget.example.com "w" is invalid: …`.
Error invalid_object(const schema::StatusSubject& subject, const schema::FieldErrors& errors);
/// 422 for query parameters of a kind of options ("ListOptions", "PatchOptions").
Error invalid_options(const std::string& kind, const schema::FieldErrors& errors);
/// 403 `kind "name" is forbidden: why`.
Error forbidden(const Subject& subject, const std::string& why);
/// 413.
Error too_large_body();
/// 405.
Error method_not_allowed();
/// 410 for a resourceVersion or continue token that is too old.
Error expired(std::string message);

/// The Status that an error is answered with. An error that does not come from here (the disk, a bug) is a 500 with its
/// message.
nlohmann::json status_of(const Error& error);

}  // namespace atl::apiserver
