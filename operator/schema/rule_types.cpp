#include "operator/schema/rules.h"

namespace atl::schema {
namespace {

using cel::Kind;
using cel::TypePtr;

void add_field(cel::Type& type, const std::string& name, TypePtr field) {
    std::string visible = cel::escape(name);
    if (field && !visible.empty()) type.fields.insert_or_assign(visible, cel::Type::Field{name, std::move(field)});
}

/// What every resource has, whatever its schema says.
void add_resource_fields(cel::Type& type) {
    auto metadata = std::make_shared<cel::Type>();
    metadata->kind = Kind::Object;
    add_field(*metadata, "name", cel::simple(Kind::String));
    add_field(*metadata, "generateName", cel::simple(Kind::String));
    add_field(type, "apiVersion", cel::simple(Kind::String));
    add_field(type, "kind", cel::simple(Kind::String));
    add_field(type, "metadata", metadata);
}

TypePtr object_type(const Structural& node) {
    if (node.additional) {
        TypePtr value = rule_type(*node.additional);
        return value ? cel::map_of(cel::simple(Kind::String), value) : nullptr;
    }
    auto type = std::make_shared<cel::Type>();
    type->kind = Kind::Object;
    for (const auto& [name, property] : node.properties) add_field(*type, name, rule_type(property));
    if (node.embedded_resource) add_resource_fields(*type);
    return type;
}

TypePtr list_type(const Structural& node) {
    TypePtr element = node.items ? rule_type(*node.items) : nullptr;
    if (!element) return nullptr;
    auto type = std::make_shared<cel::Type>();
    type->kind = Kind::List;
    type->element = std::move(element);
    type->list_keys = node.list_keys;
    type->order = node.list_type == ListType::Set   ? cel::ListOrder::Set
                  : node.list_type == ListType::Map ? cel::ListOrder::Map
                                                    : cel::ListOrder::Ordered;
    return type;
}

TypePtr string_type(const std::string& format) {
    if (format == "byte") return cel::simple(Kind::Bytes);
    if (format == "duration") return cel::simple(Kind::Duration);
    if (format == "date" || format == "date-time") return cel::simple(Kind::Timestamp);
    return cel::simple(Kind::String);
}

}  // namespace

TypePtr rule_type(const Structural& node) {
    if (node.int_or_string) return cel::simple(Kind::Dyn);
    switch (node.type) {
        case ValueType::Object:
            return object_type(node);
        case ValueType::Array:
            return list_type(node);
        case ValueType::String:
            return string_type(node.checks.format);
        case ValueType::Boolean:
            return cel::simple(Kind::Bool);
        case ValueType::Number:
            return cel::simple(Kind::Double);
        case ValueType::Integer:
            return cel::simple(Kind::Int);
        case ValueType::Any:
            return nullptr;
    }
    return nullptr;
}

}  // namespace atl::schema
