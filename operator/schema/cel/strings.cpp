#include <algorithm>
#include <map>

#include "operator/schema/cel/format.h"
#include "operator/schema/cel/function.h"
#include "operator/schema/cel/regex.h"
#include "operator/schema/go_text.h"

namespace atl::schema::cel {
namespace {

using Args = std::span<const Value>;

constexpr std::size_t kMostPatterns = 200;

/// Where each code point starts, and the end. Positions in CEL count code points.
std::vector<std::size_t> rune_starts(std::string_view text) {
    std::vector<std::size_t> starts;
    for (std::size_t at = 0; at < text.size(); ++at) {
        if ((static_cast<unsigned char>(text[at]) & 0xC0) != 0x80) starts.push_back(at);
    }
    starts.push_back(text.size());
    return starts;
}

std::int64_t rune_length(std::string_view text) {
    return static_cast<std::int64_t>(rune_starts(text).size()) - 1;
}

Value size_of_text(Args args) {
    return Value(rune_length(args[0].string()));
}

Value size_of_bytes(Args args) {
    return Value(static_cast<std::int64_t>(args[0].as<BytesValue>()->text.get().size()));
}

Value starts_with(Args args) {
    return Value(args[0].string().starts_with(args[1].string()));
}

Value ends_with(Args args) {
    return Value(args[0].string().ends_with(args[1].string()));
}

Value contains_text(Args args) {
    return Value(args[0].string().find(args[1].string()) != std::string_view::npos);
}

Value with_regex(Args args, Value (*use)(const Regex&, Args)) {
    // Rules use the same few patterns again and again, and compiling one costs more than matching.
    thread_local std::map<std::string, Regex, std::less<>> known;
    auto found = known.find(args[1].string());
    if (found == known.end()) {
        Result<Regex> regex = Regex::compile(args[1].string());
        if (!regex) return Value::fail(regex.error().message());
        if (known.size() >= kMostPatterns) known.clear();
        found = known.emplace(std::string(args[1].string()), std::move(*regex)).first;
    }
    return use(found->second, args);
}

Value matches(Args args) {
    return with_regex(args, [](const Regex& regex, Args all) { return Value(regex.search(all[0].string())); });
}

Value find_first(Args args) {
    return with_regex(args, [](const Regex& regex, Args all) { return Value::text(regex.find(all[0].string())); });
}

Value find_every(Args args) {
    return with_regex(args, [](const Regex& regex, Args all) {
        Values found;
        for (std::string& match : regex.find_all(all[0].string(), all.size() > 2 ? all[2].integer() : -1)) {
            found.push_back(Value::text(std::move(match)));
        }
        return Value::list(std::move(found));
    });
}

Value char_at(Args args) {
    std::string_view text = args[0].string();
    auto starts = rune_starts(text);
    std::int64_t at = args[1].integer();
    std::int64_t length = static_cast<std::int64_t>(starts.size()) - 1;
    if (at < 0 || at > length) return Value::fail("index out of range: " + std::to_string(at));
    if (at == length) return Value::text("");
    auto index = static_cast<std::size_t>(at);
    return Value::text(std::string(text.substr(starts[index], starts[index + 1] - starts[index])));
}

std::int64_t rune_index(std::string_view text, std::size_t byte) {
    return rune_length(text.substr(0, byte));
}

Value index_of(Args args) {
    std::string_view text = args[0].string();
    auto starts = rune_starts(text);
    std::int64_t from = args.size() > 2 ? args[2].integer() : 0;
    if (from < 0 || from >= static_cast<std::int64_t>(starts.size()))
        return Value::fail("index out of range: " + std::to_string(from));
    auto found = text.find(args[1].string(), starts[static_cast<std::size_t>(from)]);
    return Value(found == std::string_view::npos ? std::int64_t{-1} : rune_index(text, found));
}

Value last_index_of(Args args) {
    std::string_view text = args[0].string();
    auto starts = rune_starts(text);
    std::size_t from = std::string_view::npos;
    if (args.size() > 2) {
        std::int64_t limit = args[2].integer();
        if (limit < 0 || limit >= static_cast<std::int64_t>(starts.size()))
            return Value::fail("index out of range: " + std::to_string(limit));
        from = starts[static_cast<std::size_t>(limit)];
    }
    auto found = text.rfind(args[1].string(), from);
    return Value(found == std::string_view::npos ? std::int64_t{-1} : rune_index(text, found));
}

Value mapped(Args args, char first, char last, int shift) {
    std::string text(args[0].string());
    for (char& c : text) {
        if (c >= first && c <= last) c = static_cast<char>(c + shift);
    }
    return Value::text(std::move(text));
}

Value lower(Args args) {
    return mapped(args, 'A', 'Z', 'a' - 'A');
}

Value upper(Args args) {
    return mapped(args, 'a', 'z', 'A' - 'a');
}

Value replace(Args args) {
    std::string_view text = args[0].string(), from = args[1].string(), to = args[2].string();
    std::int64_t left = args.size() > 3 ? args[3].integer() : -1;
    std::string out;
    if (from.empty()) {
        auto starts = rune_starts(text);
        for (std::size_t i = 0; i < starts.size(); ++i, --left) {
            if (left != 0) out += to;
            if (i + 1 < starts.size()) out += text.substr(starts[i], starts[i + 1] - starts[i]);
            if (left == 0) ++left;
        }
        return Value::text(std::move(out));
    }
    for (auto found = text.find(from); found != std::string_view::npos && left != 0; found = text.find(from), --left) {
        out += text.substr(0, found);
        out += to;
        text.remove_prefix(found + from.size());
    }
    return Value::text(out.append(text));
}

Value split(Args args) {
    std::string_view text = args[0].string(), separator = args[1].string();
    std::int64_t limit = args.size() > 2 ? args[2].integer() : -1;
    Values parts;
    if (limit == 0) return Value::list({});
    while (limit < 0 || static_cast<std::int64_t>(parts.size()) + 1 < limit) {
        if (separator.empty() && text.empty()) return Value::list(std::move(parts));
        std::size_t end = separator.empty() ? rune_starts(text.substr(0, 4))[1] : text.find(separator);
        if (end == std::string_view::npos || (separator.empty() && end == text.size())) break;
        parts.push_back(Value::text(std::string(text.substr(0, end))));
        text.remove_prefix(end + separator.size());
    }
    parts.push_back(Value::text(std::string(text)));
    return Value::list(std::move(parts));
}

Value substring(Args args) {
    std::string_view text = args[0].string();
    auto starts = rune_starts(text);
    std::int64_t length = static_cast<std::int64_t>(starts.size()) - 1;
    std::int64_t from = args[1].integer();
    std::int64_t to = args.size() > 2 ? args[2].integer() : length;
    if (from < 0 || from > length) return Value::fail("index out of range: " + std::to_string(from));
    if (to < 0 || to > length) return Value::fail("index out of range: " + std::to_string(to));
    if (from > to) {
        return Value::fail("invalid substring range. start: " + std::to_string(from) + ", end: " + std::to_string(to));
    }
    std::size_t begin = starts[static_cast<std::size_t>(from)];
    return Value::text(std::string(text.substr(begin, starts[static_cast<std::size_t>(to)] - begin)));
}

Value trim(Args args) {
    constexpr std::string_view kSpaces = " \t\n\v\f\r";
    std::string_view text = args[0].string();
    auto begin = text.find_first_not_of(kSpaces);
    if (begin == std::string_view::npos) return Value::text("");
    return Value::text(std::string(text.substr(begin, text.find_last_not_of(kSpaces) - begin + 1)));
}

Value join(Args args) {
    std::string out;
    for (std::size_t i = 0; i < list_size(args[0]); ++i) {
        Value item = list_item(args[0], i);
        if (item.as<Text>() == nullptr) return Value::fail("join: invalid input: " + plain_text(item));
        if (i > 0 && args.size() > 1) out += args[1].string();
        out += item.string();
    }
    return Value::text(std::move(out));
}

Value format(Args args) {
    return format_text(args[0].string(), args[1]);
}

Value quote(Args args) {
    return Value::text(go_quote(args[0].string()));
}

// clang-format off
constexpr FunctionRow kStrings[] = {
    {"size",          "(string) int",                         size_of_text},
    {"size",          "string.() int",                        size_of_text},
    {"size",          "(bytes) int",                          size_of_bytes},
    {"size",          "bytes.() int",                         size_of_bytes},
    {"startsWith",    "string.(string) bool",                 starts_with},
    {"endsWith",      "string.(string) bool",                 ends_with},
    {"contains",      "string.(string) bool",                 contains_text},
    {"matches",       "string.(string) bool",                 matches},
    {"matches",       "(string, string) bool",                matches},
    {"find",          "string.(string) string",               find_first},
    {"findAll",       "string.(string) list(string)",         find_every},
    {"findAll",       "string.(string, int) list(string)",    find_every},
    {"charAt",        "string.(int) string",                  char_at},
    {"indexOf",       "string.(string) int",                  index_of},
    {"indexOf",       "string.(string, int) int",             index_of},
    {"lastIndexOf",   "string.(string) int",                  last_index_of},
    {"lastIndexOf",   "string.(string, int) int",             last_index_of},
    {"lowerAscii",    "string.() string",                     lower},
    {"upperAscii",    "string.() string",                     upper},
    {"replace",       "string.(string, string) string",       replace},
    {"replace",       "string.(string, string, int) string",  replace},
    {"split",         "string.(string) list(string)",         split},
    {"split",         "string.(string, int) list(string)",    split},
    {"substring",     "string.(int) string",                  substring},
    {"substring",     "string.(int, int) string",             substring},
    {"trim",          "string.() string",                     trim},
    {"join",          "list(string).() string",               join},
    {"join",          "list(string).(string) string",         join},
    {"format",        "string.(list(dyn)) string",            format},
    {"strings.quote", "(string) string",                      quote},
};
// clang-format on

}  // namespace

std::span<const FunctionRow> string_functions() {
    return kStrings;
}

}  // namespace atl::schema::cel
