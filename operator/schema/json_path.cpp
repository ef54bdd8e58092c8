#include "operator/schema/json_path.h"

#include <algorithm>
#include <charconv>
#include <optional>

#include "operator/schema/cel/value.h"

namespace atl::schema {

using Json = nlohmann::json;

/// One step of a path.
struct JsonPath::Step {
    enum class Kind { Field, AnyField, Index, Slice, Filter, Descend };
    Kind kind = Kind::Field;
    std::vector<std::string> names;        ///< Field: one, or the union ['a','b']; Descend: the name, or none for all
    std::optional<std::int64_t> from, to;  ///< Index: from; Slice: both optional
    JsonPath left, right;                  ///< Filter: paths from the item
    std::optional<Json> literal;           ///< Filter: what it is compared with, if not a path
    std::string op;                        ///< Filter: "" asks for existence
};

namespace {

using Step = JsonPath::Step;

Error bad_path(std::string_view text, const std::string& why) {
    return atl::invalid("BadJsonPath", "JSONPath \"" + std::string(text) + "\": " + why);
}

std::string_view trimmed(std::string_view text) {
    while (!text.empty() && text.front() == ' ') text.remove_prefix(1);
    while (!text.empty() && text.back() == ' ') text.remove_suffix(1);
    return text;
}

std::optional<std::int64_t> integer_of(std::string_view text) {
    std::int64_t value = 0;
    auto parsed = std::from_chars(text.data(), text.data() + text.size(), value);
    bool whole = !text.empty() && parsed.ec == std::errc() && parsed.ptr == text.data() + text.size();
    return whole ? std::optional(value) : std::nullopt;
}

bool is_quoted(std::string_view text) {
    return text.size() >= 2 && (text.front() == '\'' || text.front() == '"') && text.back() == text.front();
}

std::string unquoted(std::string_view text) {
    std::string out;
    for (std::size_t i = 1; i + 1 < text.size(); ++i) {
        if (text[i] == '\\' && i + 2 < text.size()) ++i;
        out += text[i];
    }
    return out;
}

/// The end of a bracket that starts at 0: the position of its "]", minding strings and brackets within.
std::size_t closing(std::string_view text) {
    int depth = 0;
    char quote = 0;
    for (std::size_t i = 0; i < text.size(); ++i) {
        if (quote != 0) {
            if (text[i] == '\\')
                ++i;
            else if (text[i] == quote)
                quote = 0;
        } else if (text[i] == '\'' || text[i] == '"') {
            quote = text[i];
        } else if (text[i] == '[' || text[i] == ']') {
            depth += text[i] == '[' ? 1 : -1;
            if (depth == 0) return i;
        }
    }
    return std::string_view::npos;
}

const Json* only(const std::vector<const Json*>& found) {
    return found.empty() ? nullptr : found.front();
}

bool compares(const Json* left, const std::string& op, const Json* right) {
    if (left == nullptr || right == nullptr) return false;
    if (op == "==") return *left == *right;
    if (op == "!=") return *left != *right;
    bool ordered = (left->is_number() && right->is_number()) || (left->is_string() && right->is_string());
    if (!ordered) return false;
    if (op == "<") return *left < *right;
    if (op == "<=") return *left <= *right;
    return op == ">" ? *left > *right : *left >= *right;
}

bool passes(const Step& step, const Json& item) {
    const Json* left = only(step.left.find(item));
    if (step.op.empty()) return left != nullptr;
    const Json* right = step.literal ? &*step.literal : only(step.right.find(item));
    return compares(left, step.op, right);
}

void descend(const Json& value, const Step& step, std::vector<const Json*>& found) {
    if (!value.is_structured()) return;
    for (auto child = value.begin(); child != value.end(); ++child) {
        bool named = step.names.empty() || (value.is_object() && child.key() == step.names[0]);
        if (named) found.push_back(&*child);
        descend(*child, step, found);
    }
}

void take_slice(const Json& value, const Step& step, std::vector<const Json*>& found) {
    auto size = static_cast<std::int64_t>(value.size());
    auto place = [&](std::int64_t at) { return std::clamp<std::int64_t>(at < 0 ? at + size : at, 0, size); };
    std::int64_t from = step.from ? *step.from : 0;
    if (step.kind == Step::Kind::Index) {
        std::int64_t at = from < 0 ? from + size : from;
        if (at >= 0 && at < size) found.push_back(&value[static_cast<std::size_t>(at)]);
        return;
    }
    for (std::int64_t i = place(from); i < (step.to ? place(*step.to) : size); ++i)
        found.push_back(&value[static_cast<std::size_t>(i)]);
}

void take_step(const Json& value, const Step& step, std::vector<const Json*>& found) {
    switch (step.kind) {
        case Step::Kind::Field:
            for (const std::string& name : step.names) {
                if (value.is_object() && value.contains(name)) found.push_back(&value[name]);
            }
            return;
        case Step::Kind::AnyField:
            if (!value.is_structured()) return;
            for (const Json& child : value) found.push_back(&child);
            return;
        case Step::Kind::Index:
        case Step::Kind::Slice:
            if (value.is_array()) take_slice(value, step, found);
            return;
        case Step::Kind::Filter:
            if (!value.is_array()) return;
            for (const Json& item : value) {
                if (passes(step, item)) found.push_back(&item);
            }
            return;
        case Step::Kind::Descend:
            descend(value, step, found);
            return;
    }
}

Result<std::optional<Json>> literal_of(std::string_view text) {
    if (is_quoted(text)) return std::optional<Json>(unquoted(text));
    if (text == "true" || text == "false") return std::optional<Json>(text == "true");
    if (auto whole = integer_of(text)) return std::optional<Json>(*whole);
    double real = 0;
    auto parsed = std::from_chars(text.data(), text.data() + text.size(), real);
    if (!text.empty() && parsed.ec == std::errc() && parsed.ptr == text.data() + text.size())
        return std::optional<Json>(real);
    if (text.starts_with('@')) return std::optional<Json>();
    return bad_path(text, "neither a literal nor a path from @");
}

/// [?(@.type=="Ready")]: the part between the parentheses.
Result<Step> filter_step(std::string_view text) {
    Step step;
    step.kind = Step::Kind::Filter;
    std::size_t at = 0, length = 0;
    char quote = 0;
    for (; at < text.size(); ++at) {
        if (quote != 0) {
            quote = text[at] == quote ? '\0' : quote;
        } else if (text[at] == '\'' || text[at] == '"') {
            quote = text[at];
        } else if (std::string_view("=!<>").find(text[at]) != std::string_view::npos) {
            length = at + 1 < text.size() && text[at + 1] == '=' ? 2 : 1;
            break;
        }
    }
    step.op = std::string(text.substr(at, length));
    if (step.op == "=" || step.op == "!") return bad_path(text, "unknown operator " + step.op);
    std::string_view left = trimmed(text.substr(0, at));
    if (!left.starts_with('@')) return bad_path(text, "a filter must start with @");
    Result<JsonPath> path = JsonPath::compile(left.substr(1));
    if (!path) return path.error();
    step.left = std::move(*path);
    if (length == 0) return step;
    std::string_view right = trimmed(text.substr(at + length));
    auto literal = literal_of(right);
    if (!literal) return literal.error();
    step.literal = std::move(*literal);
    if (step.literal) return step;
    Result<JsonPath> other = JsonPath::compile(right.substr(1));
    if (!other) return other.error();
    step.right = std::move(*other);
    return step;
}

/// What stands between [ and ].
Result<Step> bracket_step(std::string_view text) {
    text = trimmed(text);
    if (text.starts_with("?(") && text.ends_with(')')) return filter_step(trimmed(text.substr(2, text.size() - 3)));
    Step step;
    step.kind = Step::Kind::AnyField;
    if (text == "*") return step;
    if (is_quoted(text) && text.find(',') == std::string_view::npos) {
        step.kind = Step::Kind::Field;
        step.names.push_back(unquoted(text));
        return step;
    }
    auto colon = text.find(':');
    step.kind = colon == std::string_view::npos ? Step::Kind::Index : Step::Kind::Slice;
    std::string_view first = trimmed(text.substr(0, colon));
    std::string_view last = colon == std::string_view::npos ? "" : trimmed(text.substr(colon + 1));
    step.from = integer_of(first);
    step.to = integer_of(last);
    bool good = (step.from || (first.empty() && colon != std::string_view::npos)) && (step.to || last.empty());
    if (!good) return bad_path(text, "not an index, slice, name or filter");
    return step;
}

/// The name behind a point; `\` keeps the character behind it.
std::string take_name(std::string_view& text) {
    std::string name;
    while (!text.empty() && text.front() != '.' && text.front() != '[') {
        if (text.front() == '\\' && text.size() > 1) text.remove_prefix(1);
        name += text.front();
        text.remove_prefix(1);
    }
    return name;
}

Result<Step> point_step(std::string_view& text) {
    Step step;
    bool deep = text.starts_with("..");
    text.remove_prefix(deep ? 2 : 1);
    if (!deep && text.starts_with('[')) return bad_path(text, "a point before [");
    std::string name = take_name(text);
    if (name == "*") {
        step.kind = deep ? Step::Kind::Descend : Step::Kind::AnyField;
        return step;
    }
    step.kind = deep ? Step::Kind::Descend : Step::Kind::Field;
    if (name.empty()) return bad_path(text, "a point without a name");
    step.names.push_back(std::move(name));
    return step;
}

}  // namespace

Result<JsonPath> JsonPath::compile(std::string_view text) {
    std::string_view whole = trimmed(text);
    if (whole.size() > kMaxLength)
        return bad_path(whole.substr(0, 40), "longer than " + std::to_string(kMaxLength) + " bytes");
    if (whole.starts_with('{') && whole.ends_with('}')) whole = whole.substr(1, whole.size() - 2);
    if (whole.starts_with('$')) whole.remove_prefix(1);
    JsonPath path;
    std::string_view rest = whole;
    if (!rest.empty() && rest.front() != '.' && rest.front() != '[') return bad_path(whole, "must start with . or [");
    if (rest == ".") return path;
    while (!rest.empty()) {
        if (path.steps_.size() > 64) return bad_path(whole, "more than 64 steps");
        if (rest.front() == '.') {
            Result<Step> step = point_step(rest);
            if (!step) return step.error();
            path.steps_.push_back(std::make_shared<const Step>(std::move(*step)));
            continue;
        }
        std::size_t end = closing(rest);
        if (end == std::string_view::npos) return bad_path(whole, "[ without ]");
        Result<Step> step = bracket_step(rest.substr(1, end - 1));
        if (!step) return step.error();
        path.steps_.push_back(std::make_shared<const Step>(std::move(*step)));
        rest.remove_prefix(end + 1);
    }
    return path;
}

std::vector<const Json*> JsonPath::find(const Json& object) const {
    std::vector<const Json*> found = {&object};
    for (const auto& step : steps_) {
        std::vector<const Json*> next;
        for (const Json* value : found) take_step(*value, *step, next);
        found = std::move(next);
    }
    return found;
}

}  // namespace atl::schema
