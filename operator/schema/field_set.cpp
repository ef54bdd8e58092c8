#include "operator/schema/field_set.h"

#include "operator/schema/decode.h"
#include "operator/schema/go_text.h"

namespace atl::schema {
namespace {

std::string value_text(const Json& value) {
    return value.is_string() ? go_quote(value.get_ref<const std::string&>()) : go_json(value);
}

/// A step as Kubernetes writes it in texts: `.name`, `[name="web"]`, `[="x"]`, `[0]`.
std::string shown(const std::string& step) {
    if (step.starts_with("f:")) return "." + step.substr(2);
    if (step.starts_with("i:")) return "[" + step.substr(2) + "]";
    Json value = Json::parse(step.substr(2), nullptr, false);
    if (step.starts_with("v:")) return "[=" + value_text(value) + "]";
    std::string keys;
    for (const auto& [key, part] : value.items()) keys += (keys.empty() ? "" : ",") + key + "=" + value_text(part);
    return "[" + keys + "]";
}

void append_paths(const FieldSet& set, const std::string& prefix, std::vector<std::string>& paths) {
    for (const auto& [step, child] : set.children) {
        if (child.member) paths.push_back(prefix + shown(step));
    }
    for (const auto& [step, child] : set.children) append_paths(child, prefix + shown(step), paths);
}

/// The canonical form of a step, or an error.
Result<std::string> canonical(const std::string& step) {
    if (step.starts_with("f:")) return step;
    bool structured = step.starts_with("k:") || step.starts_with("v:");
    Result<Decoded> value = decode_json(step.size() > 2 ? step.substr(2) : "");
    bool index = step.starts_with("i:") && value && value->value.is_number_integer();
    bool keyed = structured && value && (step[0] == 'v' || value->value.is_object());
    if (!index && !keyed) return atl::invalid("BadFields", "not a field of FieldsV1: " + go_quote(step));
    return step.substr(0, 2) + go_json(value->value);
}

}  // namespace

std::string field_step(std::string_view name) {
    return "f:" + std::string(name);
}

const FieldSet* FieldSet::find(std::string_view step) const {
    auto found = children.find(step);
    return found == children.end() ? nullptr : &found->second;
}

void FieldSet::trim() {
    for (auto child = children.begin(); child != children.end();) {
        child->second.trim();
        child = child->second.empty() ? children.erase(child) : std::next(child);
    }
}

Json FieldSet::to_json() const {
    Json fields = Json::object();
    for (const auto& [step, child] : children) {
        Json below = child.to_json();
        if (child.member && !child.children.empty()) below["."] = Json::object();
        fields[step] = std::move(below);
    }
    return fields;
}

Result<FieldSet> FieldSet::from_json(const Json& fields) {
    if (!fields.is_object()) return atl::invalid("BadFields", "FieldsV1 must be an object");
    FieldSet set;
    for (const auto& [step, below] : fields.items()) {
        if (step == ".") continue;
        Result<std::string> name = canonical(step);
        if (!name) return name.error();
        Result<FieldSet> child = from_json(below);
        if (!child) return child;
        child->member = below.empty() || below.contains(".");
        set.children.insert_or_assign(*name, std::move(*child));
    }
    return set;
}

std::vector<std::string> FieldSet::paths() const {
    std::vector<std::string> all;
    append_paths(*this, "", all);
    return all;
}

FieldSet united(const FieldSet& a, const FieldSet& b) {
    FieldSet set = a;
    set.member = a.member || b.member;
    for (const auto& [step, child] : b.children) {
        auto [place, is_new] = set.children.try_emplace(step);
        place->second = is_new ? child : united(place->second, child);
    }
    return set;
}

FieldSet intersected(const FieldSet& a, const FieldSet& b) {
    FieldSet set;
    set.member = a.member && b.member;
    for (const auto& [step, child] : a.children) {
        const FieldSet* other = b.find(step);
        if (other == nullptr) continue;
        FieldSet both = intersected(child, *other);
        if (!both.empty()) set.children.emplace(step, std::move(both));
    }
    return set;
}

FieldSet without(const FieldSet& a, const FieldSet& b) {
    FieldSet set;
    set.member = a.member && !b.member;
    for (const auto& [step, child] : a.children) {
        const FieldSet* other = b.find(step);
        FieldSet rest = other == nullptr ? child : without(child, *other);
        if (!rest.empty()) set.children.emplace(step, std::move(rest));
    }
    return set;
}

}  // namespace atl::schema
