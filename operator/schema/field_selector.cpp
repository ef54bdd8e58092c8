#include <algorithm>

#include "operator/schema/go_text.h"
#include "operator/schema/selector.h"

namespace atl::schema {
namespace {

Error refused(std::string why) {
    return atl::invalid("BadSelector", std::move(why)).with_status(400);
}

/// Cuts at the commas that no backslash stands before.
std::vector<std::string> terms_of(std::string_view text) {
    std::vector<std::string> terms(1);
    for (std::size_t i = 0; i < text.size(); ++i) {
        if (text[i] == ',') {
            terms.emplace_back();
            continue;
        }
        terms.back() += text[i];
        if (text[i] == '\\' && i + 1 < text.size()) terms.back() += text[++i];
    }
    std::ranges::sort(terms);
    return terms;
}

Result<std::string> unescaped(std::string_view text) {
    std::string out;
    for (std::size_t i = 0; i < text.size(); ++i) {
        if (text[i] == ',' || text[i] == '=') {
            return refused("invalid field selector: unescaped character in value: " +
                           std::to_string(static_cast<int>(text[i])));
        }
        if (text[i] != '\\') {
            out += text[i];
            continue;
        }
        std::string_view next = text.substr(i + 1, 1);
        if (next != "\\" && next != "," && next != "=") {
            return refused("invalid field selector: invalid escape sequence: \\" + std::string(next));
        }
        out += text[++i];
    }
    return out;
}

std::string text_at(const nlohmann::json& object, std::string_view path) {
    const nlohmann::json* at = &object;
    while (!path.empty()) {
        std::string name(path.substr(0, path.find('.')));
        path.remove_prefix(std::min(name.size() + 1, path.size()));
        if (!at->is_object() || !at->contains(name)) return "";
        at = &(*at)[name];
    }
    if (at->is_string()) return at->get<std::string>();
    return at->is_null() || at->is_structured() ? "" : go_json(*at);
}

}  // namespace

Result<FieldSelector> FieldSelector::parse(std::string_view text) {
    FieldSelector selector;
    for (const std::string& term : terms_of(text)) {
        if (term.empty()) continue;
        auto at = std::min(term.find("!="), term.find('='));
        if (at == std::string::npos) {
            return refused("invalid selector: '" + std::string(text) + "'; can't understand '" + term + "'");
        }
        bool equal = term[at] == '=';
        std::size_t length = !equal || term.compare(at, 2, "==") == 0 ? 2 : 1;
        Result<std::string> value = unescaped(std::string_view(term).substr(at + length));
        if (!value) return value.error();
        selector.requirements_.push_back({term.substr(0, at), equal, std::move(*value)});
    }
    return selector;
}

std::vector<std::string> FieldSelector::unsupported(const std::vector<std::string>& supported) const {
    std::vector<std::string> fields;
    for (const Requirement& requirement : requirements_) {
        bool known = std::ranges::find(supported, requirement.field) != supported.end();
        if (!known) fields.push_back(requirement.field);
    }
    return fields;
}

bool FieldSelector::matches(const nlohmann::json& object) const {
    return std::ranges::all_of(requirements_, [&](const Requirement& requirement) {
        return (text_at(object, requirement.field) == requirement.value) == requirement.equal;
    });
}

std::string FieldSelector::exact_name() const {
    for (const Requirement& requirement : requirements_) {
        if (requirement.field == "metadata.name" && requirement.equal) return requirement.value;
    }
    return "";
}

}  // namespace atl::schema
