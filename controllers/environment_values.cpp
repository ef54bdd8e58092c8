#include "controllers/environment_values.h"

#include <optional>
#include <utility>

namespace atl::controllers {

namespace {

using namespace std::chrono_literals;

struct Variable {
    std::string value;
    bool secret = false;
};
using Variables = std::map<std::string, Variable>;

Error missing(const std::string& what) {
    return Error::waiting("ContentMissing", what + " does not exist; create it, or mark the reference optional", 30s);
}

/// The value of a key; nullopt if it is missing and may be.
Result<std::optional<std::string>> look_up(const std::map<std::string, Content::Values>& objects,
                                           const std::string& kind, const crds::KeySelector& selector) {
    const auto object = objects.find(selector.name);
    if (object == objects.end()) {
        if (selector.optional) return std::optional<std::string>();
        return missing(kind + " \"" + selector.name + "\"");
    }
    const auto value = object->second.find(selector.key);
    if (value == object->second.end()) {
        if (selector.optional) return std::optional<std::string>();
        return missing("key \"" + selector.key + "\" of " + kind + " \"" + selector.name + "\"");
    }
    return std::optional<std::string>(value->second);
}

Result<Unit> add_all(const std::map<std::string, Content::Values>& objects, const std::string& kind,
                     const crds::ObjectSelector& selector, std::pair<const std::string&, Variables&> into) {
    const auto object = objects.find(selector.name);
    if (object == objects.end()) {
        if (selector.optional) return ok();
        return missing(kind + " \"" + selector.name + "\"");
    }
    for (const auto& [key, value] : object->second) {
        into.second[into.first + key] = Variable{value, kind == "Secret"};
    }
    return ok();
}

Result<Variables> from_sources(const crds::Container& container, const Content& content) {
    Variables variables;
    for (const crds::EnvFrom& source : container.env_from) {
        Result<Unit> added = ok();
        if (source.config_map_ref) {
            added = add_all(content.config_maps, "ConfigMap", *source.config_map_ref, {source.prefix, variables});
        } else if (source.secret_ref) {
            added = add_all(content.secrets, "Secret", *source.secret_ref, {source.prefix, variables});
        }
        if (!added.ok()) return added.error();
    }
    return variables;
}

/// The value of one variable; nullopt if an optional reference leads nowhere.
Result<std::optional<Variable>> value_of(const crds::EnvVar& variable, const Content& content) {
    if (!variable.value_from) return std::optional<Variable>(Variable{variable.value.value_or(""), false});
    const bool secret = variable.value_from->secret_key_ref.has_value();
    if (!secret && !variable.value_from->config_map_key_ref) return std::optional<Variable>();
    auto found = secret ? look_up(content.secrets, "Secret", *variable.value_from->secret_key_ref)
                        : look_up(content.config_maps, "ConfigMap", *variable.value_from->config_map_key_ref);
    if (!found.ok()) return found.error();
    if (!*found) return std::optional<Variable>();
    return std::optional<Variable>(Variable{**found, secret});
}

/// Whether the text draws on a secret variable by $(NAME).
bool draws_on_secret(const std::string& text, const Variables& variables) {
    for (const auto& [name, variable] : variables) {
        if (variable.secret && text.find("$(" + name + ")") != std::string::npos) return true;
    }
    return false;
}

std::map<std::string, std::string> values(const Variables& variables) {
    std::map<std::string, std::string> result;
    for (const auto& [name, variable] : variables) result[name] = variable.value;
    return result;
}

}  // namespace

std::string expand(const std::string& text, const std::map<std::string, std::string>& variables) {
    std::string expanded;
    for (std::size_t i = 0; i < text.size(); ++i) {
        if (text[i] != '$' || i + 1 >= text.size()) {
            expanded.push_back(text[i]);
            continue;
        }
        if (text[i + 1] == '$') {
            expanded.push_back('$');
            ++i;
            continue;
        }
        const std::size_t close = text[i + 1] == '(' ? text.find(')', i) : std::string::npos;
        const auto variable =
            close == std::string::npos ? variables.end() : variables.find(text.substr(i + 2, close - i - 2));
        if (variable == variables.end()) {
            expanded.push_back('$');
            continue;
        }
        expanded += variable->second;
        i = close;
    }
    return expanded;
}

Result<EnvironmentValues> environment_of(const crds::Container& container, const Content& content) {
    auto variables = from_sources(container, content);
    if (!variables.ok()) return variables.error();
    for (const crds::EnvVar& variable : container.env) {
        auto value = value_of(variable, content);
        if (!value.ok()) return value.error();
        if (!*value) continue;
        if (variable.value) {
            (*value)->secret = draws_on_secret((*value)->value, *variables);
            (*value)->value = expand((*value)->value, values(*variables));
        }
        (*variables)[variable.name] = **value;
    }
    EnvironmentValues result;
    for (auto& [name, variable] : *variables) {
        (variable.secret ? result.secret : result.shown).push_back({name, variable.value});
    }
    return result;
}

}  // namespace atl::controllers
