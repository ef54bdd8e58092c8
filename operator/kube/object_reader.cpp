#include "operator/kube/object_reader.h"

#include <simdjson.h>

#include "operator/kube/status_error.h"

namespace atl::kube {

namespace ondemand = simdjson::ondemand;

namespace {

/// A member of metadata has the wrong type.
struct WrongType {
    std::string field;
};

/// What one scan of an object gives.
struct Parts {
    ObjectMeta meta;
    bool has_metadata = false;
    std::string_view managed_fields;  ///< key, colon and value, within the text; empty if there are none
};

bool is_null(ondemand::value& value) {
    return value.type() == ondemand::json_type::null;
}

std::string text_of(ondemand::value value, const char* field) {
    if (is_null(value)) return {};
    std::string_view text;
    if (value.get_string().get(text) != simdjson::SUCCESS) throw WrongType{field};
    return std::string(text);
}

ondemand::object object_of(ondemand::value value, const char* field) {
    ondemand::object object;
    if (value.get_object().get(object) != simdjson::SUCCESS) throw WrongType{field};
    return object;
}

ondemand::array array_of(ondemand::value value, const char* field) {
    ondemand::array array;
    if (value.get_array().get(array) != simdjson::SUCCESS) throw WrongType{field};
    return array;
}

StringMap labels_of(ondemand::value value) {
    StringMap labels;
    if (is_null(value)) return labels;
    for (auto field : object_of(value, "labels")) {
        std::string key(std::string_view(field.unescaped_key()));
        labels.set(std::move(key), text_of(field.value(), "labels"));
    }
    return labels;
}

OwnerReference owner_of(ondemand::value value) {
    OwnerReference owner;
    for (auto field : object_of(value, "ownerReferences")) {
        const std::string_view key = field.unescaped_key();
        if (key == "apiVersion") owner.api_version = text_of(field.value(), "ownerReferences.apiVersion");
        if (key == "kind") owner.kind = text_of(field.value(), "ownerReferences.kind");
        if (key == "name") owner.name = text_of(field.value(), "ownerReferences.name");
        if (key == "uid") owner.uid = text_of(field.value(), "ownerReferences.uid");
        if (key == "controller") {
            ondemand::value flag = field.value();
            if (is_null(flag)) continue;
            if (flag.get_bool().get(owner.controller) != simdjson::SUCCESS)
                throw WrongType{"ownerReferences.controller"};
        }
    }
    return owner;
}

std::int64_t generation_of(ondemand::value value) {
    if (is_null(value)) return 0;
    std::int64_t number = 0;
    if (value.get_int64().get(number) != simdjson::SUCCESS) throw WrongType{"generation"};
    return number;
}

void read_lists(std::string_view key, ondemand::value value, ObjectMeta& meta) {
    if (is_null(value)) return;
    if (key == "finalizers") {
        for (auto item : array_of(value, "finalizers")) meta.finalizers.push_back(text_of(item.value(), "finalizers"));
    } else {
        for (auto item : array_of(value, "ownerReferences")) meta.owners.push_back(owner_of(item.value()));
    }
}

void read_metadata(ondemand::object metadata, Parts& parts) {
    ObjectMeta& meta = parts.meta;
    parts.has_metadata = true;
    for (auto field : metadata) {
        const char* key_at = field.key().value().raw() - 1;
        const std::string_view key = field.unescaped_key();
        ondemand::value value = field.value();
        if (key == "name")
            meta.key.name = text_of(value, "name");
        else if (key == "namespace")
            meta.key.ns = text_of(value, "namespace");
        else if (key == "uid")
            meta.uid = text_of(value, "uid");
        else if (key == "resourceVersion")
            meta.resource_version = text_of(value, "resourceVersion");
        else if (key == "generation")
            meta.generation = generation_of(value);
        else if (key == "labels")
            meta.labels = labels_of(value);
        else if (key == "finalizers" || key == "ownerReferences")
            read_lists(key, value, meta);
        else if (key == "deletionTimestamp" && !is_null(value))
            meta.deletion_timestamp = text_of(value, "deletionTimestamp");
        else if (key == "managedFields") {
            const std::string_view raw = simdjson::to_json_string(value);
            parts.managed_fields = std::string_view(key_at, static_cast<std::size_t>(raw.data() + raw.size() - key_at));
        }
    }
}

/// Text with the scanner's padding behind it. It is never copied: a copy of a string has no room to spare.
class PaddedText {
public:
    explicit PaddedText(std::size_t size) { text_.reserve(size + simdjson::SIMDJSON_PADDING); }
    explicit PaddedText(std::string_view text) : PaddedText(text.size()) { text_.append(text); }
    PaddedText(PaddedText&&) = default;
    PaddedText(const PaddedText&) = delete;

