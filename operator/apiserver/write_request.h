#pragma once

#include <string>
#include <vector>

#include <nlohmann/json.hpp>

#include "operator/apiserver/api_request.h"
#include "operator/apiserver/media.h"
#include "operator/apiserver/resource_type.h"
#include "operator/schema/managed_fields.h"

namespace atl::apiserver {

/// What becomes of unknown and duplicate fields.
enum class FieldValidation { Ignore, Warn, Strict };

/// Which part of an object a write changes.
enum class Part {
    Main,      ///< all but the status, if that is a subresource
    Status,    ///< the status only
    Finalize,  ///< a namespace's spec.finalizers only
};

/// What the steps of one write share.
struct WriteRequest {
    const ApiRequest& request;
    TypePtr type;
    Part part = Part::Main;
    FieldValidation validation = FieldValidation::Warn;
    bool dry_run = false;
    /// managedFields are already done (server-side apply).
    bool is_apply = false;
    bool is_patch = false;
    schema::FieldManager manager = {};
    std::vector<std::string> warnings = {};  ///< texts for Warning headers

    Subject subject(const std::string& name) const { return type->subject(name); }
};

/// Reads the query of a write. `options`: the word in messages (CreateOptions, UpdateOptions, PatchOptions). Errors:
/// 422 for unknown values.
Result<WriteRequest> read_write_request(const ApiRequest& request, TypePtr type, const std::string& options,
                                        WallTime now);

/// Deals with the complaints of strict decoding: nothing, warnings, or 400 (422 for a patch).
Result<Unit> complain(WriteRequest& write, const std::vector<std::string>& complaints);

/// Prunes unknown fields and complains of them and of the duplicates.
Result<Unit> prune(WriteRequest& write, nlohmann::json& object, std::vector<std::string> duplicates);

/// Adds the Warning headers.
net::Response with_warnings(net::Response response, const WriteRequest& write);

}  // namespace atl::apiserver
