#include "operator/apiserver/protobuf.h"

#include <algorithm>
#include <chrono>
#include <optional>
#include <string>

#include <nlohmann/json.hpp>

#include "operator/apiserver/json_access.h"
#include "operator/base/base64.h"
#include "operator/base/time.h"
#include "operator/schema/decode.h"
#include "operator/schema/go_text.h"

namespace atl::apiserver {

using nlohmann::json;

namespace {

constexpr std::string_view kMagic("k8s\0", 4);

/// One field on the wire: a number, or the bytes of a length-delimited one.
struct WireField {
    unsigned number = 0;
    std::uint64_t value = 0;
    std::string_view bytes;
};

/// Takes fields off the front of a message. Every length is checked before it is believed.
class WireReader {
public:
    explicit WireReader(std::string_view bytes) : left_(bytes) {}

    bool is_done() const { return left_.empty(); }

    std::optional<WireField> next() {
        const auto tag = varint();
        if (!tag) return std::nullopt;
        WireField field;
        field.number = static_cast<unsigned>(*tag >> 3U);
        switch (*tag & 7U) {
            case 0: {
                const auto value = varint();
                if (!value) return std::nullopt;
                field.value = *value;
                return field;
            }
            case 1:
                return take(8) ? std::optional(field) : std::nullopt;
            case 5:
                return take(4) ? std::optional(field) : std::nullopt;
            case 2: {
                const auto size = varint();
                if (!size) return std::nullopt;
                const auto bytes = take(*size);
                if (!bytes) return std::nullopt;
                field.bytes = *bytes;
                return field;
            }
            default:
                return std::nullopt;
        }
    }

private:
    std::optional<std::uint64_t> varint() {
        std::uint64_t value = 0;
        for (unsigned shift = 0; shift < 64 && !left_.empty(); shift += 7) {
            const auto byte = static_cast<unsigned char>(left_.front());
            left_.remove_prefix(1);
            value |= static_cast<std::uint64_t>(byte & 0x7fU) << shift;
            if ((byte & 0x80U) == 0) return value;
        }
        return std::nullopt;
    }

    std::optional<std::string_view> take(std::uint64_t size) {
        if (size > left_.size()) return std::nullopt;
        const std::string_view taken = left_.substr(0, size);
        left_.remove_prefix(size);
        return taken;
    }

