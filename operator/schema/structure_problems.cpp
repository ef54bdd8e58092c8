#include <set>

#include "operator/schema/go_text.h"
#include "operator/schema/typed_value.h"

namespace atl::schema {
namespace {

/// A value as Go's %v prints it, which is what server-side apply shows.
std::string go_value(const Json& value) {
    if (value.is_string()) return value.get<std::string>();
    if (value.is_null()) return "<nil>";
    std::string all;
    if (value.is_object()) {
        for (const auto& [key, member] : value.items()) all += (all.empty() ? "" : " ") + key + ":" + go_value(member);
        return "map[" + all + "]";
    }
    if (value.is_array()) {
        for (const Json& item : value) all += (all.empty() ? "" : " ") + go_value(item);
        return "[" + all + "]";
    }
    return go_json(value);
}

std::string go_type(const Json& value) {
    if (value.is_string()) return "string";
    if (value.is_boolean()) return "bool";
    return value.is_object() ? "map" : "list";
}

/// Walks a value beside its schema and writes down what does not fit.
class StructureChecker {
public:
    std::vector<std::string> problems;

    void check(const Json& value, const Structural* node, const std::string& path) {
        if (node == nullptr || value.is_null() || node->int_or_string) return;
        switch (node->type) {
            case ValueType::Object:
                return check_object(value, *node, path);
            case ValueType::Array:
                return check_list(value, *node, path);
            case ValueType::String:
                if (!value.is_string())
                    report(path, "expected string, got &value.valueUnstructured{Value:" + go_value(value) + "}");
                return;
            case ValueType::Boolean:
                if (!value.is_boolean()) report(path, "expected boolean, got &{" + go_value(value) + "}");
                return;
            case ValueType::Integer:
            case ValueType::Number:
                if (!value.is_number()) report(path, "expected numeric (int or float), got " + go_type(value));
                return;
            case ValueType::Any:
                return;
        }
    }

private:
    void report(const std::string& path, const std::string& problem) { problems.push_back(path + ": " + problem); }

    void check_object(const Json& value, const Structural& node, const std::string& path) {
        if (!value.is_object()) return report(path, "expected map, got &{" + go_value(value) + "}");
        for (auto member = value.begin(); member != value.end(); ++member) {
            const std::string& name = member.key();
            std::string below = path + "." + name;
            bool type_meta = node.embedded_resource && (name == "apiVersion" || name == "kind");
            const Structural* schema = member_schema(&node, name);
            bool known = schema != nullptr || type_meta || node.preserve_unknown || node.additional_allowed;
            if (known) {
                check(*member, schema, below);
            } else {
                report(below, "field not declared in schema");
            }
        }
    }

    void check_list(const Json& value, const Structural& node, const std::string& path) {
        if (!value.is_array()) return report(path, "expected list, got &{" + go_value(value) + "}");
        std::set<std::string> seen;
        for (std::size_t i = 0; i < value.size(); ++i) {
            std::string place = "[" + std::to_string(i) + "]";
            if (!is_atomic_list(&node)) {
                std::string step = item_step(node, value[i]);
                std::string problem = key_problem(value[i], node, step, i);
                if (!problem.empty()) {
                    report(path, problem);
                    continue;
                }
                FieldSet one;
                one.children[step].member = true;
                place = one.paths().front();
                if (!seen.insert(step).second) report(path, "duplicate entries for key " + place);
            }
            check(value[i], node.items.get(), path + place);
        }
    }

    static std::string key_problem(const Json& item, const Structural& node, const std::string& step, std::size_t at) {
        std::string element = "element " + std::to_string(at) + ": ";
        if (node.list_type == ListType::Set) {
            return item.is_null() ? element + "associative list without keys has an element that's an explicit null"
                                  : "";
        }
        if (!item.is_object()) return element + "associative list with keys may not have non-map elements";
        if (step != "k:{}") return "";
        std::string keys;
        for (const std::string& key : node.list_keys) keys += (keys.empty() ? "" : " ") + go_quote(key);
        return element + "associative list with keys has an element that omits all key fields [" + keys +
               "] (and doesn't have default values for any key fields)";
    }
};

}  // namespace

std::vector<std::string> structure_problems(const Json& value, const Structural* node) {
    StructureChecker checker;
    checker.check(value, node, "");
    return std::move(checker.problems);
}

}  // namespace atl::schema
