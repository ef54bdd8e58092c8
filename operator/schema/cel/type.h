#pragma once

#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace atl::schema::cel {

enum class Kind {
    Dyn,
    Null,
    Bool,
    Int,
    Uint,
    Double,
    String,
    Bytes,
    Duration,
    Timestamp,
    Type,
    List,
    Map,
    Object,
    Optional,
    Ip,
    Cidr,
    Quantity,
    Url,
    Authorizer,     ///< of Kubernetes: asks for the rights of who makes a request
    PathCheck,      ///< of a path that is no resource
    GroupCheck,     ///< of an API group
    ResourceCheck,  ///< of a resource
    Decision,       ///< its answer
    Parameter,      ///< "A" in a signature; bound while a call is checked
};

struct Type;
using TypePtr = std::shared_ptr<const Type>;

/// How two lists are compared and added: Kubernetes' list types.
enum class ListOrder { Ordered, Set, Map };

/// A type, as the checker knows it and as values of objects carry it.
struct Type {
    Kind kind = Kind::Dyn;
    std::string name;  ///< of a Parameter
    TypePtr key;       ///< of a Map
    TypePtr element;   ///< of a List, Map or Optional

    struct Field {
        std::string json_name;
        TypePtr type;
    };
    std::map<std::string, Field, std::less<>> fields;  ///< of an Object, by the name that rules use
    ListOrder order = ListOrder::Ordered;
    std::vector<std::string> list_keys;
};

/// The type of a kind without parts. Shared; lives as long as the process.
const TypePtr& simple(Kind kind);
TypePtr list_of(TypePtr element);
TypePtr map_of(TypePtr key, TypePtr value);
TypePtr optional_of(TypePtr element);

/// "list(string)", as errors of the checker name it.
std::string type_text(const TypePtr& type);
/// What type(x) gives: "int", "google.protobuf.Timestamp", "list".
std::string_view runtime_name(Kind kind);

/// The name by which a rule reaches a field: "type" is fine, "namespace" is "__namespace__", "a-b" is "a__dash__b"; ""
/// if there is none.
std::string escape(std::string_view field);

/// Reads a type of a signature: "list(A)", "map(string, int)", "string". Only for the tables of this library.
TypePtr parse_type(std::string_view& text);

}  // namespace atl::schema::cel
