#include "operator/base/manifest.h"

#include <algorithm>
#include <istream>
#include <map>
#include <optional>
#include <set>
#include <streambuf>
#include <utility>

#include <yaml-cpp/eventhandler.h>
#include <yaml-cpp/exceptions.h>
#include <yaml-cpp/mark.h>
#include <yaml-cpp/parser.h>

#include "operator/base/yaml_scalar.h"

namespace atl {

namespace {

using nlohmann::json;

constexpr std::string_view kByteOrderMark = "\xEF\xBB\xBF";
/// Brackets that may be open at once, wherever they stand: yaml-cpp keeps a record for each before it gives up.
constexpr std::size_t kMostBrackets = 100'000;

/// Leaves yaml-cpp's parser, which has no other way out; caught in parse_manifests.
struct Refusal {
    YAML::Mark mark;
    std::string message;
};

Error at(std::size_t line, std::size_t column, const std::string& message) {
    return invalid("InvalidManifest",
                   "line " + std::to_string(line) + ", column " + std::to_string(column) + ": " + message);
}

Error at(const YAML::Mark& mark, const std::string& message) {
    std::size_t line = mark.line < 0 ? 1 : static_cast<std::size_t>(mark.line) + 1;
    std::size_t column = mark.column < 0 ? 1 : static_cast<std::size_t>(mark.column) + 1;
    return at(line, column, message);
}

/// Builds one JSON value from the parser's events, without recursion.
class Builder final : public YAML::EventHandler {
public:
    explicit Builder(const ManifestLimits& limits) : limits_(limits) {}

    json take() { return std::move(root_); }
    YAML::Mark start() const { return start_; }

    void OnDocumentStart(const YAML::Mark& mark) override { start_ = mark; }
    void OnDocumentEnd() override {}
    void OnNull(const YAML::Mark& mark, YAML::anchor_t anchor) override { put(mark, anchor, nullptr, 1); }
    void OnSequenceEnd() override { close(); }
    void OnMapEnd() override { close(); }

    void OnAlias(const YAML::Mark& mark, YAML::anchor_t anchor) override {
        if (++aliases_ > limits_.aliases)
            throw Refusal{mark, "more than " + std::to_string(limits_.aliases) + " aliases in one document"};
        auto found = anchors_.find(anchor);
        if (found == anchors_.end()) throw Refusal{mark, "an alias inside the value that it stands for"};
        put(mark, YAML::NullAnchor, found->second.value, found->second.size);
    }

    void OnScalar(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t anchor,
                  const std::string& text) override {
        if (is_merge_key(tag, text)) {
            open_.back().merging = true;
            open_.back().key = "<<";
            return;
        }
        put(mark, anchor, scalar(mark, tag, text), 1);
    }

    void OnSequenceStart(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t anchor,
                         YAML::EmitterStyle::value) override {
        check_tag(mark, tag, "tag:yaml.org,2002:seq");
        open(mark, anchor, json::array());
    }

    void OnMapStart(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t anchor,
                    YAML::EmitterStyle::value) override {
        check_tag(mark, tag, "tag:yaml.org,2002:map");
        open(mark, anchor, json::object());
    }

private:
    struct Anchored {
        json value;
        std::size_t size = 0;
    };
    /// A list or map that is being filled.
    struct Frame {
        YAML::Mark mark;
        YAML::anchor_t anchor = YAML::NullAnchor;
        json value;
        std::size_t before = 0;          ///< values counted before it
        std::optional<std::string> key;  ///< the map's key that waits for its value
        bool merging = false;            ///< the key is "<<"
        std::set<std::string> own;       ///< keys of the map that were written here, not merged
    };

    bool is_merge_key(const std::string& tag, const std::string& text) const {
        return tag == "?" && text == "<<" && !open_.empty() && open_.back().value.is_object() && !open_.back().key;
    }

    static void check_tag(const YAML::Mark& mark, const std::string& tag, std::string_view allowed) {
        if (tag.empty() || tag == "?" || tag == "!" || tag == allowed) return;
        throw Refusal{mark, "the tag \"" + tag + "\" is not known here; leave it out"};
    }