    void append(std::string_view more) { text_.append(more); }
    const std::string& get() const { return text_; }
    std::string take() && { return std::move(text_); }

private:
    std::string text_;
};

/// Takes the managed fields out of the text, with the comma after or else before them.
PaddedText strip(std::string_view text, std::string_view cut) {
    if (cut.empty()) return PaddedText(text);
    std::size_t begin = static_cast<std::size_t>(cut.data() - text.data());
    std::size_t end = begin + cut.size();
    const std::size_t next = text.find_first_not_of(" \t\r\n", end);
    if (next != std::string_view::npos && text[next] == ',') {
        end = next + 1;
    } else {
        const std::size_t before = text.find_last_not_of(" \t\r\n", begin - 1);
        if (before != std::string_view::npos && text[before] == ',') begin = before;
    }
    PaddedText result(text.size() - (end - begin));
    result.append(text.substr(0, begin));
    result.append(text.substr(end));
    return result;
}

Error undecodable(const ObjectMeta& meta, const std::string& why) {
    const std::string name = meta.key.name.empty() ? "an object" : "object \"" + meta.key.to_string() + "\"";
    return invalid("UndecodableObject", name + " cannot be read: " + why);
}

Error malformed(const std::string& what, const std::string& why) {
    return transient("MalformedAnswer", what + " cannot be read: " + why);
}

/// A view of memory that has the scanner's padding behind it.
simdjson::padded_string_view padded(std::string_view text) {
    return simdjson::padded_string_view(text.data(), text.size(), text.size() + simdjson::SIMDJSON_PADDING);
}

Parts scan(ondemand::parser& parser, std::string_view padded_text) {
    Parts parts;
    ondemand::document document = parser.iterate(padded(padded_text));
    ondemand::object object;
    if (document.get_object().get(object) != simdjson::SUCCESS) throw WrongType{"."};
    for (auto field : object) {
        if (std::string_view(field.unescaped_key()) == "metadata") read_metadata(object_of(field.value(), ""), parts);
    }
    return parts;
}

std::optional<std::string_view> member_of(ondemand::parser& parser, std::string_view padded_text,
                                          std::string_view name) {
    try {
        ondemand::document document = parser.iterate(padded(padded_text));
        for (auto field : document.get_object()) {
            const bool found = std::string_view(field.unescaped_key()) == name;
            ondemand::value value = field.value();
            if (found) return std::string_view(simdjson::to_json_string(value));
        }
    } catch (const simdjson::simdjson_error&) {
        return std::nullopt;
    }
    return std::nullopt;
}

/// Which object this is, as far as a text that cannot be read says so.
ObjectMeta identity_of(ondemand::parser& parser, std::string_view padded_text) {
    auto unquoted = [](std::string_view text) {
        const bool quoted = text.size() >= 2 && text.front() == '"' && text.back() == '"';
        return quoted ? std::string(text.substr(1, text.size() - 2)) : std::string();
    };
    ObjectMeta meta;
    const auto metadata = member_of(parser, padded_text, "metadata");
    if (!metadata) return meta;
    meta.key.name = unquoted(member_of(parser, *metadata, "name").value_or(""));
    meta.key.ns = unquoted(member_of(parser, *metadata, "namespace").value_or(""));
    return meta;
}

void read_list_metadata(ondemand::object metadata, ListPage& page) {
    for (auto field : metadata) {
        const std::string_view key = field.unescaped_key();
        if (key == "resourceVersion") page.resource_version = text_of(field.value(), "resourceVersion");
        if (key == "continue") page.continue_token = text_of(field.value(), "continue");
    }
}

WatchEvent::Kind kind_of(std::string_view type) {
    if (type == "ADDED") return WatchEvent::Kind::Added;
    if (type == "MODIFIED") return WatchEvent::Kind::Modified;
    if (type == "DELETED") return WatchEvent::Kind::Deleted;
    if (type == "BOOKMARK") return WatchEvent::Kind::Bookmark;
    return type == "ERROR" ? WatchEvent::Kind::Failed : WatchEvent::Kind::Undecodable;
}

WatchEvent broken_line(const std::string& why) {
    WatchEvent event;
    event.kind = WatchEvent::Kind::Undecodable;
    event.error = invalid("UndecodableObject", "a line of the watch cannot be read: " + why);
    return event;
}

}  // namespace

/// Two parsers: one walks the envelope (list, watch event), one each object in it. All texts have padding behind them.
struct ObjectReader::Scanner {
    ondemand::parser envelope;
    ondemand::parser object;

