#include "operator/apiserver/metadata_types.h"

#include <optional>

#include <nlohmann/json.hpp>

#include "operator/apiserver/api_error.h"
#include "operator/base/time.h"
#include "operator/schema/go_text.h"

namespace atl::apiserver {

using nlohmann::json;

namespace {

enum class Wanted { Text, Integer, Time, Entries, Texts, Map };

struct Row {
    const char* field;
    Wanted wanted;
    const char* go_type;
};

constexpr Row kRows[] = {{"name", Wanted::Text, "string"},
                         {"generateName", Wanted::Text, "string"},
                         {"labels", Wanted::Map, "map[string]string"},
                         {"annotations", Wanted::Map, "map[string]string"},
                         {"finalizers", Wanted::Texts, "[]string"},
                         {"ownerReferences", Wanted::Entries, "[]v1.OwnerReference"},
                         {"namespace", Wanted::Text, "string"},
                         {"selfLink", Wanted::Text, "string"},
                         {"uid", Wanted::Text, "types.UID"},
                         {"resourceVersion", Wanted::Text, "string"},
                         {"generation", Wanted::Integer, "int64"},
                         {"deletionGracePeriodSeconds", Wanted::Integer, "int64"},
                         {"creationTimestamp", Wanted::Time, "string"},
                         {"deletionTimestamp", Wanted::Time, "string"},
                         {"managedFields", Wanted::Entries, "[]v1.ManagedFieldsEntry"}};

/// A value of a wrong type, and the type that a Go program would want there.
struct Misfit {
    const json* value;
    std::string go_type;
    std::string place = {};  ///< in the field: ".a", "[0]"
};

std::optional<Misfit> find_misfit(const json& value, const Row& row) {
    const bool is_list = row.wanted == Wanted::Entries || row.wanted == Wanted::Texts;
    const bool fits = is_list                         ? value.is_array()
                      : row.wanted == Wanted::Map     ? value.is_object()
                      : row.wanted == Wanted::Integer ? value.is_number_integer()
                                                      : value.is_string();
    if (!fits) return Misfit{&value, row.go_type};
    if (!value.is_structured()) return std::nullopt;
    const bool holds_objects = row.wanted == Wanted::Entries;
    for (const auto& [key, element] : value.items()) {
        const bool may_be_null = row.wanted != Wanted::Entries && element.is_null();
        if (may_be_null || (holds_objects ? element.is_object() : element.is_string())) continue;
        const std::string place = value.is_array() ? "[" + key + "]" : "." + key.substr(0, 64);
        return Misfit{&element, holds_objects ? std::string(row.go_type).substr(2) : "string", place};
    }
    return std::nullopt;
}

std::string go_word_of(const json& value) {
    return value.is_boolean() ? "bool" : value.type_name();
}

}  // namespace

Result<Unit> check_metadata_types(const ResourceType& type, const json& metadata) {
    for (const Row& row : kRows) {
        const auto found = metadata.find(row.field);
        if (found == metadata.end() || found->is_null()) continue;
        std::string problem;
        if (const auto misfit = find_misfit(*found, row)) {
            problem = "json: cannot unmarshal " + go_word_of(*misfit->value) +
                      " into Go struct field ObjectMeta.metadata." + row.field + " of type " + misfit->go_type;
            if (!misfit->place.empty()) problem += ": metadata." + std::string(row.field) + misfit->place;
        } else if (row.wanted == Wanted::Time && !parse_rfc3339(found->get_ref<const std::string&>())) {
            problem = std::string("metadata.") + row.field + ": parsing time " +
                      schema::go_quote(found->get<std::string>()) + " as \"2006-01-02T15:04:05Z07:00\"";
        }
        if (problem.empty()) continue;
        return bad_request(type.kind + " in version " + schema::go_quote(type.version) + " cannot be handled as a " +
                           type.kind + ": " + problem);
    }
    return ok();
}

}  // namespace atl::apiserver