    static json scalar(const YAML::Mark& mark, const std::string& tag, const std::string& text) {
        constexpr std::string_view kCore = "tag:yaml.org,2002:";
        if (tag == "!" || tag == "tag:yaml.org,2002:str") return text;
        std::optional<json> value = resolve_plain_scalar(text);
        if (!value) throw Refusal{mark, "\"" + text + "\" is not a number that JSON has"};
        if (tag.empty() || tag == "?") return *value;
        std::string_view type = tag;
        if (type.starts_with(kCore)) type.remove_prefix(kCore.size());
        bool fits = (type == "int" && value->is_number_integer()) || (type == "float" && value->is_number()) ||
                    (type == "bool" && value->is_boolean()) || (type == "null" && value->is_null());
        if (!fits) throw Refusal{mark, "the tag \"" + tag + "\" does not fit the value \"" + text + "\""};
        return *value;
    }

    void count(const YAML::Mark& mark, std::size_t size) {
        values_ += size;
        if (values_ > limits_.values)
            throw Refusal{mark, "more than " + std::to_string(limits_.values) +
                                    " values in one document, with its aliases written out"};
    }

    void open(const YAML::Mark& mark, YAML::anchor_t anchor, json value) {
        if (open_.size() >= limits_.depth)
            throw Refusal{mark, "nested deeper than " + std::to_string(limits_.depth) + " levels"};
        if (!open_.empty() && open_.back().value.is_object() && !open_.back().key)
            throw Refusal{mark, "a list or map that is never closed, or that is a key (keys are texts)"};
        std::size_t before = values_;
        count(mark, 1);
        Frame frame;
        frame.mark = mark;
        frame.anchor = anchor;
        frame.value = std::move(value);
        frame.before = before;
        open_.push_back(std::move(frame));
    }

    void close() {
        Frame frame = std::move(open_.back());
        open_.pop_back();
        if (frame.anchor != YAML::NullAnchor) anchors_[frame.anchor] = {frame.value, values_ - frame.before};
        attach(frame.mark, std::move(frame.value));
    }

    void put(const YAML::Mark& mark, YAML::anchor_t anchor, json value, std::size_t size) {
        count(mark, size);
        if (anchor != YAML::NullAnchor) anchors_[anchor] = {value, size};
        attach(mark, std::move(value));
    }

    void attach(const YAML::Mark& mark, json value) {
        if (open_.empty()) {
            root_ = std::move(value);
            return;
        }
        Frame& frame = open_.back();
        if (frame.value.is_array()) {
            frame.value.push_back(std::move(value));
        } else if (!frame.key) {
            take_key(mark, frame, value);
        } else if (std::exchange(frame.merging, false)) {
            frame.key.reset();
            merge(mark, frame, value);
        } else {
            frame.value[*frame.key] = std::move(value);
            frame.key.reset();
        }
    }

    static void take_key(const YAML::Mark& mark, Frame& frame, const json& value) {
        if (value.is_null() || value.is_structured()) throw Refusal{mark, "this cannot be a key; keys are texts"};
        std::string key = value.is_string() ? value.get<std::string>() : value.dump();
        if (!frame.own.insert(key).second) throw Refusal{mark, "key \"" + key + "\" comes twice"};
        frame.key = std::move(key);
    }

    /// Keys that are written out win over merged ones, wherever they stand; of merged ones the first.
    static void merge(const YAML::Mark& mark, Frame& frame, const json& value) {
        json sources = value.is_array() ? value : json::array({value});
        for (const json& source : sources) {
            if (!source.is_object()) throw Refusal{mark, "\"<<\" merges maps only"};
            for (const auto& [key, merged] : source.items())
                if (!frame.value.contains(key)) frame.value[key] = merged;
        }
    }

