#include "operator/schema/cel/lexer.h"

#include <algorithm>
#include <array>
#include <charconv>

namespace atl::schema::cel {
namespace {

constexpr std::string_view kSymbols[] = {"&&", "||", "==", "!=", "<=", ">=", "(", ")", "[", "]", "{", "}",
                                         ".",  ",",  ":",  "?",  "!",  "<",  ">", "+", "-", "*", "/", "%"};

bool is_digit(char c) {
    return c >= '0' && c <= '9';
}

bool is_letter(char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
}

int hex_digit(char c) {
    if (is_digit(c)) return c - '0';
    if (c >= 'a' && c <= 'f') return c - 'a' + 10;
    if (c >= 'A' && c <= 'F') return c - 'A' + 10;
    return -1;
}

void append_utf8(std::string& out, std::uint32_t rune) {
    auto put = [&](std::uint32_t byte) { out += static_cast<char>(byte); };
    if (rune < 0x80) return put(rune);
    if (rune < 0x800) {
        put(0xC0 | (rune >> 6));
    } else {
        if (rune < 0x10000) {
            put(0xE0 | (rune >> 12));
        } else {
            put(0xF0 | (rune >> 18));
            put(0x80 | ((rune >> 12) & 0x3F));
        }
        put(0x80 | ((rune >> 6) & 0x3F));
    }
    put(0x80 | (rune & 0x3F));
}

class Lexer {
public:
    Lexer(std::string_view source, std::vector<Problem>& problems) : source_(source), problems_(problems) {}

    std::vector<Token> run() {
        while (skip_space(), at_ < source_.size()) next();
        tokens_.push_back({TokenKind::End, "<EOF>", {}, source_.size()});
        return std::move(tokens_);
    }

private:
    char peek(std::size_t ahead = 0) const { return at_ + ahead < source_.size() ? source_[at_ + ahead] : '\0'; }

    void skip_space() {
        while (at_ < source_.size()) {
            if (source_[at_] == '/' && peek(1) == '/') {
                while (at_ < source_.size() && source_[at_] != '\n') ++at_;
            } else if (std::string_view(" \t\r\n\f").find(source_[at_]) != std::string_view::npos) {
                ++at_;
            } else {
                return;
            }
        }
    }

    void next() {
        start_ = at_;
        if (std::size_t prefix = string_prefix()) return string_literal(prefix - 1);
        if (is_letter(peek())) return identifier();
        if (is_digit(peek()) || (peek() == '.' && is_digit(peek(1)))) return number();
        for (std::string_view symbol : kSymbols) {
            if (source_.substr(at_).starts_with(symbol)) {
                at_ += symbol.size();
                return push(TokenKind::Symbol, std::string(symbol));
            }
        }
        problem("Syntax error: token recognition error at: '" + std::string(1, peek()) + "'");
        ++at_;
    }

    void push(TokenKind kind, std::string text, Value literal = {}) {
        tokens_.push_back({kind, std::move(text), std::move(literal), start_});
    }

    void problem(std::string text) { problems_.push_back({start_, std::move(text)}); }

    void identifier() {
        while (is_letter(peek()) || is_digit(peek())) ++at_;
        std::string word(source_.substr(start_, at_ - start_));
        if (word == "true" || word == "false") return push(TokenKind::Literal, word, Value(word == "true"));
        if (word == "null") return push(TokenKind::Literal, word, Value());
        push(word == "in" ? TokenKind::Symbol : TokenKind::Identifier, word);
    }

    void number() {
        bool hex = peek() == '0' && (peek(1) == 'x' || peek(1) == 'X');
        if (hex) return integer(16, at_ + 2);
        while (is_digit(peek())) ++at_;
        bool real = peek() == '.' && is_digit(peek(1));
        if (real) {
            ++at_;
            while (is_digit(peek())) ++at_;
        }
        bool exponent = (peek() == 'e' || peek() == 'E') &&
                        (is_digit(peek(1)) || ((peek(1) == '+' || peek(1) == '-') && is_digit(peek(2))));
        if (exponent) {
            at_ += 2;
            while (is_digit(peek())) ++at_;
        }
        if (!real && !exponent) {
            at_ = start_;
            return integer(10, start_);
        }
        std::string text(source_.substr(start_, at_ - start_));
        double value = 0;
        std::from_chars(text.data(), text.data() + text.size(), value);
        push(TokenKind::Literal, text, Value(value));
    }

    void integer(int base, std::size_t digits) {
        at_ = digits;
        while (base == 16 ? hex_digit(peek()) >= 0 : is_digit(peek())) ++at_;
        std::uint64_t value = 0;
        auto parsed = std::from_chars(source_.data() + digits, source_.data() + at_, value, base);
        bool fits = parsed.ec == std::errc() && parsed.ptr == source_.data() + at_ && at_ > digits;
        std::string text(source_.substr(start_, at_ - start_));
        if (peek() == 'u' || peek() == 'U') {
            ++at_;
            if (!fits) problem("invalid uint literal");
            return push(TokenKind::Literal, text + "u", Value(value));
        }
        // 9223372036854775808 is only good behind a minus; the parser negates it, which gives the least int back.
        constexpr std::uint64_t kMost = std::uint64_t{1} << 63;
        bool negated = !tokens_.empty() && tokens_.back().text == "-";
        if (!fits || value > kMost || (value == kMost && !negated)) problem("invalid int literal");
        push(TokenKind::Literal, text, Value(static_cast<std::int64_t>(value)));
    }

