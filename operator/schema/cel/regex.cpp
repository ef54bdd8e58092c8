#include "operator/schema/cel/regex.h"

#include <re2/re2.h>

namespace atl::schema::cel {
namespace {

/// Go's words for RE2's codes.
std::string words_for(const re2::RE2& regex) {
    std::string argument = "`" + regex.error_arg() + "`";
    switch (regex.error_code()) {
        case re2::RE2::ErrorBadEscape:
            return "invalid escape sequence: " + argument;
        case re2::RE2::ErrorBadCharClass:
            return "invalid character class: " + argument;
        case re2::RE2::ErrorBadCharRange:
            return "invalid character class range: " + argument;
        case re2::RE2::ErrorMissingBracket:
            return "missing closing ]: " + argument;
        case re2::RE2::ErrorMissingParen:
            return "missing closing ): " + argument;
        case re2::RE2::ErrorUnexpectedParen:
            return "unexpected ): " + argument;
        case re2::RE2::ErrorTrailingBackslash:
            return "trailing backslash at end of expression: ``";
        case re2::RE2::ErrorRepeatArgument:
            return "missing argument to repetition operator: " + argument;
        case re2::RE2::ErrorRepeatSize:
            return "invalid repeat count: " + argument;
        case re2::RE2::ErrorRepeatOp:
            return "invalid nested repetition operator: " + argument;
        case re2::RE2::ErrorBadPerlOp:
            return "invalid or unsupported Perl syntax: " + argument;
        case re2::RE2::ErrorBadUTF8:
            return "invalid UTF-8: " + argument;
        case re2::RE2::ErrorBadNamedCapture:
            return "invalid named capture: " + argument;
        default:
            return "expression too large: " + argument;
    }
}

re2::StringPiece piece(std::string_view text) {
    return {text.data(), text.size()};
}

}  // namespace

Result<Regex> Regex::compile(std::string_view pattern) {
    if (pattern.size() > kMaxLength) {
        return atl::invalid("BadPattern", "error parsing regexp: longer than " + std::to_string(kMaxLength) + " bytes");
    }
    re2::RE2::Options options;
    options.set_log_errors(false);
    auto regex = std::make_shared<const re2::RE2>(piece(pattern), options);
    if (!regex->ok()) return atl::invalid("BadPattern", "error parsing regexp: " + words_for(*regex));
    return Regex(std::move(regex));
}

bool Regex::search(std::string_view text) const {
    return regex_->Match(piece(text), 0, text.size(), re2::RE2::UNANCHORED, nullptr, 0);
}

std::string Regex::find(std::string_view text) const {
    re2::StringPiece match;
    if (!regex_->Match(piece(text), 0, text.size(), re2::RE2::UNANCHORED, &match, 1)) return "";
    return std::string(match.data(), match.size());
}

std::vector<std::string> Regex::find_all(std::string_view text, std::int64_t limit) const {
    std::vector<std::string> matches;
    re2::StringPiece match;
    std::size_t at = 0;
    while (at <= text.size() && (limit < 0 || static_cast<std::int64_t>(matches.size()) < limit)) {
        if (!regex_->Match(piece(text), at, text.size(), re2::RE2::UNANCHORED, &match, 1)) break;
        auto begin = static_cast<std::size_t>(match.data() - text.data());
        matches.emplace_back(match.data(), match.size());
        at = begin + (match.empty() ? 1 : match.size());
    }
    return matches;
}

}  // namespace atl::schema::cel
