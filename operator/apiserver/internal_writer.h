#pragma once

#include "operator/apiserver/object_writer.h"

namespace atl::apiserver {

/// The user that the server's own writes are made by.
inline constexpr const char* kServerItself = "system:apiserver";

/// Writes of the server itself (lifecycle of namespaces and definitions, garbage, bootstrap): the same steps as a
/// request's, without a right to ask for. Tasks end with the same errors.
class InternalWriter {
public:
    explicit InternalWriter(Serving& serving) : serving_(serving) {}

    /// Deletes the object if it still has that uid; one that is gone is success.
    Task<> remove(TypePtr type, Key key, std::string uid, std::optional<DeleteOptions::Propagation> propagation);
    /// Changes the object; one that is gone is success.
    Task<> change(TypePtr type, Key key, Part part, ObjectWriter::Transform transform);
    /// Creates the object; one that is there already is left alone.
    Task<> ensure(TypePtr type, nlohmann::json object);

private:
    Serving& serving_;
};

/// The object without this finalizer.
ObjectWriter::Transform without_finalizer(std::string finalizer);

}  // namespace atl::apiserver