    Result<Object> read(std::string_view text);
    Result<Object> read_named(std::string_view text);
    void read_items(ondemand::value items, ListPage& page);
    WatchEvent read_change(WatchEvent::Kind kind, std::string_view text);
};

Result<Object> ObjectReader::Scanner::read(std::string_view text) {
    try {
        Parts parts = scan(object, text);
        if (!parts.has_metadata) return undecodable(parts.meta, "it has no metadata");
        auto state = std::make_shared<Object::State>();
        state->text = strip(text, parts.managed_fields).take();
        state->meta = std::move(parts.meta);
        return Object(std::move(state));
    } catch (const WrongType& wrong) {
        if (wrong.field == ".") return undecodable({}, "it is not a JSON object");
        const std::string field = wrong.field.empty() ? "metadata" : "metadata." + wrong.field;
        return undecodable(identity_of(object, text), "\"" + field + "\" has the wrong type").at_field(field);
    } catch (const simdjson::simdjson_error& error) {
        return undecodable(identity_of(object, text), error.what());
    }
}

Result<Object> ObjectReader::Scanner::read_named(std::string_view text) {
    Result<Object> object_read = read(text);
    if (object_read.ok() && object_read->key().name.empty()) {
        return undecodable(object_read->meta(), "it has no metadata.name");
    }
    return object_read;
}

void ObjectReader::Scanner::read_items(ondemand::value items, ListPage& page) {
    if (is_null(items)) return;
    for (auto item : array_of(items, "items")) {
        ondemand::value value = item.value();
        Result<Object> object_read = read_named(simdjson::to_json_string(value));
        if (object_read.ok()) {
            page.objects.push_back(std::move(object_read).value());
        } else {
            page.undecodable.push_back(object_read.error());
        }
    }
}

WatchEvent ObjectReader::Scanner::read_change(WatchEvent::Kind kind, std::string_view text) {
    WatchEvent event;
    const bool bookmark = kind == WatchEvent::Kind::Bookmark;
    Result<Object> object_read = bookmark ? read(text) : read_named(text);
    if (!object_read.ok()) {
        event.kind = WatchEvent::Kind::Undecodable;
        event.error = object_read.error();
        return event;
    }
    event.kind = kind;
    event.resource_version = object_read->meta().resource_version;
    if (bookmark) {
        event.initial_events_end = object_read->annotation("k8s.io/initial-events-end") == "true";
    } else {
        event.object = std::move(object_read).value();
    }
    return event;
}

ObjectReader::ObjectReader() : scanner_(std::make_unique<Scanner>()) {}
ObjectReader::~ObjectReader() = default;

Result<Object> ObjectReader::read_object(std::string_view text) {
    const PaddedText copy(text);
    return scanner_->read_named(copy.get());
}

Result<ListPage> ObjectReader::read_list(std::string_view text) {
    const PaddedText copy(text);
    ListPage page;
    try {
        ondemand::document document = scanner_->envelope.iterate(padded(copy.get()));
        for (auto field : document.get_object()) {
            const std::string_view key = field.unescaped_key();
            if (key == "metadata") read_list_metadata(object_of(field.value(), "metadata"), page);
            if (key == "items") scanner_->read_items(field.value(), page);
        }
    } catch (const WrongType& wrong) {
        return malformed("the list", "\"" + wrong.field + "\" has the wrong type");
    } catch (const simdjson::simdjson_error& error) {
        return malformed("the list", error.what());
    }
    return page;
}

WatchEvent ObjectReader::read_watch_event(std::string_view line) {
    const PaddedText copy(line);
    std::string type;
    std::string_view object;
    try {
        ondemand::document document = scanner_->envelope.iterate(padded(copy.get()));
        for (auto field : document.get_object()) {
            const std::string_view key = field.unescaped_key();
            ondemand::value value = field.value();
            if (key == "type") type = text_of(value, "type");
            if (key == "object") object = simdjson::to_json_string(value);
        }
    } catch (const WrongType&) {
        return broken_line("\"type\" is not a string");
    } catch (const simdjson::simdjson_error& error) {
        return broken_line(error.what());
    }
    const WatchEvent::Kind kind = kind_of(type);
    if (kind == WatchEvent::Kind::Undecodable) return broken_line("its type is \"" + type + "\"");
    if (kind != WatchEvent::Kind::Failed) return scanner_->read_change(kind, object);
    WatchEvent event;
    event.kind = kind;
    event.error = error_of_status(0, object);
    return event;
}

std::optional<std::string_view> ObjectReader::find_member(std::string_view text, std::string_view name) {
    return member_of(scanner_->object, text, name);
}

}  // namespace atl::kube