    std::string_view left_;
};

Error malformed() {
    return invalid("BadProtobuf", "the body is no well-formed protobuf message");
}

Error not_utf8(const char* field) {
    return invalid("BadProtobuf", std::string("the text of the field ") + field + " is not UTF-8");
}

bool is_utf8(std::string_view text) {
    for (std::size_t at = 0; at < text.size();) {
        char32_t rune = 0;
        const std::size_t length = schema::rune_at(text, at, rune);
        if (length == 1 && rune == 0xFFFD) return false;
        at += length;
    }
    return true;
}

Result<json> time_of(std::string_view bytes, ProtoType type) {
    std::int64_t seconds = 0;
    std::int64_t nanos = 0;
    for (WireReader reader(bytes); !reader.is_done();) {
        const auto field = reader.next();
        if (!field) return malformed();
        if (field->number == 1) seconds = static_cast<std::int64_t>(field->value);
        if (field->number == 2) nanos = static_cast<std::int64_t>(field->value);
    }
    // The zero time of Go is null in JSON; what is beyond four-digit years is refused.
    constexpr std::int64_t kMost = 253'402'300'799;
    if (bytes.empty() || seconds < 0) return json(nullptr);
    if (seconds > kMost || nanos < 0 || nanos > 999'999'999) return malformed();
    // Nanoseconds of a WallTime end in the year 2262: held at the limit that parse_rfc3339() has.
    constexpr std::chrono::sys_seconds kLatest = std::chrono::sys_days(std::chrono::year(2190) / 1 / 1);
    const std::chrono::sys_seconds held = std::min(std::chrono::sys_seconds(std::chrono::seconds(seconds)), kLatest);
    const WallTime time = WallTime(held) + std::chrono::microseconds(nanos / 1000);
    return json(type == ProtoType::Time ? format_rfc3339(time) : format_rfc3339_micro(time));
}

Result<Unit> add_entry(json& map, std::string_view bytes, const ProtoField& told) {
    const ProtoType type = told.type;
    std::string key;
    std::string value;
    for (WireReader reader(bytes); !reader.is_done();) {
        const auto field = reader.next();
        if (!field) return malformed();
        if (field->number == 1) key = field->bytes;
        if (field->number == 2) value = field->bytes;
    }
    if (!is_utf8(key) || (type == ProtoType::TextMap && !is_utf8(value))) return not_utf8(told.name);
    map[key] = type == ProtoType::BytesMap ? encode_base64(value) : value;
    return ok();
}

Result<json> message_of(std::string_view bytes, std::string_view name);

Result<json> value_of(const WireField& wire, const ProtoField& field) {
    switch (field.type) {
        case ProtoType::Text:
            if (!is_utf8(wire.bytes)) return not_utf8(field.name);
            return json(std::string(wire.bytes));
        case ProtoType::Bytes:
            return json(encode_base64(wire.bytes));
        case ProtoType::Integer:
            return json(static_cast<std::int64_t>(wire.value));
        case ProtoType::Flag:
            return json(wire.value != 0);
        case ProtoType::Message:
            return message_of(wire.bytes, field.message);
        case ProtoType::Time:
        case ProtoType::MicroTime:
            return time_of(wire.bytes, field.type);
        case ProtoType::Json: {
            auto decoded = schema::decode_json(wire.bytes);  // minds depth: what follows recurses
            if (!decoded.ok()) return std::move(decoded).error();
            return std::move(decoded->value);
        }
        default:
            return malformed();
    }
}

Result<Unit> add_field(json& object, const WireField& wire, const ProtoField& field) {
    if (field.type == ProtoType::TextMap || field.type == ProtoType::BytesMap) {
        return add_entry(object[field.name], wire.bytes, field);
    }
    auto value = value_of(wire, field);
    if (!value.ok()) return std::move(value).error();
    if (field.repeated) {
        object[field.name].push_back(std::move(*value));
    } else if (!value->is_null() && !(value->is_string() && value->get_ref<const std::string&>().empty())) {
        // Empty texts are always on the wire, and as good as absent in JSON.
        object[field.name] = std::move(*value);
    }
    return ok();
}

Result<json> message_of(std::string_view bytes, std::string_view name) {
    json object = json::object();
    const auto& fields = proto_fields(name);
    for (WireReader reader(bytes); !reader.is_done();) {
        const auto wire = reader.next();
        if (!wire) return malformed();
        for (const ProtoField& field : fields) {
            if (field.number != wire->number) continue;
            auto added = add_field(object, *wire, field);
            if (!added.ok()) return std::move(added).error();
        }
    }
    // FieldsV1 is a message around JSON, and JSON itself outside.
    if (name == "FieldsV1") return child(object, "Raw");
    return object;
}

}  // namespace

Result<json> decode_protobuf(std::string_view body) {
    if (!body.starts_with(kMagic)) return malformed();
    auto unknown = message_of(body.substr(kMagic.size()), "Unknown");
    if (!unknown.ok()) return unknown;
    const std::string api_version = text_of(child(*unknown, "typeMeta"), "apiVersion");
    const std::string kind = text_of(child(*unknown, "typeMeta"), "kind");
    const std::string name = api_version + "/" + kind;
    if (proto_fields(name).empty()) {
        return invalid("UnknownKind",
                       "the kind " + kind + " of " + api_version + " is not read as protobuf: send JSON");
    }
    const auto raw = decode_base64(text_of(*unknown, "raw"));
    if (!raw) return malformed();
    auto object = message_of(*raw, name);
    if (!object.ok()) return object;
    if (!schema::within_depth(*object)) return invalid("BadProtobuf", "nested too deep");
    (*object)["apiVersion"] = api_version;
    (*object)["kind"] = kind;
    return object;
}

}  // namespace atl::apiserver
