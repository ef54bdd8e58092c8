#pragma once

#include <string_view>

#include "operator/base/error.h"
#include "operator/net/http.h"

namespace atl::kube {

/// The error that an answer with a status above 299 means; see Client for the classes. The whole Status is in
/// Error::details().
Error error_of_answer(const net::Response& response);

/// The same for a Status object alone, as in a watch. `status` is the HTTP status where the object has no code.
Error error_of_status(int status, std::string_view body);

/// Whether the error says that one object, not its whole type, is not there.
bool is_not_found(const Error& error);

}  // namespace atl::kube
