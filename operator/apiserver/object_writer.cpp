#include "operator/apiserver/object_writer.h"

#include <algorithm>
#include <utility>

#include "operator/apiserver/json_access.h"
#include "operator/apiserver/object_rules.h"
#include "operator/apiserver/object_text.h"
#include "operator/apiserver/read_verbs.h"
#include "operator/base/time.h"

namespace atl::apiserver {

using nlohmann::json;

namespace {

constexpr int kNameTries = 8;
constexpr int kUpdateTries = 10;
constexpr std::size_t kSuffix = 5;
constexpr std::size_t kLongestPrefix = 63 - kSuffix;

bool is_modified(const Error& error) {
    return error.reason() == "Modified" || error.reason() == "NotFound";
}

Result<Unit> check_preconditions(const WriteRequest& write, const DeleteOptions& options, const json& old) {
    const json& metadata = child(old, "metadata");
    const std::string uid = text_of(metadata, "uid");
    const std::string version = text_of(metadata, "resourceVersion");
    // Here, and only here, a conflict names the kind.
    const Subject subject{write.type->group, write.type->kind, text_of(metadata, "name")};
    if (options.uid && *options.uid != uid) {
        return update_conflict(subject, "the UID in the precondition (" + *options.uid +
                                            ") does not match the UID in record (" + uid +
                                            "). The object might have been deleted and then recreated");
    }
    if (options.resource_version && *options.resource_version != version) {
        return update_conflict(subject, "the ResourceVersion in the precondition (" + *options.resource_version +
                                            ") does not match the ResourceVersion in record (" + version +
                                            "). The object might have been modified");
    }
    return ok();
}

void set_finalizer(json& metadata, const char* finalizer, bool wanted) {
    json finalizers = list_of(metadata, "finalizers");
    const auto found = std::find(finalizers.begin(), finalizers.end(), json(finalizer));
    if (wanted && found == finalizers.end()) finalizers.push_back(finalizer);
    if (!wanted && found != finalizers.end()) finalizers.erase(found);
    if (finalizers.empty()) {
        metadata.erase("finalizers");
    } else {
        metadata["finalizers"] = finalizers;
    }
}

}  // namespace

Result<json> ObjectWriter::current(const WriteRequest& write) {
    auto found = find_object(serving_, write.request, *write.type);
    if (!found.ok()) return std::move(found).error();
    return read_object(*write.type, found->text);
}

Result<Unit> ObjectWriter::admit(WriteRequest& write, const std::string& verb, const json* object, const json* old) {
    const std::string name = text_of(child(object != nullptr ? *object : *old, "metadata"), "name");
    return serving_.admission.admit({write.request.user, verb, *write.type, write.request.ns, name,
                                     write.request.subresource, object, old, write.dry_run, &write.warnings});
}

/// Right before the write is queued: a namespace that ends later is emptied after it.
Result<Unit> ObjectWriter::check_namespace(const WriteRequest& write, const std::string& name) {
    if (!write.type->namespaced) return ok();
    const std::string& ns = write.request.ns;
    auto found = serving_.store.find({"namespaces", "", ns});
    if (!found.ok()) return std::move(found).error();
    if (!*found) return not_found({"", "namespaces", ns});
    if (!child(parse_stored((*found)->text), "metadata").contains("deletionTimestamp")) return ok();
    auto status = status_of(forbidden(
        write.subject(name), "unable to create new content in namespace " + ns + " because it is being terminated"));
    status["details"]["causes"] = json::array({{{"reason", "NamespaceTerminating"},
                                                {"message", "namespace " + ns + " is being terminated"},
                                                {"field", "metadata.namespace"}}});
    return with_status(status);
}

/// Defaults, what the server sets, managed fields, validation.
Result<Unit> ObjectWriter::finish(WriteRequest& write, json& object, const json* old) {
    const ResourceType& type = *write.type;
    drop_empty_metadata(object);
    type.schema.apply_defaults(object);
    if (type.behaviour.prepare) {
        auto checked = validate_shape(write, object, old);
        if (!checked.ok()) return checked;
        type.behaviour.prepare(object, old, serving_.clock.wall_now());
    }
    if (!write.is_apply) {
        const json none;
        object =
            schema::update_managed_fields(old == nullptr ? none : *old, std::move(object), type.schema, write.manager);
    }
    if (old != nullptr) count_generation(type, *old, object);
    return validate(write, object, old);
}

Task<json> ObjectWriter::create(WriteRequest& write, json object) {
    json& metadata = object["metadata"];
    const std::string prefix = text_of(metadata, "generateName");
    if (!text_of(metadata, "resourceVersion").empty()) {
        co_return api_error(500, "InternalError",
                            "Internal error occurred: resourceVersion should not be set on objects to be created");
    }
    if (write.type->terminating) {
        co_return api_error(405, "MethodNotAllowed",
                            "create not allowed while custom resource definition is terminating", json::object());
    }
    if (!text_of(metadata, "name").empty() || prefix.empty()) {
        json made = co_await create_named(write, std::move(object));
        co_return made;
    }
    for (int attempt = 0; attempt < kNameTries; ++attempt) {
        metadata["name"] = prefix.substr(0, kLongestPrefix) + serving_.random.name_suffix(kSuffix);
        auto made = co_await create_named(write, object).attempt();
        if (made.ok() || made.error().reason() != "AlreadyExists") co_return made;
    }
    co_return already_exists(write.subject(text_of(metadata, "name")));
}

Task<json> ObjectWriter::create_named(WriteRequest& write, json object) {
    if (write.type->has_status && write.type->is_custom() && write.part == Part::Main) object.erase("status");
    set_new_metadata(*write.type, object, serving_.random.uuid(), serving_.clock.wall_now());
    co_await finish(write, object, nullptr);
    const std::string name = text_of(object["metadata"], "name");
    co_await admit(write, "create", &object, nullptr);
    co_await check_namespace(write, name);
    auto made = co_await commit(write, 0, std::move(object)).attempt();
    if (!made.ok() && made.error().reason() == "AlreadyExists") co_return already_exists(write.subject(name));
    co_return made;
}

Task<json> ObjectWriter::commit(const WriteRequest& write, std::int64_t expected, json object) {
    const Key key{write.type->storage, write.type->namespaced ? write.request.ns : "",
                  text_of(object["metadata"], "name")};
    if (write.dry_run) {
        auto existing = serving_.store.find(key);
        if (existing.ok() && *existing && expected == 0) co_return conflict("AlreadyExists", "the object exists");
        co_return object;
    }
    json stored = object;
    to_storage(*write.type, stored);
    const ObjectText text = render(stored);
    const Revision revision = co_await serving_.store.put(key, expected, text);
    object["metadata"]["resourceVersion"] = std::to_string(revision);
    co_return object;
}

Task<json> ObjectWriter::update(WriteRequest& write, const Transform& transform) {
    for (int attempt = 0; attempt < kUpdateTries; ++attempt) {
        const json old = co_await current(write);
        write.warnings.clear();
        auto saved = co_await try_update(write, old, transform).attempt();
        if (saved.ok() || !is_modified(saved.error()) || saved.error().status() != 0) co_return saved;
    }
    co_return modified(write.request.subject());
}

Task<json> ObjectWriter::try_update(WriteRequest& write, const json& old, const Transform& transform) {
    json object = co_await transform(old);
    keep_other_parts(write, old, object);
    co_await finish(write, object, &old);
    if (object == old && !may_go(object)) co_return old;
    co_await admit(write, "update", &object, &old);
    const std::int64_t expected = revision_of(old);
    if (!may_go(object)) {
        json saved = co_await commit(write, expected, std::move(object));
        co_return saved;
    }
    if (!write.dry_run) co_await serving_.store.remove(key_of(write.request, *write.type), expected);
    co_return object;
}

Task<Deleted> ObjectWriter::remove(WriteRequest& write, DeleteOptions options) {
    for (int attempt = 0; attempt < kUpdateTries; ++attempt) {
        auto removed = co_await try_remove(write, options).attempt();
        if (removed.ok() || !is_modified(removed.error()) || removed.error().status() != 0) co_return removed;
    }
    co_return modified(write.request.subject());
}

Task<Deleted> ObjectWriter::try_remove(WriteRequest& write, const DeleteOptions& options) {
    const json old = co_await current(write);
    co_await check_preconditions(write, options, old);
    co_await admit(write, "delete", nullptr, &old);
    json object = old;
    json& metadata = object["metadata"];
    using Propagation = DeleteOptions::Propagation;
    if (options.propagation) {
        set_finalizer(metadata, "foregroundDeletion", *options.propagation == Propagation::Foreground);
        set_finalizer(metadata, "orphan", *options.propagation == Propagation::Orphan);
    }
    const bool was_deleting = metadata.contains("deletionTimestamp");
    if (!was_deleting) {
        metadata["deletionTimestamp"] = format_rfc3339(serving_.clock.wall_now());
        metadata["deletionGracePeriodSeconds"] = 0;
        if (child(metadata, "generation").is_number_integer()) {
            metadata["generation"] = metadata["generation"].get<std::int64_t>() + 1;
        }
    }
    if (may_go(object)) {
        if (!write.dry_run) {
            co_await serving_.store.remove(key_of(write.request, *write.type), revision_of(old));
        }
        co_return Deleted{old, true};
    }
    // Finalizers that were there when the deletion began stay; only the kind of propagation may still change.
    if (object == old) co_return Deleted{old, false};
    if (write.type->behaviour.prepare) write.type->behaviour.prepare(object, &old, serving_.clock.wall_now());
    json saved = co_await commit(write, revision_of(old), std::move(object));
    co_return Deleted{std::move(saved), false};
}

}  // namespace atl::apiserver
