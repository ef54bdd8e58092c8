#include "operator/schema/cel/value.h"

#include <algorithm>
#include <cmath>

namespace atl::schema::cel {
namespace {

using Json = nlohmann::json;

/// The six bits that the letter stands for; -1 if it is none of the alphabet.
int base64_value(char c) {
    if (c >= 'A' && c <= 'Z') return c - 'A';
    if (c >= 'a' && c <= 'z') return c - 'a' + 26;
    if (c >= '0' && c <= '9') return c - '0' + 52;
    if (c == '+') return 62;
    return c == '/' ? 63 : -1;
}

std::string decode_base64(std::string_view text) {
    std::string out;
    std::uint32_t bits = 0;
    int count = 0;
    for (char c : text) {
        int value = base64_value(c);
        if (value < 0) continue;
        bits = (bits << 6) | static_cast<std::uint32_t>(value);
        count += 6;
        if (count < 8) continue;
        count -= 8;
        out += static_cast<char>((bits >> count) & 0xFF);
    }
    return out;
}

Value text_as(const std::string& text, Kind kind) {
    if (kind == Kind::Bytes) return Value(BytesValue{Text::own(decode_base64(text))});
    if (kind == Kind::Duration) {
        auto nanos = parse_duration(text);
        if (!nanos) return Value::fail("Invalid duration string: " + text);
        return Value(DurationValue{*nanos});
    }
    if (kind == Kind::Timestamp) {
        auto time = parse_timestamp(text);
        if (!time) time = parse_date(text);
        if (!time) return Value::fail("Invalid date-time string: " + text);
        return Value(*time);
    }
    return Value(Text::view(text));
}

const Type* part(const TypePtr& type) {
    return type ? type.get() : simple(Kind::Dyn).get();
}

const Type& type_of(const Node& node) {
    return node.type != nullptr ? *node.type : *simple(Kind::Dyn);
}

/// The JSON member behind a key of a map or an (escaped) field of an object, and its type.
std::pair<const Json*, const Type*> member(const Node& node, std::string_view key) {
    const Type& type = type_of(node);
    const Type* below = type.kind == Kind::Map ? part(type.element) : simple(Kind::Dyn).get();
    if (type.kind == Kind::Object) {
        auto field = type.fields.find(key);
        if (field == type.fields.end()) return {nullptr, below};
        key = field->second.json_name;
        below = field->second.type.get();
    }
    auto found = node.json->find(key);
    if (found == node.json->end()) return {nullptr, below};
    return {&*found, below};
}

std::optional<double> number(const Value& value) {
    if (const auto* i = value.as<std::int64_t>()) return static_cast<double>(*i);
    if (const auto* u = value.as<std::uint64_t>()) return static_cast<double>(*u);
    if (const auto* d = value.as<double>()) return *d;
    return std::nullopt;
}

template <class T>
int order(const T& a, const T& b) {
    return a < b ? -1 : b < a ? 1 : 0;
}

bool is_unordered(const Value& list) {
    const Node* node = list.as<Node>();
    return node != nullptr && type_of(*node).order != ListOrder::Ordered;
}

bool lists_equal(const Value& a, const Value& b) {
    std::size_t size = list_size(a);
    if (size != list_size(b)) return false;
    bool anywhere = is_unordered(a) || is_unordered(b);
    for (std::size_t i = 0; i < size; ++i) {
        Value item = list_item(a, i);
        bool found = equals(item, list_item(b, i));
        for (std::size_t j = 0; anywhere && !found && j < size; ++j) found = equals(item, list_item(b, j));
        if (!found) return false;
    }
    return true;
}

bool maps_equal(const Value& a, const Value& b) {
    if (map_size(a) != map_size(b)) return false;
    for (const Value& key : map_keys(a)) {
        if (!map_has(b, key) || !equals(map_get(a, key), map_get(b, key))) return false;
    }
    return true;
}

bool optionals_equal(const OptionalValue& a, const OptionalValue& b) {
    if (!a.value || !b.value) return !a.value && !b.value;
    return equals(*a.value, *b.value);
}

std::string key_text(const Value& key) {
    if (key.as<Text>() != nullptr) return std::string(key.string());
    if (const auto* i = key.as<std::int64_t>()) return std::to_string(*i);
    if (const auto* u = key.as<std::uint64_t>()) return std::to_string(*u);
    if (const auto* b = key.as<bool>()) return *b ? "true" : "false";
    return std::string(runtime_name(key.kind()));
}

}  // namespace

Kind Value::kind() const {
    if (const Node* node = as<Node>()) return node->json->is_array() ? Kind::List : Kind::Map;
    if (const RightsValue* rights = as<RightsValue>()) return rights->kind;
    constexpr Kind kKinds[] = {Kind::Null,   Kind::Bool,     Kind::Int,      Kind::Uint,       Kind::Double,
                               Kind::String, Kind::Bytes,    Kind::Duration, Kind::Timestamp,  Kind::Type,
                               Kind::List,   Kind::Map,      Kind::Optional, Kind::Map,        Kind::Ip,
                               Kind::Cidr,   Kind::Quantity, Kind::Url,      Kind::Authorizer, Kind::Dyn};
    static_assert(std::size(kKinds) == std::variant_size_v<Alternatives>);
    return kKinds[state_.index()];
}

Value from_json(const Json& json, const Type* type) {
    Kind kind = type != nullptr ? type->kind : Kind::Dyn;
    switch (json.type()) {
        case Json::value_t::boolean:
            return Value(json.get<bool>());
        case Json::value_t::number_integer:
        case Json::value_t::number_unsigned:
            if (kind == Kind::Double) return Value(json.get<double>());
            return Value(json.get<std::int64_t>());
        case Json::value_t::number_float: {
            auto value = json.get<double>();
            bool whole = std::trunc(value) == value && std::fabs(value) < 9e18;
            if (kind == Kind::Int && whole) return Value(static_cast<std::int64_t>(value));
            return Value(value);
        }
        case Json::value_t::string:
            return text_as(json.get_ref<const std::string&>(), kind);
        case Json::value_t::array:
        case Json::value_t::object:
            return Value(Node{&json, type});
        default:
            return Value();
    }
}

bool is_list(const Value& value) {
    const Node* node = value.as<Node>();
    return value.as<ListValue>() != nullptr || (node != nullptr && node->json->is_array());
}

std::size_t list_size(const Value& list) {
    if (const auto* own = list.as<ListValue>()) return own->items->size();
    const Node* node = list.as<Node>();
    return node == nullptr ? 0 : node->json->size();
}

Value list_item(const Value& list, std::size_t at) {
    if (const auto* own = list.as<ListValue>()) return (*own->items)[at];
    const Node& node = *list.as<Node>();
    return from_json((*node.json)[at], part(type_of(node).element));
}

bool is_map(const Value& value) {
    const Node* node = value.as<Node>();
    return value.as<MapValue>() != nullptr || (node != nullptr && node->json->is_object());
}

std::size_t map_size(const Value& map) {
    return map.as<MapValue>() != nullptr ? map.as<MapValue>()->entries->size() : map_keys(map).size();
}

Values map_keys(const Value& map) {
    Values keys;
    if (const auto* own = map.as<MapValue>()) {
        for (const auto& entry : *own->entries) keys.push_back(entry.first);
        return keys;
    }
    const Node& node = *map.as<Node>();
    const Type& type = type_of(node);
    for (auto member = node.json->begin(); member != node.json->end(); ++member) {
        if (type.kind != Kind::Object) {
            keys.push_back(Value(Text::view(member.key())));
        } else if (type.fields.contains(escape(member.key()))) {
            keys.push_back(Value::text(escape(member.key())));
        }
    }
    return keys;
}

Value map_get(const Value& map, const Value& key) {
    if (const auto* own = map.as<MapValue>()) {
        for (const auto& [name, value] : *own->entries) {
            if (equals(name, key)) return value;
        }
        return Value::fail("no such key: " + key_text(key));
    }
    auto [json, type] = member(*map.as<Node>(), key.string());
    if (json == nullptr || key.as<Text>() == nullptr) return Value::fail("no such key: " + key_text(key));
    return from_json(*json, type);
}

bool map_has(const Value& map, const Value& key) {
    if (const auto* own = map.as<MapValue>()) {
        return std::ranges::any_of(*own->entries, [&](const auto& entry) { return equals(entry.first, key); });
    }
    return key.as<Text>() != nullptr && member(*map.as<Node>(), key.string()).first != nullptr;
}

std::optional<int> compare(const Value& a, const Value& b) {
    const auto* left = a.as<std::int64_t>();
    const auto* right = b.as<std::int64_t>();
    if (left != nullptr && right != nullptr) return order(*left, *right);
    auto x = number(a), y = number(b);
    if (x && y) {
        if (std::isnan(*x) || std::isnan(*y)) return std::nullopt;
        return order(*x, *y);
    }
    if (a.kind() != b.kind()) return std::nullopt;
    switch (a.kind()) {
        case Kind::Bool:
            return order(*a.as<bool>(), *b.as<bool>());
        case Kind::String:
            return order(a.string(), b.string());
        case Kind::Bytes:
            return order(a.as<BytesValue>()->text.get(), b.as<BytesValue>()->text.get());
        case Kind::Duration:
            return order(a.as<DurationValue>()->nanos, b.as<DurationValue>()->nanos);
        case Kind::Timestamp:
            return order(*a.as<Timestamp>(), *b.as<Timestamp>());
        case Kind::Quantity:
            return order(*a.as<Quantity>(), *b.as<Quantity>());
        default:
            return std::nullopt;
    }
}

bool equals(const Value& a, const Value& b) {
    if (is_list(a) && is_list(b)) return lists_equal(a, b);
    if (is_map(a) && is_map(b)) return maps_equal(a, b);
    if (a.as<OptionalValue>() != nullptr && b.as<OptionalValue>() != nullptr) {
        return optionals_equal(*a.as<OptionalValue>(), *b.as<OptionalValue>());
    }
    if (a.kind() == Kind::Null || b.kind() == Kind::Null) return a.kind() == b.kind();
    if (a.as<TypeValue>() != nullptr && b.as<TypeValue>() != nullptr) {
        return a.as<TypeValue>()->name == b.as<TypeValue>()->name;
    }
    if (a.as<Ip>() != nullptr && b.as<Ip>() != nullptr) return *a.as<Ip>() == *b.as<Ip>();
    if (a.as<Cidr>() != nullptr && b.as<Cidr>() != nullptr) return *a.as<Cidr>() == *b.as<Cidr>();
    if (a.as<UrlValue>() != nullptr && b.as<UrlValue>() != nullptr)
        return a.as<UrlValue>()->text == b.as<UrlValue>()->text;
    return compare(a, b) == 0;
}

}  // namespace atl::schema::cel
