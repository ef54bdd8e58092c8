#include <map>
#include <set>
#include <string>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "crds/definitions.h"
#include "crds/stack_shapes.h"

namespace atl::crds {
namespace {

using nlohmann::json;

/// What one side says about a field: its type, whether it must be there, its default (null: none), its enum.
struct FieldFacts {
    std::string type;
    bool required = false;
    json default_value;
    std::set<std::string> allowed;
};
using Facts = std::map<std::string, FieldFacts>;

/// Lists the fields of a struct as the C++ side reads them.
class Lister {
public:
    static constexpr bool kLooks = false;
    Lister(std::string path, Facts& facts) : path_(std::move(path)), facts_(facts) {}

    template <class T>
    void field(std::string_view name, T& value, Presence presence = Presence::Optional) {
        FieldFacts facts;
        facts.required = presence == Presence::Required;
        add(path_ + "." + std::string(name), value, facts);
    }

private:
    void put(const std::string& path, FieldFacts facts, const std::string& type) {
        facts.type = type;
        facts_[path] = std::move(facts);
    }
    void add(const std::string& path, std::string& value, FieldFacts facts) {
        if (!value.empty()) facts.default_value = value;
        put(path, facts, "string");
    }
    void add(const std::string& path, std::int64_t& value, FieldFacts facts) {
        facts.default_value = value;
        put(path, facts, "integer");
    }
    void add(const std::string& path, bool& value, FieldFacts facts) {
        facts.default_value = value;
        put(path, facts, "boolean");
    }
    void add(const std::string& path, IntOrString& value, FieldFacts facts) {
        facts.default_value = Writer::write(value);
        put(path, facts, "int-or-string");
    }
    void add(const std::string& path, std::map<std::string, std::string>&, FieldFacts facts) {
        put(path, facts, "map");
    }
    template <class T>
    void add(const std::string& path, std::optional<T>& value, FieldFacts facts) {
        T inner{};
        if (value) inner = *value;
        add(path, inner, facts);
        facts_[path].default_value = nullptr;
    }
    template <class T>
    void add(const std::string& path, std::vector<T>&, FieldFacts facts) {
        put(path, facts, "array");
        T item{};
        add(path + "[]", item, {});
    }
    template <class E>
        requires std::is_enum_v<E>
    void add(const std::string& path, E&, FieldFacts facts) {
        facts.default_value = EnumNames<E>::kRows[0].second;
        for (const auto& [value, name] : EnumNames<E>::kRows) facts.allowed.insert(std::string(name));
        put(path, facts, "string");
    }
    template <class T>
        requires std::is_class_v<T>
    void add(const std::string& path, T& value, FieldFacts facts) {
        put(path, facts, "object");
        Lister lister(path, facts_);
        fields(lister, value);
    }

    std::string path_;
    Facts& facts_;
};

template <class T>
Facts facts_of_type() {
    Facts facts;
    T value{};
    Lister lister("", facts);
    fields(lister, value);
    return facts;
}

void collect(const json& schema, const std::string& path, bool required, Facts& facts) {
    FieldFacts fact;
    fact.type = schema.contains("x-kubernetes-int-or-string") ? "int-or-string" : schema.value("type", "");
    fact.required = required;
    fact.default_value = schema.value("default", json());
    for (const json& name : schema.value("enum", json::array())) fact.allowed.insert(name.get<std::string>());
    if (!path.empty()) facts[path] = fact;
    if (schema.contains("items")) collect(schema["items"], path + "[]", false, facts);
    if (!schema.contains("properties")) return;
    std::set<std::string> names;
    for (const json& name : schema.value("required", json::array())) names.insert(name.get<std::string>());
    for (const auto& [name, field] : schema["properties"].items())
        collect(field, path + "." + name, names.contains(name), facts);
}

Facts facts_of_schema(std::size_t index) {
    Facts facts;
    collect(definitions()[index]["spec"]["versions"][0]["schema"]["openAPIV3Schema"], "", false, facts);
    return facts;
}

bool is_ours(const std::string& path) {
    return path.starts_with(".spec") || path.starts_with(".status");
}

void expect_agreement(const Facts& types, const Facts& schema) {
    for (const auto& [path, fact] : schema) {
        if (!is_ours(path)) continue;
        auto found = types.find(path);
        if (found == types.end()) {
            ADD_FAILURE() << path << " is in the schema, and nothing reads it";
            continue;
        }
        EXPECT_EQ(found->second.type, fact.type) << path;
        // The one default of C++ that the schema does not have: the socket makes no sense for machines of others.
        bool stricter = path == ".spec.infrastructure.existing.machines[].engine.host";
        EXPECT_EQ(found->second.required, fact.required && !stricter) << path << ": required";
        if (!found->second.allowed.empty()) {
            EXPECT_EQ(found->second.allowed, fact.allowed) << path << ": values";
        }
        if (fact.type == "object" || fact.type == "array" || fact.default_value.is_null()) continue;
        EXPECT_EQ(found->second.default_value, fact.default_value) << path << ": default";
    }
    for (const auto& [path, fact] : types)
        if (is_ours(path)) {
            EXPECT_TRUE(schema.contains(path)) << path << " is read, and not in the schema";
        }
}

TEST(Agreement, OfTheClusterTypesAndTheirSchema) {
    expect_agreement(facts_of_type<Cluster>(), facts_of_schema(0));
}

TEST(Agreement, OfTheStackTypesAndTheirSchema) {
    expect_agreement(facts_of_type<Stack>(), facts_of_schema(1));
}

TEST(Agreement, OfTheServiceInstanceTypesAndTheirSchema) {
    expect_agreement(facts_of_type<ServiceInstance>(), facts_of_schema(2));
}

TEST(Agreement, OfTheMachineTypesAndTheirSchema) {
    expect_agreement(facts_of_type<Machine>(), facts_of_schema(3));
}

TEST(Agreement, IsMissedWhenAFieldIsMissing) {
    Facts types = facts_of_type<Machine>();
    Facts schema = facts_of_schema(3);
    EXPECT_TRUE(types.contains(".status.engine.version"));
    EXPECT_TRUE(schema.contains(".status.conditions[].lastTransitionTime"));
    EXPECT_EQ(schema[".spec.clusterRef"].required, true);
    EXPECT_EQ(types[".spec.role"].default_value, "worker");
    EXPECT_GT(facts_of_type<Stack>().size(), 120u) << "the walk goes all the way down";
}

}  // namespace
}  // namespace atl::crds
