#include "operator/schema/cel/parser.h"

#include <algorithm>

#include "operator/schema/cel/lexer.h"

namespace atl::schema::cel {
namespace {

constexpr std::string_view kReserved[] = {"as",        "break",  "const",  "continue", "else", "for",
                                          "function",  "if",     "import", "let",      "loop", "package",
                                          "namespace", "return", "var",    "void",     "while"};

struct MacroRow {
    std::string_view name;
    Macro macro;
};

constexpr MacroRow kMacros[] = {{"all", Macro::All},
                                {"exists", Macro::Exists},
                                {"exists_one", Macro::ExistsOne},
                                {"existsOne", Macro::ExistsOne},
                                {"filter", Macro::Filter},
                                {"map", Macro::Map},
                                {"optMap", Macro::OptionalMap},
                                {"optFlatMap", Macro::OptionalFlatMap}};

/// One level of binary operators; all associate to the left.
struct Level {
    std::vector<std::string_view> operators;
};

const Level kLevels[] = {{{"<", "<=", ">=", ">", "==", "!=", "in"}}, {{"+", "-"}}, {{"*", "/", "%"}}};

class Parser {
public:
    Parser(std::string_view source, std::vector<Problem>& problems) : problems_(problems) {
        tokens_ = tokenize(source, problems);
    }

    std::optional<Expr> run() {
        if (!problems_.empty()) return std::nullopt;
        Expr expr = expression();
        if (problems_.empty() && current().kind != TokenKind::End) {
            fail(current().offset, "Syntax error: extraneous input '" + current().text + "' expecting <EOF>");
        }
        if (!problems_.empty()) return std::nullopt;
        return expr;
    }

private:
    const Token& current() const { return tokens_[at_]; }
    bool is(std::string_view symbol) const { return current().kind == TokenKind::Symbol && current().text == symbol; }
    bool good() const { return problems_.empty(); }

    bool accept(std::string_view symbol) {
        if (!is(symbol)) return false;
        ++at_;
        return true;
    }

    void expect(std::string_view symbol) {
        if (good() && !accept(symbol)) unexpected("'" + std::string(symbol) + "'");
    }

    void fail(std::size_t offset, std::string text) {
        if (good()) problems_.push_back({offset, std::move(text)});
    }

    void unexpected(const std::string& wanted) {
        fail(current().offset, "Syntax error: mismatched input '" + current().text + "' expecting " + wanted);
    }

    Expr node(ExprKind kind, std::size_t offset, std::vector<Expr> args = {}) {
        Expr expr;
        expr.kind = kind;
        expr.offset = offset;
        expr.args = std::move(args);
        return measured(std::move(expr));
    }

    /// Knows how high the tree grows: whoever walks it recurses as deep.
    Expr measured(Expr expr) {
        expr.height = 1;
        for (const Expr& arg : expr.args) expr.height = std::max(expr.height, arg.height + 1);
        if (expr.height > kMaxNesting) {
            fail(expr.offset, "expression recursion limit exceeded: " + std::to_string(kMaxNesting));
        }
        return expr;
    }

    Expr call(std::string name, std::size_t offset, std::vector<Expr> args) {
        Expr expr = node(ExprKind::Call, offset, std::move(args));
        expr.name = std::move(name);
        return expr;
    }

    template <class... Parts>
    static std::vector<Expr> list(Parts... parts) {
        std::vector<Expr> all;
        (all.push_back(std::move(parts)), ...);
        return all;
    }

    Expr expression() {
        if (++depth_ > kMaxNesting)
            fail(current().offset, "expression recursion limit exceeded: " + std::to_string(kMaxNesting));
        Expr condition = good() ? disjunction() : Expr();
        std::size_t offset = current().offset;
        if (good() && accept("?")) {
            Expr yes = disjunction();
            expect(":");
            Expr no = good() ? expression() : Expr();
            condition = node(ExprKind::Conditional, offset, list(std::move(condition), std::move(yes), std::move(no)));
        }
        --depth_;
        return condition;
    }

    /// || and && hold all their terms in one node: a long chain is not a deep tree.
    Expr chain(ExprKind kind, std::string_view symbol, Expr (Parser::*below)()) {
        Expr first = (this->*below)();
        if (!is(symbol)) return first;
        Expr all = node(kind, current().offset, list(std::move(first)));
        while (good() && accept(symbol)) all.args.push_back((this->*below)());
        return measured(std::move(all));
    }

    Expr disjunction() { return chain(ExprKind::Or, "||", &Parser::conjunction); }
    Expr conjunction() { return chain(ExprKind::And, "&&", &Parser::relation); }
    Expr relation() { return binary(0); }

    Expr binary(std::size_t level) {
        if (level == std::size(kLevels)) return unary();
        Expr left = binary(level + 1);
        while (good() && current().kind == TokenKind::Symbol) {
            std::string name = current().text;
            if (std::ranges::find(kLevels[level].operators, name) == kLevels[level].operators.end()) break;
            std::size_t offset = current().offset;
            ++at_;
            Expr right = binary(level + 1);
            left = call(name == "in" ? "@in" : "_" + name + "_", offset, list(std::move(left), std::move(right)));
        }
        return left;
    }

    Expr unary() {
        std::size_t offset = current().offset;
        if (!is("!") && !is("-")) return member();
        std::string symbol = current().text;
        int count = 0;
        while (good() && accept(symbol)) ++count;
        Expr operand = member();
        bool number = symbol == "-" && operand.kind == ExprKind::Literal &&
                      (operand.literal.as<std::int64_t>() != nullptr || operand.literal.as<double>() != nullptr);
        if (count % 2 == 0) return operand;
        if (!number) return call(symbol == "!" ? "!_" : "-_", offset, list(std::move(operand)));
        if (const auto* whole = operand.literal.as<std::int64_t>()) {
            operand.literal = Value(static_cast<std::int64_t>(0 - static_cast<std::uint64_t>(*whole)));
        } else {
            operand.literal = Value(-*operand.literal.as<double>());
        }
        return operand;
    }