    /// 0 if no string starts here, else 1 + the length of its prefix (r, b, rb).
    std::size_t string_prefix() const {
        std::size_t length = 0;
        while (length < 2 && std::string_view("rRbB").find(peek(length)) != std::string_view::npos && peek(length) != 0)
            ++length;
        return peek(length) == '"' || peek(length) == '\'' ? length + 1 : 0;
    }

    void string_literal(std::size_t prefix) {
        bool raw = false, bytes = false;
        for (; prefix > 0; --prefix, ++at_) {
            raw = raw || peek() == 'r' || peek() == 'R';
            bytes = bytes || peek() == 'b' || peek() == 'B';
        }
        std::string quote(1, peek());
        if (peek(1) == quote[0] && peek(2) == quote[0]) quote = std::string(3, quote[0]);
        at_ += quote.size();
        std::string out;
        while (!source_.substr(at_).starts_with(quote)) {
            bool broken = at_ >= source_.size() || (quote.size() == 1 && peek() == '\n');
            if (broken || (peek() == '\\' && !raw && !escape(out, bytes))) {
                problem("Syntax error: token recognition error at: '" + std::string(source_.substr(start_)) + "'");
                at_ = source_.size();
                return;
            }
            if (broken) return;
            if (escaped_) {
                escaped_ = false;
                continue;
            }
            out += peek();
            ++at_;
        }
        at_ += quote.size();
        std::string text(source_.substr(start_, at_ - start_));
        push(TokenKind::Literal, text, bytes ? Value(BytesValue{Text::own(out)}) : Value::text(out));
    }

    /// Reads what follows a backslash; false if it is no escape.
    bool escape(std::string& out, bool bytes) {
        constexpr std::string_view kShort = "abfnrtv\\'\"`?";
        constexpr std::string_view kMeaning = "\a\b\f\n\r\t\v\\'\"`?";
        escaped_ = true;
        char c = peek(1);
        auto known = kShort.find(c);
        if (known != std::string_view::npos) {
            out += kMeaning[known];
            at_ += 2;
            return true;
        }
        if (c == 'x' || c == 'X') return numeric_escape(out, {2, 2, 16}, bytes);
        if (c == 'u') return numeric_escape(out, {2, 4, 16}, false);
        if (c == 'U') return numeric_escape(out, {2, 8, 16}, false);
        if (c >= '0' && c <= '3') return numeric_escape(out, {1, 3, 8}, bytes);
        return false;
    }

    struct NumericEscape {
        std::size_t start, length;
        std::uint32_t base;
    };

    bool numeric_escape(std::string& out, NumericEscape form, bool raw_byte) {
        std::uint32_t rune = 0;
        for (std::size_t i = 0; i < form.length; ++i) {
            int digit = hex_digit(peek(form.start + i));
            if (digit < 0 || static_cast<std::uint32_t>(digit) >= form.base) return false;
            rune = rune * form.base + static_cast<std::uint32_t>(digit);
        }
        at_ += form.start + form.length;
        if (rune > 0x10FFFF || (rune >= 0xD800 && rune <= 0xDFFF)) return false;
        if (raw_byte) {
            out += static_cast<char>(rune);
        } else {
            append_utf8(out, rune);
        }
        return true;
    }

    std::string_view source_;
    std::vector<Problem>& problems_;
    std::vector<Token> tokens_;
    std::size_t at_ = 0;
    std::size_t start_ = 0;
    bool escaped_ = false;
};

}  // namespace

std::vector<Token> tokenize(std::string_view source, std::vector<Problem>& problems) {
    return Lexer(source, problems).run();
}

std::string problems_text(std::string_view source, const std::vector<Problem>& problems) {
    std::string all;
    for (const Problem& problem : problems) {
        std::size_t offset = std::min(problem.offset, source.size());
        auto before = source.substr(0, offset);
        auto line_start = before.rfind('\n') == std::string_view::npos ? 0 : before.rfind('\n') + 1;
        auto line_number = std::ranges::count(before, '\n') + 1;
        std::size_t column = offset - line_start;
        std::string_view line = source.substr(line_start, source.find('\n', line_start) - line_start);
        if (!all.empty()) all += "\n";
        all += "ERROR: <input>:" + std::to_string(line_number) + ":" + std::to_string(column + 1) + ": " + problem.text;
        all += "\n | " + std::string(line) + "\n | " + std::string(column, '.') + "^";
    }
    return all;
}

}  // namespace atl::schema::cel
