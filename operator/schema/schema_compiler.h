#pragma once

#include <string>

#include "operator/schema/crd_schema.h"
#include "operator/schema/structural.h"

namespace atl::schema {

/// Turns an openAPIV3Schema into a tree of Structural nodes, and collects everything that kube-apiserver would refuse
/// in it, in its words. One object compiles one schema. CEL rules are kept as text; see rules.h.
class SchemaCompiler {
public:
    SchemaCompiler(FieldErrors& errors, bool is_resource_root) : errors_(errors), resource_root_(is_resource_root) {}

    Structural compile(const Json& schema, const std::string& path);

private:
    enum class Level { Root, Item, Field };

    /// Where in the schema the compiler is.
    struct Place {
        std::string path;
        Level level = Level::Root;
        bool nested = false;       ///< below allOf, anyOf, oneOf or not: value checks only
        bool inside_meta = false;  ///< below the metadata of a resource
        std::string no_default;    ///< why defaults are refused here: "in top-level metadata"
        int depth = 0;

        Place at(const std::string& step, Level next) const;
        std::string of(const std::string& key) const { return path + "." + key; }
    };

    Structural node(const Json& schema, const Place& place);
    void read_type(const Json& schema, Structural& node, const Place& place);
    void read_flags(const Json& schema, Structural& node, const Place& place);
    void read_list_type(const Json& schema, Structural& node, const Place& place);
    void read_map_type(const Json& schema, Structural& node, const Place& place);
    void read_limits(const Json& schema, ValueChecks& checks, const Place& place);
    void read_texts(const Json& schema, Structural& node, const Place& place);
    void read_default(const Json& schema, Structural& node, const Place& place);
    void read_properties(const Json& schema, Structural& node, const Place& place);
    void read_items(const Json& schema, Structural& node, const Place& place);
    void read_additional(const Json& schema, Structural& node, const Place& place);
    void read_junctors(const Json& schema, Structural& node, const Place& place);
    std::vector<Structural> read_branches(const Json& schema, const char* key, const Place& place, bool keep_types);
    void read_rules(const Json& schema, Structural& node, const Place& place);

    void check_structural(const Structural& node, const Place& place);
    void check_metadata(const Structural& node, const Place& place);
    void check_nested(const Json& schema, const Structural& node, const Place& place);
    void check_list_map(const Structural& node, const Place& place);
    void check_unsupported(const Json& schema, const Place& place);
    void check_complete(const Structural& checks, const Structural& spine, const std::string& spine_path,
                        const std::string& path);
    void check_branches_complete(const Structural& checks, const Structural& spine, const std::string& spine_path,
                                 const std::string& path);
    void check_rule(const Json& rule, const std::string& path);

    /// Typed members of a schema; a wrong type is an error and counts as absent.
    const Json* member(const Json& schema, const char* key, Json::value_t type, const Place& place);
    bool flag(const Json& schema, const char* key, const Place& place);
    std::string text(const Json& schema, const char* key, const Place& place);
    std::optional<double> number(const Json& schema, const char* key, const Place& place);
    std::optional<std::int64_t> count(const Json& schema, const char* key, const Place& place);
    std::vector<std::string> texts(const Json& schema, const char* key, const Place& place);

    FieldErrors& errors_;
    bool resource_root_;
};

/// Whether a field path of a rule (".spec.x", "['a.b']") leads to a field of the schema.
bool is_field_path_of(const Structural& node, std::string_view path);

}  // namespace atl::schema
