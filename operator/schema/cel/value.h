#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include <nlohmann/json.hpp>

#include "operator/schema/cel/networks.h"
#include "operator/schema/cel/quantity.h"
#include "operator/schema/cel/times.h"
#include "operator/schema/cel/type.h"

namespace atl::schema::cel {

class Value;
using Values = std::vector<Value>;
using Entries = std::vector<std::pair<Value, Value>>;

/// A text that is owned, or lies in an object that outlives the evaluation.
class Text {
public:
    static Text view(std::string_view text) { return Text(nullptr, text); }
    static Text own(std::string text) {
        auto owned = std::make_shared<const std::string>(std::move(text));
        std::string_view all(*owned);
        return Text(std::move(owned), all);
    }
    std::string_view get() const { return view_; }

private:
    Text(std::shared_ptr<const std::string> owned, std::string_view view) : owned_(std::move(owned)), view_(view) {}
    std::shared_ptr<const std::string> owned_;
    std::string_view view_;
};

struct BytesValue {
    Text text;
};
struct DurationValue {
    std::int64_t nanos = 0;
};
struct TypeValue {
    std::string name;
};
struct UrlValue {
    std::string text;
};
struct ListValue {
    std::shared_ptr<const Values> items;
};
struct MapValue {
    std::shared_ptr<const Entries> entries;
};
struct OptionalValue {
    std::shared_ptr<const Value> value;  ///< null: none
};
/// A list, map or object of the document under validation; what is in it is converted when it is looked at.
struct Node {
    const nlohmann::json* json = nullptr;
    const Type* type = nullptr;
};
/// What is asked of the rights of a user; see authorization.h.
struct RightsQuestion;
struct RightsValue {
    Kind kind = Kind::Authorizer;
    std::shared_ptr<const RightsQuestion> question;
};
/// An evaluation that failed. Passed on by everything but && || and ?:.
struct Failure {
    std::string message;
};

/// A value of the expression language. Cheap to copy.
class Value {
public:
    using Alternatives = std::variant<std::monostate, bool, std::int64_t, std::uint64_t, double, Text, BytesValue,
                                      DurationValue, Timestamp, TypeValue, ListValue, MapValue, OptionalValue, Node, Ip,
                                      Cidr, Quantity, UrlValue, RightsValue, Failure>;

    Value() = default;
    template <class T>
        requires std::is_constructible_v<Alternatives, T> && (!std::is_same_v<std::decay_t<T>, Value>)
    Value(T value) : state_(std::move(value)) {}

    static Value text(std::string text) { return Value(Text::own(std::move(text))); }
    static Value list(Values items) { return Value(ListValue{std::make_shared<const Values>(std::move(items))}); }
    static Value map(Entries entries) { return Value(MapValue{std::make_shared<const Entries>(std::move(entries))}); }
    static Value some(Value value) { return Value(OptionalValue{std::make_shared<const Value>(std::move(value))}); }
    static Value none() { return Value(OptionalValue{}); }
    static Value fail(std::string message) { return Value(Failure{std::move(message)}); }

    template <class T>
    const T* as() const {
        return std::get_if<T>(&state_);
    }
    bool failed() const { return std::holds_alternative<Failure>(state_); }
    bool is_true() const { return as<bool>() != nullptr && *as<bool>(); }
    /// The text of a string; "" for anything else.
    std::string_view string() const { return as<Text>() != nullptr ? as<Text>()->get() : std::string_view(); }
    std::int64_t integer() const { return as<std::int64_t>() != nullptr ? *as<std::int64_t>() : 0; }
    Kind kind() const;

private:
    Alternatives state_;
};

/// A value of the document, seen as the type that the schema gives it.
Value from_json(const nlohmann::json& json, const Type* type);

/// Lists of either make.
bool is_list(const Value& value);
std::size_t list_size(const Value& list);
Value list_item(const Value& list, std::size_t at);

/// Maps and objects of either make.
bool is_map(const Value& value);
std::size_t map_size(const Value& map);
/// The keys, in order.
Values map_keys(const Value& map);
/// Looks a key up; a Failure "no such key: x" if it is not there.
Value map_get(const Value& map, const Value& key);
bool map_has(const Value& map, const Value& key);

/// CEL's equality: numbers by value whatever their type; lists of type set and map without order.
bool equals(const Value& a, const Value& b);
/// -1, 0, 1; nullopt if the two cannot be ordered.
std::optional<int> compare(const Value& a, const Value& b);

}  // namespace atl::schema::cel
