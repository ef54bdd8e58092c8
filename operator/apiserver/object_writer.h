#pragma once

#include <functional>
#include <optional>

#include "operator/apiserver/delete_options.h"
#include "operator/apiserver/serving.h"
#include "operator/apiserver/write_request.h"

namespace atl::apiserver {

/// What a delete came to: the object's last state, and whether it is gone or waits for its finalizers.
struct Deleted {
    nlohmann::json object;
    bool is_gone = false;
};

/// Makes, changes and removes stored objects: the order of steps that every write goes through. Objects go in and come
/// out in the version of the request's type.
class ObjectWriter {
public:
    /// The object as it is, to the object as it shall be. Called again when somebody else was faster.
    using Transform = std::function<Result<nlohmann::json>(const nlohmann::json& current)>;

    explicit ObjectWriter(Serving& serving) : serving_(serving) {}

    /// Errors: 400, 403, 404 (namespace), 409, 422.
    Task<nlohmann::json> create(WriteRequest& write, nlohmann::json object);
    /// Changes the object that the request names. An object whose result is the same is not written. One that is being
    /// deleted and loses its last finalizer is removed.
    Task<nlohmann::json> update(WriteRequest& write, const Transform& transform);
    /// Errors: 403, 404, 409.
    Task<Deleted> remove(WriteRequest& write, DeleteOptions options);

private:
    Task<nlohmann::json> create_named(WriteRequest& write, nlohmann::json object);
    Task<nlohmann::json> try_update(WriteRequest& write, const nlohmann::json& old, const Transform& transform);
    Task<Deleted> try_remove(WriteRequest& write, const DeleteOptions& options);
    Task<nlohmann::json> commit(const WriteRequest& write, std::int64_t expected, nlohmann::json object);
    Result<nlohmann::json> current(const WriteRequest& write);
    Result<Unit> check_namespace(const WriteRequest& write, const std::string& name);
    Result<Unit> finish(WriteRequest& write, nlohmann::json& object, const nlohmann::json* old);
    Result<Unit> admit(WriteRequest& write, const std::string& verb, const nlohmann::json* object,
                       const nlohmann::json* old);

    Serving& serving_;
};

}  // namespace atl::apiserver
