#include "operator/kube/object.h"

#include <algorithm>

#include <nlohmann/json.hpp>

#include "operator/kube/object_reader.h"

namespace atl::kube {

namespace {

/// Memory that a scanner may look at behind a text.
constexpr std::size_t kScannerPadding = 64;

bool is_number(std::string_view text) {
    return !text.empty() && std::all_of(text.begin(), text.end(), [](char c) { return c >= '0' && c <= '9'; });
}

/// Drops leading zeros, so that numbers of any length compare by length, then by digits.
std::string_view digits(std::string_view number) {
    const std::size_t first = number.find_first_not_of('0');
    return first == std::string_view::npos ? number.substr(number.size() - 1) : number.substr(first);
}

std::size_t memory_of(const std::string& text) {
    return text.capacity() > 15 ? text.capacity() + 1 : 0;
}

}  // namespace

std::string ObjectKey::to_string() const {
    return ns.empty() ? name : ns + "/" + name;
}

std::string ResourceType::api_version() const {
    return group.empty() ? version : group + "/" + version;
}

std::string ResourceType::to_string() const {
    return group.empty() ? plural : plural + "." + group;
}

std::optional<std::string> StringMap::find(std::string_view key) const {
    const auto at = std::lower_bound(entries_.begin(), entries_.end(), key,
                                     [](const auto& entry, std::string_view wanted) { return entry.first < wanted; });
    if (at == entries_.end() || at->first != key) return std::nullopt;
    return at->second;
}

void StringMap::set(std::string key, std::string value) {
    const auto at = std::lower_bound(entries_.begin(), entries_.end(), key,
                                     [](const auto& entry, const std::string& wanted) { return entry.first < wanted; });
    if (at != entries_.end() && at->first == key) {
        at->second = std::move(value);
    } else {
        entries_.emplace(at, std::move(key), std::move(value));
    }
}

bool ObjectMeta::has_finalizer(std::string_view name) const {
    return std::find(finalizers.begin(), finalizers.end(), name) != finalizers.end();
}

const OwnerReference* ObjectMeta::controller() const {
    const auto at =
        std::find_if(owners.begin(), owners.end(), [](const OwnerReference& owner) { return owner.controller; });
    return at == owners.end() ? nullptr : &*at;
}

Result<Object> Object::parse(std::string_view text) {
    return ObjectReader().read_object(text);
}

Result<Object> Object::from_json(const nlohmann::json& object) {
    return parse(object.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace));
}

Object Object::bare() const {
    auto state = std::make_shared<State>();
    state->meta = meta();
    state->text.reserve(kScannerPadding + 2);
    state->text = "{}";
    return Object(std::move(state));
}

nlohmann::json Object::json() const {
    nlohmann::json tree = nlohmann::json::parse(text(), nullptr, false);
    return tree.is_discarded() ? nlohmann::json() : tree;
}

nlohmann::json Object::member(std::string_view name) const {
    const std::optional<std::string_view> found = ObjectReader().find_member(text(), name);
    if (!found) return {};
    nlohmann::json tree = nlohmann::json::parse(*found, nullptr, false);
    return tree.is_discarded() ? nlohmann::json() : tree;
}

std::string_view Object::annotations_text() const {
    ObjectReader reader;
    const std::optional<std::string_view> metadata = reader.find_member(text(), "metadata");
    if (!metadata) return {};
    return reader.find_member(*metadata, "annotations").value_or(std::string_view());
}

std::optional<std::string> Object::annotation(std::string_view name) const {
    const std::string_view annotations = annotations_text();
    if (annotations.empty()) return std::nullopt;
    const std::optional<std::string_view> value = ObjectReader().find_member(annotations, name);
    if (!value) return std::nullopt;
    const nlohmann::json tree = nlohmann::json::parse(*value, nullptr, false);
    return tree.is_string() ? std::optional(tree.get<std::string>()) : std::nullopt;
}

std::size_t Object::memory() const {
    const ObjectMeta& m = meta();
    std::size_t bytes = sizeof(State) + 2 * sizeof(std::size_t) + memory_of(text());
    for (const std::string* field : {&m.key.ns, &m.key.name, &m.uid, &m.resource_version}) bytes += memory_of(*field);
    for (const auto& [key, value] : m.labels.entries())
        bytes += 2 * sizeof(std::string) + memory_of(key) + memory_of(value);
    for (const std::string& finalizer : m.finalizers) bytes += sizeof(std::string) + memory_of(finalizer);
    for (const OwnerReference& owner : m.owners)
        bytes += sizeof(owner) + memory_of(owner.uid) + memory_of(owner.api_version);
    return bytes;
}

bool equal_but_for_status(const Object& a, const Object& b) {
    const ObjectMeta& x = a.meta();
    const ObjectMeta& y = b.meta();
    if (x.uid != y.uid || x.generation != y.generation) return false;
    if (x.generation == 0) return x.resource_version == y.resource_version;
    return x.labels == y.labels && x.finalizers == y.finalizers && x.owners == y.owners &&
           x.deletion_timestamp == y.deletion_timestamp && a.annotations_text() == b.annotations_text();
}

bool has_reached(std::string_view seen, std::string_view wanted) {
    if (!is_number(seen) || !is_number(wanted)) return seen == wanted;
    const std::string_view a = digits(seen);
    const std::string_view b = digits(wanted);
    return a.size() != b.size() ? a.size() > b.size() : a >= b;
}

}  // namespace atl::kube