    Expr member() {
        Expr expr = primary();
        while (good()) {
            std::size_t offset = current().offset;
            if (!is(".") && !is("[")) break;
            expr = accept(".") ? selection(std::move(expr), offset) : index(std::move(expr), offset);
        }
        return expr;
    }

    Expr index(Expr target, std::size_t offset) {
        expect("[");
        bool optional = accept("?");
        Expr key = expression();
        expect("]");
        return call(optional ? "_[?_]" : "_[_]", offset, list(std::move(target), std::move(key)));
    }

    Expr selection(Expr target, std::size_t offset) {
        bool optional = accept("?");
        std::string name = identifier();
        std::size_t open = current().offset;
        if (!optional && good() && accept("(")) return member_call(std::move(target), name, open);
        Expr select = node(ExprKind::Select, offset, list(std::move(target)));
        select.name = std::move(name);
        select.is_optional = optional;
        return select;
    }

    std::string identifier() {
        if (current().kind != TokenKind::Identifier) {
            unexpected("IDENTIFIER");
            return "";
        }
        return tokens_[at_++].text;
    }

    std::vector<Expr> arguments() {
        std::vector<Expr> args;
        while (good() && !is(")")) {
            args.push_back(expression());
            if (!accept(",")) break;
        }
        expect(")");
        return args;
    }

    Expr member_call(Expr target, const std::string& name, std::size_t offset) {
        std::vector<Expr> args = arguments();
        auto row = std::ranges::find(kMacros, name, &MacroRow::name);
        bool is_map_filter = row != std::end(kMacros) && row->macro == Macro::Map && args.size() == 3;
        if (row != std::end(kMacros) && (args.size() == 2 || is_map_filter)) {
            return macro(*row, std::move(target), std::move(args), offset);
        }
        args.insert(args.begin(), std::move(target));
        Expr expr = call(name, offset, std::move(args));
        expr.is_member = true;
        return expr;
    }

    Expr macro(const MacroRow& row, Expr target, std::vector<Expr> args, std::size_t offset) {
        if (args[0].kind != ExprKind::Identifier) fail(args[0].offset, "argument must be a simple name");
        Expr expr = node(ExprKind::Macro, offset, list(std::move(target)));
        expr.macro = row.macro;
        expr.name = args[0].name;
        for (std::size_t i = 1; i < args.size(); ++i) expr.args.push_back(std::move(args[i]));
        return measured(std::move(expr));
    }

    Expr primary() {
        const Token token = current();
        if (token.kind == TokenKind::Literal) {
            ++at_;
            Expr literal = node(ExprKind::Literal, token.offset);
            literal.literal = token.literal;
            return literal;
        }
        if (accept("(")) {
            Expr inner = expression();
            expect(")");
            return inner;
        }
        if (accept("[")) return list_literal(token.offset);
        if (accept("{")) return map_literal(token.offset);
        accept(".");
        if (current().kind != TokenKind::Identifier) {
            unexpected(
                "{'[', '{', '(', '.', '-', '!', 'true', 'false', 'null', NUM_FLOAT, NUM_INT, NUM_UINT, STRING, BYTES, "
                "IDENTIFIER}");
            return {};
        }
        return named(token.offset);
    }

    Expr named(std::size_t offset) {
        std::string name = identifier();
        if (std::ranges::find(kReserved, name) != std::end(kReserved)) fail(offset, "reserved identifier: " + name);
        std::size_t open = current().offset;
        if (accept("(")) {
            std::vector<Expr> args = arguments();
            return name == "has" ? presence(std::move(args), open) : call(name, open, std::move(args));
        }
        Expr expr = node(ExprKind::Identifier, offset);
        expr.name = std::move(name);
        return expr;
    }

    Expr presence(std::vector<Expr> args, std::size_t offset) {
        bool good_shape = args.size() == 1 && args[0].kind == ExprKind::Select && !args[0].is_test;
        if (!good_shape) {
            fail(args.empty() ? offset : args[0].offset, "invalid argument to has() macro");
            return {};
        }
        Expr test = std::move(args[0]);
        test.is_test = true;
        test.offset = offset;
        return test;
    }

    Expr list_literal(std::size_t offset) {
        Expr expr = node(ExprKind::List, offset);
        while (good() && !is("]")) {
            expr.optional.push_back(accept("?"));
            expr.args.push_back(expression());
            if (!accept(",")) break;
        }
        expect("]");
        return measured(std::move(expr));
    }

    Expr map_literal(std::size_t offset) {
        Expr expr = node(ExprKind::Map, offset);
        while (good() && !is("}")) {
            expr.optional.push_back(accept("?"));
            expr.args.push_back(expression());
            expect(":");
            if (good()) expr.args.push_back(expression());
            if (!accept(",")) break;
        }
        expect("}");
        return measured(std::move(expr));
    }

    std::vector<Problem>& problems_;
    std::vector<Token> tokens_;
    std::size_t at_ = 0;
    int depth_ = 0;
};

}  // namespace

std::optional<Expr> parse(std::string_view source, std::vector<Problem>& problems) {
    if (source.size() > kMaxExpressionLength) {
        problems.push_back({0, "expression code point size exceeds limit: " + std::to_string(kMaxExpressionLength)});
        return std::nullopt;
    }
    return Parser(source, problems).run();
}

}  // namespace atl::schema::cel
