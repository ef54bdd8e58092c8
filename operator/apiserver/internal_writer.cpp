#include "operator/apiserver/internal_writer.h"

#include <utility>

#include "operator/apiserver/authenticator.h"
#include "operator/apiserver/json_access.h"
#include "operator/apiserver/object_rules.h"

namespace atl::apiserver {

using nlohmann::json;

namespace {

const net::ServerRequest& no_http() {
    static const net::ServerRequest request{"", "", {{"User-Agent", "atoll-apiserver"}}, "", {}};
    return request;
}

ApiRequest request_for(const ResourceType& type, const Key& key, const std::string& verb) {
    ApiRequest request;
    request.http = &no_http();
    request.user = {kServerItself, "", {kMasters}};
    request.verb = verb;
    request.is_resource = true;
    request.group = type.group;
    request.version = type.version;
    request.plural = type.plural;
    request.ns = key.ns;
    request.name = key.name;
    return request;
}

}  // namespace

Task<> InternalWriter::remove(TypePtr type, Key key, std::string uid,
                              std::optional<DeleteOptions::Propagation> propagation) {
    const ApiRequest request = request_for(*type, key, "delete");
    WriteRequest write = co_await read_write_request(request, type, "DeleteOptions", serving_.clock.wall_now());
    const DeleteOptions options{propagation, std::move(uid), std::nullopt};
    ObjectWriter writer(serving_);
    const auto removed = co_await writer.remove(write, options).attempt();
    // Not found, or another object of that name: the one that was meant is gone.
    if (removed.ok() || removed.error().status() == 404 || removed.error().status() == 409) co_return;
    co_await fail(removed.error());
}

Task<> InternalWriter::change(TypePtr type, Key key, Part part, ObjectWriter::Transform transform) {
    const ApiRequest request = request_for(*type, key, "update");
    WriteRequest write = co_await read_write_request(request, type, "UpdateOptions", serving_.clock.wall_now());
    write.part = part;
    ObjectWriter writer(serving_);
    const auto changed = co_await writer.update(write, transform).attempt();
    if (changed.ok() || changed.error().status() == 404) co_return;
    co_await fail(changed.error());
}

Task<> InternalWriter::ensure(TypePtr type, json object) {
    const json& metadata = object["metadata"];
    const Key key{type->storage, text_of(metadata, "namespace"), text_of(metadata, "name")};
    auto found = serving_.store.find(key);
    if (found.ok() && *found) co_return;
    const ApiRequest request = request_for(*type, key, "create");
    WriteRequest write = co_await read_write_request(request, type, "CreateOptions", serving_.clock.wall_now());
    co_await identify(write, object);
    ObjectWriter writer(serving_);
    const auto made = co_await writer.create(write, std::move(object)).attempt();
    if (!made.ok() && made.error().reason() != "AlreadyExists") co_await fail(made.error());
}

ObjectWriter::Transform without_finalizer(std::string finalizer) {
    return [finalizer = std::move(finalizer)](const json& current) -> Result<json> {
        json object = current;
        json kept = json::array();
        for (const json& one : list_of(child(object, "metadata"), "finalizers")) {
            if (one != json(finalizer)) kept.push_back(one);
        }
        if (kept.empty()) {
            object["metadata"].erase("finalizers");
        } else {
            object["metadata"]["finalizers"] = std::move(kept);
        }
        return object;
    };
}

}  // namespace atl::apiserver
