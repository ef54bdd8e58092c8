#include "operator/schema/cel/type.h"

#include <algorithm>
#include <array>

namespace atl::schema::cel {
namespace {

struct KindRow {
    Kind kind;
    std::string_view word;     ///< in signatures and errors
    std::string_view runtime;  ///< what type() gives
};

// clang-format off
constexpr KindRow kKinds[] = {
    {Kind::Dyn,       "dyn",       "dyn"},
    {Kind::Null,      "null",      "null_type"},
    {Kind::Bool,      "bool",      "bool"},
    {Kind::Int,       "int",       "int"},
    {Kind::Uint,      "uint",      "uint"},
    {Kind::Double,    "double",    "double"},
    {Kind::String,    "string",    "string"},
    {Kind::Bytes,     "bytes",     "bytes"},
    {Kind::Duration,  "duration",  "google.protobuf.Duration"},
    {Kind::Timestamp, "timestamp", "google.protobuf.Timestamp"},
    {Kind::Type,      "type",      "type"},
    {Kind::List,      "list",      "list"},
    {Kind::Map,       "map",       "map"},
    {Kind::Object,    "object",    "object"},
    {Kind::Optional,  "optional",  "optional_type"},
    {Kind::Ip,        "ip",        "net.IP"},
    {Kind::Cidr,      "cidr",      "net.CIDR"},
    {Kind::Quantity,  "quantity",  "kubernetes.Quantity"},
    {Kind::Url,       "url",       "kubernetes.URL"},
    {Kind::Authorizer,    "authorizer",     "kubernetes.authorization.Authorizer"},
    {Kind::PathCheck,     "path_check",     "kubernetes.authorization.PathCheck"},
    {Kind::GroupCheck,    "group_check",    "kubernetes.authorization.GroupCheck"},
    {Kind::ResourceCheck, "resource_check", "kubernetes.authorization.ResourceCheck"},
    {Kind::Decision,      "decision",       "kubernetes.authorization.Decision"},
    {Kind::Parameter, "",          ""},
};

constexpr std::string_view kReserved[] = {"true", "false", "null",     "in",   "as",   "break",    "const",
                                          "continue", "else", "for",    "function", "if",   "import", "let",
                                          "loop", "package", "namespace", "return", "var", "void", "while"};
// clang-format on

const KindRow& row_of(Kind kind) {
    return *std::ranges::find(kKinds, kind, &KindRow::kind);
}

bool is_identifier(std::string_view text) {
    auto letter = [](char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_'; };
    if (text.empty() || !letter(text.front())) return false;
    return std::ranges::all_of(text, [&](char c) { return letter(c) || (c >= '0' && c <= '9'); });
}

void skip_spaces(std::string_view& text) {
    while (!text.empty() && (text.front() == ' ' || text.front() == ',')) text.remove_prefix(1);
}

TypePtr with_parts(Kind kind, TypePtr key, TypePtr element) {
    auto type = std::make_shared<Type>();
    type->kind = kind;
    type->key = std::move(key);
    type->element = std::move(element);
    return type;
}

}  // namespace

const TypePtr& simple(Kind kind) {
    static const auto all = [] {
        std::array<TypePtr, std::size(kKinds)> types;
        for (const KindRow& row : kKinds) {
            auto type = std::make_shared<Type>();
            type->kind = row.kind;
            types[static_cast<std::size_t>(row.kind)] = std::move(type);
        }
        return types;
    }();
    return all[static_cast<std::size_t>(kind)];
}

TypePtr list_of(TypePtr element) {
    return with_parts(Kind::List, nullptr, std::move(element));
}

TypePtr map_of(TypePtr key, TypePtr value) {
    return with_parts(Kind::Map, std::move(key), std::move(value));
}

TypePtr optional_of(TypePtr element) {
    return with_parts(Kind::Optional, nullptr, std::move(element));
}

std::string type_text(const TypePtr& type) {
    switch (type->kind) {
        case Kind::List:
            return "list(" + type_text(type->element) + ")";
        case Kind::Map:
            return "map(" + type_text(type->key) + ", " + type_text(type->element) + ")";
        case Kind::Optional:
            return "optional_type(" + type_text(type->element) + ")";
        case Kind::Parameter:
            return type->name;
        case Kind::Duration:
        case Kind::Timestamp:
        case Kind::Ip:
        case Kind::Cidr:
        case Kind::Quantity:
        case Kind::Url:
        case Kind::Authorizer:
        case Kind::PathCheck:
        case Kind::GroupCheck:
        case Kind::ResourceCheck:
        case Kind::Decision:
            return std::string(row_of(type->kind).runtime);
        default:
            return std::string(row_of(type->kind).word);
    }
}

std::string_view runtime_name(Kind kind) {
    return row_of(kind).runtime;
}

std::string escape(std::string_view field) {
    if (std::ranges::find(kReserved, field) != std::end(kReserved)) return "__" + std::string(field) + "__";
    std::string out;
    for (std::size_t i = 0; i < field.size(); ++i) {
        if (field[i] == '_' && i + 1 < field.size() && field[i + 1] == '_') {
            out += "__underscores__";
            ++i;
        } else if (field[i] == '.') {
            out += "__dot__";
        } else if (field[i] == '-') {
            out += "__dash__";
        } else if (field[i] == '/') {
            out += "__slash__";
        } else {
            out += field[i];
        }
    }
    return is_identifier(out) && !(field.front() >= '0' && field.front() <= '9') ? out : "";
}

TypePtr parse_type(std::string_view& text) {
    skip_spaces(text);
    std::size_t length = 0;
    while (length < text.size() && is_identifier(text.substr(0, length + 1))) ++length;
    std::string_view word = text.substr(0, length);
    text.remove_prefix(length);
    std::vector<TypePtr> parts;
    bool takes_parts = word == "list" || word == "map" || word == "optional";
    if (takes_parts && text.starts_with("(")) {
        text.remove_prefix(1);
        while (!text.empty() && text.front() != ')') {
            parts.push_back(parse_type(text));
            skip_spaces(text);
        }
        text.remove_prefix(text.empty() ? 0 : 1);
    }
    if (word == "list") return list_of(parts.at(0));
    if (word == "map") return map_of(parts.at(0), parts.at(1));
    if (word == "optional") return optional_of(parts.at(0));
    auto row = std::ranges::find(kKinds, word, &KindRow::word);
    if (row != std::end(kKinds) && !word.empty()) return simple(row->kind);
    auto parameter = std::make_shared<Type>();
    parameter->kind = Kind::Parameter;
    parameter->name = std::string(word);
    return parameter;
}

}  // namespace atl::schema::cel