    ManifestLimits limits_;
    YAML::Mark start_;
    json root_;
    std::vector<Frame> open_;
    std::map<YAML::anchor_t, Anchored> anchors_;
    std::size_t aliases_ = 0;
    std::size_t values_ = 0;
};

/// Reads from memory that somebody else keeps.
class ViewBuffer final : public std::streambuf {
public:
    explicit ViewBuffer(std::string_view text) {
        char* begin = const_cast<char*>(text.data());
        setg(begin, begin, begin + text.size());
    }
};

/// JSON's word for a value's type, with its article.
std::string a_type_of(const json& value) {
    if (value.is_array()) return "a list";
    if (value.is_object()) return "a map";
    if (value.is_string()) return "a text";
    return std::string("a ") + value.type_name();
}

bool is_continuation(unsigned char c) {
    return (c & 0xC0) == 0x80;
}

/// Bytes of the UTF-8 character that begins with this one; 0 if none does.
std::size_t utf8_length_by(unsigned char first) {
    if (first < 0x80) return 1;
    if (first < 0xC2 || first > 0xF4) return 0;
    return first < 0xE0 ? 2 : first < 0xF0 ? 3 : 4;
}

/// Bytes of the UTF-8 character at the place; 0 if it is none.
std::size_t utf8_length(std::string_view text, std::size_t place) {
    auto byte = [&](std::size_t i) { return static_cast<unsigned char>(text[place + i]); };
    unsigned char first = byte(0);
    std::size_t length = utf8_length_by(first);
    if (length == 0 || place + length > text.size()) return 0;
    for (std::size_t i = 1; i < length; ++i)
        if (!is_continuation(byte(i))) return 0;
    if ((first == 0xE0 && byte(1) < 0xA0) || (first == 0xED && byte(1) > 0x9F)) return 0;
    if (first == 0xF0 && byte(1) < 0x90) return 0;
    if (first == 0xF4 && byte(1) > 0x8F) return 0;
    return length;
}

/// yaml-cpp reads all of a text of opening brackets before it says so.
std::optional<Error> too_many_brackets(std::string_view text) {
    std::size_t open = 0;
    for (char c : text) {
        if (c == '[' || c == '{') ++open;
        if ((c == ']' || c == '}') && open > 0) --open;
        if (open > kMostBrackets)
            return invalid("InvalidManifest", "more than " + std::to_string(kMostBrackets) + " brackets are open");
    }
    return std::nullopt;
}

/// yaml-cpp's message, with what people run into most.
std::string explained(const YAML::Exception& exception, std::string_view text) {
    if (exception.msg == YAML::ErrorMsg::EOF_IN_SCALAR || exception.msg == YAML::ErrorMsg::DOC_IN_SCALAR)
        return "a text in quotes that is not closed up to here";
    if (exception.mark.line < 0) return exception.msg;
    std::size_t begin = 0;
    for (int line = 0; line < exception.mark.line && begin != std::string_view::npos; ++line) {
        begin = text.find('\n', begin);
        if (begin != std::string_view::npos) ++begin;
    }
    if (begin == std::string_view::npos) return exception.msg;
    std::string_view indent = text.substr(begin, text.find_first_not_of(" \t", begin) - begin);
    bool tab = indent.find('\t') != std::string_view::npos;
    return exception.msg + (tab ? "; the line is indented with a tab, where YAML takes only spaces" : "");
}

/// yaml-cpp takes byte 0x04 for the end of the text and would lose all that follows; other control characters and
/// broken UTF-8 it passes on.
std::optional<Error> unreadable(std::string_view text) {
    std::size_t line = 1;
    std::size_t column = 1;
    for (std::size_t i = 0; i < text.size();) {
        auto c = static_cast<unsigned char>(text[i]);
        std::size_t length = utf8_length(text, i);
        if (length == 0) return at(line, column, "this is not UTF-8");
        if (column == 1 && text.substr(i).starts_with(kByteOrderMark))
            return at(line, column, "a byte order mark inside of the text; it may only stand at the beginning");
        if ((c < 0x20 && c != '\t' && c != '\n' && c != '\r') || c == 0x7F)
            return at(line, column,
                      "control character " + std::to_string(c) + "; write it as an escape in double quotes");
        column = c == '\n' ? 1 : column + 1;
        line += c == '\n' ? 1 : 0;
        i += length;
    }
    return std::nullopt;
}

/// A v1 List stands for its items.
std::optional<Error> add_document(std::vector<ManifestDocument>& documents, const YAML::Mark& start, json value) {
    if (value.is_null()) return std::nullopt;
    if (!value.is_object()) return at(start, a_type_of(value) + " where an object was expected");
    std::size_t line = static_cast<std::size_t>(start.line) + 1;
    auto items = value.find("items");
    if (value.value("kind", json()) != json("List") || items == value.end() || !items->is_array()) {
        documents.push_back({line, std::move(value)});
        return std::nullopt;
    }
    for (json& item : *items) {
        if (!item.is_object()) return at(start, "an item of the List is not an object");
        documents.push_back({line, std::move(item)});
    }
    return std::nullopt;
}

Result<std::vector<ManifestDocument>> parse_documents(std::string text, const ManifestLimits& limits) {
    std::vector<ManifestDocument> documents;
    // yaml-cpp takes the end of the text for the end of a quoted text, but not the end of the document.
    if (text.ends_with('\n')) text += "...\n";
    ViewBuffer buffer(text);
    std::istream stream(&buffer);
    try {
        YAML::Parser parser(stream);
        int last = -1;
        while (true) {
            Builder builder(limits);
            if (!parser.HandleNextDocument(builder)) break;
            // A stray "]" or "}" is never consumed: yaml-cpp would give empty documents for ever.
            int place = builder.start().pos;
            if (place == last) return at(builder.start(), "text that belongs to nothing");
            last = place;
            if (std::optional<Error> error = add_document(documents, builder.start(), builder.take())) return *error;
            if (documents.size() > limits.documents)
                return invalid("InvalidManifest", "more than " + std::to_string(limits.documents) + " documents");
        }
    } catch (const Refusal& refusal) {
        return at(refusal.mark, refusal.message);
    } catch (const YAML::Exception& exception) {
        return at(exception.mark, explained(exception, text));
    }
    return documents;
}

/// Looks for depth and keys that come twice, without building anything: the library's parser callback takes the square.
class JsonLook final : public nlohmann::json_sax<json> {
public:
    explicit JsonLook(std::size_t depth) : depth_(depth) {}
    bool null() override { return true; }
    bool boolean(bool) override { return true; }
    bool number_integer(std::int64_t) override { return true; }
    bool number_unsigned(std::uint64_t) override { return true; }
    bool number_float(double, const std::string&) override { return true; }
    bool string(std::string&) override { return true; }
    bool binary(json::binary_t&) override { return false; }
    bool start_object(std::size_t) override { return open(); }
    bool start_array(std::size_t) override { return open(); }
    bool end_object() override { return close(); }
    bool end_array() override { return close(); }
    bool key(std::string& name) override { return keys_.back().insert(name).second; }
    bool parse_error(std::size_t, const std::string&, const nlohmann::detail::exception&) override { return false; }

private:
    bool open() { return keys_.emplace_back(), keys_.size() <= depth_; }
    bool close() {
        keys_.pop_back();
        return true;
    }
    std::size_t depth_;
    std::vector<std::set<std::string>> keys_;
};

/// A text that is one JSON object. YAML has no pairs of surrogates ("\\ud83d\\ude00"), so it cannot stand in for JSON.
/// nullopt: it is something else, or faulty; the YAML parser says where.
std::optional<json> parse_json(std::string_view text, const ManifestLimits& limits) {
    std::size_t first = std::min(text.find_first_not_of(" \t\r\n"), text.size());
    if (!text.substr(first).starts_with('{')) return std::nullopt;
    JsonLook look(limits.depth);
    if (!json::sax_parse(text, &look)) return std::nullopt;
    return json::parse(text, nullptr, /*allow_exceptions=*/false);
}

}  // namespace

Result<std::vector<ManifestDocument>> parse_manifests(std::string_view text, const ManifestLimits& limits) {
    if (text.size() > limits.bytes)
        return invalid("InvalidManifest", "the text has " + std::to_string(text.size()) + " bytes; at most " +
                                              std::to_string(limits.bytes) + " are read");
    if (text.starts_with(kByteOrderMark)) text.remove_prefix(kByteOrderMark.size());
    if (std::optional<Error> error = unreadable(text)) return *error;
    std::optional<json> object = parse_json(text, limits);
    if (!object) {
        if (std::optional<Error> error = too_many_brackets(text)) return *error;
        return parse_documents(std::string(text), limits);
    }
    std::vector<ManifestDocument> documents;
    if (std::optional<Error> error = add_document(documents, YAML::Mark(), std::move(*object))) return *error;
    return documents;
}

}  // namespace atl
