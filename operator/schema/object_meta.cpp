#include "operator/schema/object_meta.h"

#include <algorithm>

#include "operator/schema/built_in.h"
#include "operator/schema/go_text.h"

namespace atl::schema {
namespace {

constexpr std::size_t kMaxAnnotations = 256 * 1024;

std::string text_of(const Json& object, const char* key) {
    auto found = object.find(key);
    return found != object.end() && found->is_string() ? found->get<std::string>() : "";
}

std::string lower(std::string text) {
    std::ranges::transform(text, text.begin(), [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
    return text;
}

/// Go's %#v of a list of strings.
std::string go_strings(const std::vector<std::string>& texts) {
    std::string all;
    for (const std::string& text : texts) all += (all.empty() ? "" : ", ") + go_quote(text);
    return "[]string{" + all + "}";
}

class MetaChecker {
public:
    explicit MetaChecker(Json metadata) : metadata_(std::move(metadata)) {
        object_meta_schema().apply_defaults(metadata_);
    }

    FieldErrors create(const MetaRules& rules) {
        check_names(rules);
        check_namespace(rules);
        check_common();
        check_finalizers();
        return std::move(errors_);
    }

    FieldErrors update(const Json& old) {
        if (old.contains("deletionTimestamp")) check_new_finalizers(old);
        for (const char* key :
             {"name", "namespace", "uid", "creationTimestamp", "deletionTimestamp", "deletionGracePeriodSeconds"}) {
            Json before = old.value(key, Json()), after = metadata_.value(key, Json());
            if (before != after) errors_.push_back(invalid(path(key), after, "field is immutable"));
        }
        check_common();
        return std::move(errors_);
    }

private:
    static std::string path(const std::string& key) { return "metadata." + key; }

    void report(const std::string& key, const Json& value, const std::vector<std::string>& problems) {
        for (const std::string& problem : problems) errors_.push_back(invalid(path(key), value, problem));
    }

    void check_names(const MetaRules& rules) {
        std::string generate = text_of(metadata_, "generateName");
        if (!generate.empty()) {
            // What a name is made from may end in a dash: it does not end there.
            std::string prefix = generate.ends_with('-') ? generate.substr(0, generate.size() - 1) + "a" : generate;
            report("generateName", generate, name_problems(prefix, rules.name));
        }
        std::string name = text_of(metadata_, "name");
        if (name.empty()) {
            errors_.push_back(required(path("name"), "name or generateName is required"));
        } else {
            report("name", name, name_problems(name, rules.name));
        }
    }

    void check_namespace(const MetaRules& rules) {
        std::string space = text_of(metadata_, "namespace");
        if (!rules.namespaced) {
            if (!space.empty()) errors_.push_back(forbidden(path("namespace"), "not allowed on this type"));
        } else if (space.empty()) {
            errors_.push_back(required(path("namespace"), ""));
        } else {
            report("namespace", space, dns_label_problems(space));
        }
    }

    void check_common() {
        const Json labels = metadata_.value("labels", Json::object());
        for (const auto& [key, value] : labels.items()) {
            report("labels", key, qualified_name_problems(key));
            report("labels", value, label_value_problems(value.get_ref<const std::string&>()));
        }
        const Json annotations = metadata_.value("annotations", Json::object());
        std::size_t size = 0;
        for (const auto& [key, value] : annotations.items()) {
            report("annotations", key, qualified_name_problems(lower(key)));
            size += key.size() + value.get_ref<const std::string&>().size();
        }
        if (size > kMaxAnnotations) errors_.push_back(too_long(path("annotations"), kMaxAnnotations));
        check_owners();
    }

    void check_owners() {
        const Json owners = metadata_.value("ownerReferences", Json::array());
        std::string controller;
        for (std::size_t i = 0; i < owners.size(); ++i) {
            const Json& owner = owners[i];
            std::string place = path("ownerReferences") + "[" + std::to_string(i) + "]";
            for (const char* key : {"apiVersion", "kind", "name", "uid"}) {
                if (text_of(owner, key).empty()) errors_.push_back(required(place + "." + key, "must not be empty"));
            }
            if (text_of(owner, "apiVersion") == "v1" && text_of(owner, "kind") == "Event") {
                errors_.push_back(invalid(place, owner, "/v1, Kind=Event is disallowed from being an owner"));
            }
            if (owner.value("controller", Json()) != Json(true)) continue;
            std::string name = text_of(owner, "kind") + "/" + text_of(owner, "name");
            if (!controller.empty()) {
                errors_.push_back(invalid(path("ownerReferences"), owners,
                                          "Only one reference can have Controller set to true. Found \"true\" in "
                                          "references for " +
                                              controller + " and " + name));
            } else {
                controller = name;
            }
        }
    }

    void check_finalizers() {
        const Json finalizers = metadata_.value("finalizers", Json::array());
        for (const Json& name : finalizers) {
            report("finalizers", name, qualified_name_problems(name.get_ref<const std::string&>()));
        }
        auto has = [&](const char* name) { return std::ranges::find(finalizers, Json(name)) != finalizers.end(); };
        if (has("orphan") && has("foregroundDeletion")) {
            errors_.push_back(
                invalid(path("finalizers"), finalizers, "finalizer foregroundDeletion and orphan cannot be both set"));
        }
    }

    void check_new_finalizers(const Json& old) {
        const Json before = old.value("finalizers", Json::array());
        std::vector<std::string> added;
        for (const Json& name : metadata_.value("finalizers", Json::array())) {
            if (std::ranges::find(before, name) == before.end()) added.push_back(name.get<std::string>());
        }
        if (added.empty()) return;
        std::ranges::sort(added);
        errors_.push_back(forbidden(
            path("finalizers"), "no new finalizers can be added if the object is being deleted, found new finalizers " +
                                    go_strings(added)));
    }

    Json metadata_;
    FieldErrors errors_;
};

/// Wrong types: everything else would trip over them.
FieldErrors type_errors(const Json& metadata) {
    FieldErrors errors;
    if (!metadata.is_object()) {
        errors.push_back(type_invalid("metadata", metadata, "must be an object"));
        return errors;
    }
    Json given = metadata;
    object_meta_schema().apply_defaults(given);  // null is as good as absent
    for (FieldError& error : object_meta_schema().validate(given)) {
        if (error.type != FieldErrorType::TypeInvalid) continue;
        error.field = "metadata." + error.field;
        errors.push_back(std::move(error));
    }
    return errors;
}

}  // namespace

FieldErrors validate_object_meta(const Json& metadata, const MetaRules& rules) {
    FieldErrors errors = type_errors(metadata);
    return errors.empty() ? MetaChecker(metadata).create(rules) : errors;
}

FieldErrors validate_object_meta_update(const Json& metadata, const Json& old_metadata) {
    FieldErrors errors = type_errors(metadata);
    if (!errors.empty() || !old_metadata.is_object()) return errors;
    return MetaChecker(metadata).update(old_metadata);
}

}  // namespace atl::schema
