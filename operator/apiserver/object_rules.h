#pragma once

#include <nlohmann/json.hpp>

#include "operator/apiserver/write_request.h"

namespace atl::apiserver {

/// The rules of ObjectMeta and of parts that every write follows. Pure.

/// Checks that the body is of the type, and of the name and namespace of the path; fills in what it leaves out.
/// Errors: 400.
Result<Unit> identify(const WriteRequest& write, nlohmann::json& object);

/// Sets what the server owns in a new object: uid, creationTimestamp, generation; takes the rest of it out.
void set_new_metadata(const ResourceType& type, nlohmann::json& object, const std::string& uid, WallTime now);

/// Keeps of the old object what this write may not change: the other parts, and the metadata that the server owns.
void keep_other_parts(const WriteRequest& write, const nlohmann::json& old, nlohmann::json& object);

/// Takes empty labels, annotations and lists out of the metadata: they are as good as none, and stored as none.
void drop_empty_metadata(nlohmann::json& object);

/// Raises the generation if anything but metadata and status has changed.
void count_generation(const ResourceType& type, const nlohmann::json& old, nlohmann::json& object);

/// metadata and schema only: what prepare() may rely on. Errors: 422 with all of them.
Result<Unit> validate_shape(const WriteRequest& write, const nlohmann::json& object, const nlohmann::json* old);

/// metadata, schema and the kind's own rules. Errors: 422 with all of them.
Result<Unit> validate(const WriteRequest& write, const nlohmann::json& object, const nlohmann::json* old);

/// Whether an object that is being deleted has nothing left to wait for.
bool may_go(const nlohmann::json& object);

/// The object's resourceVersion as a number.
std::int64_t revision_of(const nlohmann::json& object);

}  // namespace atl::apiserver
