#include "operator/apiserver/metadata_types.h"

#include <nlohmann/json.hpp>

#include "operator/apiserver/api_error.h"
#include "operator/base/time.h"
#include "operator/schema/go_text.h"

namespace atl::apiserver {

using nlohmann::json;

namespace {

enum class Wanted { Text, Integer, Time, Entries };

struct Row {
    const char* field;
    Wanted wanted;
    const char* go_type;
};

constexpr Row kRows[] = {{"namespace", Wanted::Text, "string"},
                         {"selfLink", Wanted::Text, "string"},
                         {"uid", Wanted::Text, "types.UID"},
                         {"resourceVersion", Wanted::Text, "string"},
                         {"generation", Wanted::Integer, "int64"},
                         {"deletionGracePeriodSeconds", Wanted::Integer, "int64"},
                         {"creationTimestamp", Wanted::Time, "string"},
                         {"deletionTimestamp", Wanted::Time, "string"},
                         {"managedFields", Wanted::Entries, "[]v1.ManagedFieldsEntry"}};

bool fits(const json& value, Wanted wanted) {
    switch (wanted) {
        case Wanted::Text:
        case Wanted::Time:
            return value.is_string();
        case Wanted::Integer:
            return value.is_number_integer();
        case Wanted::Entries:
            break;
    }
    if (!value.is_array()) return false;
    for (const json& entry : value) {
        if (!entry.is_object()) return false;
    }
    return true;
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
        if (!fits(*found, row.wanted)) {
            problem = "json: cannot unmarshal " + go_word_of(*found) + " into Go struct field ObjectMeta.metadata." +
                      row.field + " of type " + row.go_type;
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
