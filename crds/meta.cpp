#include "crds/meta.h"

#include <algorithm>

#include "crds/shapes.h"

namespace atl::crds {

using nlohmann::json;

namespace {

std::string value_or_empty(const std::map<std::string, std::string>& map, std::string_view key) {
    auto found = map.find(std::string(key));
    return found == map.end() ? std::string() : found->second;
}

std::string_view words(FieldError::Kind kind) {
    switch (kind) {
        case FieldError::Kind::Required:
            return "Required value";
        case FieldError::Kind::Invalid:
            return "Invalid value";
        case FieldError::Kind::Duplicate:
            return "Duplicate value";
        case FieldError::Kind::NotFound:
            return "Not found";
        case FieldError::Kind::NotSupported:
            return "Unsupported value";
        case FieldError::Kind::Forbidden:
            return "Forbidden";
    }
    return "Invalid value";
}

}  // namespace

bool ObjectMeta::has_finalizer(std::string_view finalizer) const {
    return std::find(finalizers.begin(), finalizers.end(), finalizer) != finalizers.end();
}

std::string ObjectMeta::annotation(std::string_view key) const {
    return value_or_empty(annotations, key);
}

std::string ObjectMeta::label(std::string_view key) const {
    return value_or_empty(labels, key);
}

std::string ObjectMeta::key() const {
    return name_space.empty() ? name : name_space + "/" + name;
}

const Condition* find_condition(const Conditions& conditions, std::string_view type) {
    for (const Condition& condition : conditions)
        if (condition.type == type) return &condition;
    return nullptr;
}

std::string IntOrString::to_string() const {
    return is_number() ? std::to_string(number()) : text();
}

std::string FieldError::to_string() const {
    std::string text = field + ": " + std::string(words(kind));
    if (!value.empty()) text += ": " + value;
    if (!detail.empty()) text += ": " + detail;
    return text;
}

Error to_error(const FieldErrors& errors) {
    constexpr std::size_t kShown = 10;
    std::string message;
    for (std::size_t i = 0; i < std::min(errors.size(), kShown); ++i)
        message += (i == 0 ? "" : "; ") + errors[i].to_string();
    if (errors.size() > kShown) message += "; and " + std::to_string(errors.size() - kShown) + " more";
    bool all_unsupported = std::all_of(errors.begin(), errors.end(), [](const FieldError& error) {
        return error.kind == FieldError::Kind::NotSupported;
    });
    Error error(all_unsupported ? ErrorClass::Unsupported : ErrorClass::Invalid,
                all_unsupported ? "Unsupported" : "InvalidSpec", std::move(message));
    return std::move(error).at_field(errors.empty() ? "" : errors.front().field);
}

namespace {

struct Object {
    ObjectMeta meta;
};
template <class V>
void fields(V& v, Seen<V, Object> it) {
    v.field("metadata", it.meta);
}

struct StatusOnly {
    Conditions conditions;
};
template <class V>
void fields(V& v, Seen<V, StatusOnly> it) {
    v.field("conditions", it.conditions);
}
struct ObjectWithStatus {
    StatusOnly status;
};
template <class V>
void fields(V& v, Seen<V, ObjectWithStatus> it) {
    v.field("status", it.status);
}

}  // namespace

Result<ObjectMeta> decode_meta(const json& object) {
    Result<Object> read = read_object<Object>(object);
    if (!read.ok()) return std::move(read).error();
    return std::move(read->meta);
}

Result<Conditions> decode_conditions(const json& object) {
    Result<ObjectWithStatus> read = read_object<ObjectWithStatus>(object);
    if (!read.ok()) return std::move(read).error();
    return std::move(read->status.conditions);
}

json encode(const Condition& condition) {
    return Writer::write(condition);
}

json encode(const Conditions& conditions) {
    return Writer::write(conditions);
}

json encode(const OwnerReference& reference) {
    return Writer::write(reference);
}

json encode(const ObjectMeta& meta) {
    return Writer::write(meta);
}

}  // namespace atl::crds
