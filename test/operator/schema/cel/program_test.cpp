#include "operator/schema/cel/program.h"

#include <gtest/gtest.h>

#include "operator/schema/cel/format.h"
#include "operator/schema/cel/parser.h"

namespace atl::schema::cel {
namespace {

/// What an expression comes to, as text; "! why" if it fails, "refused: why" if it does not compile.
std::string result_of(std::string_view source) {
    Result<Program> program = Program::compile(source, {}, Kind::Dyn);
    if (!program) return "refused: " + program.error().message();
    Budget budget;
    Value value = program->run({}, budget);
    if (const auto* failure = value.as<Failure>()) return "! " + failure->message;
    return plain_text(value);
}

struct Row {
    const char* source;
    const char* result;
};

TEST(Program, EvaluatesTheLanguage) {
    const Row rows[] = {
        {"1 + 2 * 3", "7"},
        {"(1 + 2) * 3", "9"},
        {"7 / 2", "3"},
        {"-7 % 3", "-1"},
        {"7.0 / 2.0", "3.5"},
        {"0x10", "16"},
        {"3u + 4u", "7"},
        {"-9223372036854775808", "-9223372036854775808"},
        {"1e3", "1000"},
        {"string(1e6)", "1e+06"},
        {"true ? 'a' : 'b'", "a"},
        {"false ? 1 : true ? 2 : 3", "2"},
        {"1 < 2 && 2 <= 2 && 3 > 2 && 3 >= 3 && 1 != 2", "true"},
        {"!true || !false", "true"},
        {"1 == 1.0",
         "refused: compilation failed: ERROR: <input>:1:3: found no matching overload for '_==_' applied to "
         "'(int, double)'\n | 1 == 1.0\n | ..^"},
        {"dyn(1) == 1.0", "true"},
        {"1 < 1.5", "true"},
        {"2 in [1, 2]", "true"},
        {"'a' in {'a': 1}", "true"},
        {"[1, 2, 3][1]", "2"},
        {"{'a': 1, 'b': 2}['b']", "2"},
        {"{'a': {'b': 3}}.a.b", "3"},
        {"has({'a': 1}.a) && !has({'a': 1}.b)", "true"},
        {"[1, 2] + [3]", "[1, 2, 3]"},
        {"[1, 2] == [1, 2]", "true"},
        {"{'a': 1} == {'a': 1}", "true"},
        {"type(1) == int && type('') == string && type([]) == list", "true"},
        {"r'\\d' + '\\n' == '\\\\d\\n'", "true"},
        {"'''it's'''", "it's"},
        {"b'abc' == bytes('abc')", "true"},
        {"\"\\u00e9\" == 'é'", "true"},
        {"null == null", "true"},
        {"// comment\n1", "1"},
    };
    for (const Row& row : rows) EXPECT_EQ(result_of(row.source), row.result) << row.source;
}

TEST(Program, EvaluatesMacros) {
    const Row rows[] = {
        {"[1, 2, 3].all(x, x > 0)", "true"},
        {"[1, 2, 3].exists(x, x > 2)", "true"},
        {"[1, 2, 3].exists_one(x, x > 2)", "true"},
        {"[1, 2, 3].map(x, x * 2)", "[2, 4, 6]"},
        {"[1, 2, 3].map(x, x > 1, x * 2)", "[4, 6]"},
        {"[1, 2, 3].filter(x, x != 2)", "[1, 3]"},
        {"{'a': 1, 'b': 2}.all(k, k != 'c')", "true"},
        {"[[1], [2, 3]].all(x, x.exists(y, y in x))", "true"},
        {"[1, 2].all(x, [3, 4].all(y, x < y))", "true"},
        {"optional.of(1).optMap(x, x + 1).orValue(0)", "2"},
        {"{'a': 1}.?a.orValue(7) + {'b': 1}.?a.orValue(7)", "8"},
        {"{'a': 1}[?'b'].hasValue()", "false"},
        {"[?optional.of(1), ?optional.none(), 3]", "[1, 3]"},
    };
    for (const Row& row : rows) EXPECT_EQ(result_of(row.source), row.result) << row.source;
}

TEST(Program, HasTheFunctionsOfKubernetes) {
    const Row rows[] = {
        {"size('héllo')", "5"},
        {"'hello'.size() + [1].size() + {'a': 1}.size()", "7"},
        {"'hello'.startsWith('he') && 'hello'.endsWith('lo') && 'hello'.contains('ell')", "true"},
        {"'a1'.matches('^[a-z][0-9]$')", "true"},
        {"'a,b,c'.split(',')", "[\"a\", \"b\", \"c\"]"},
        {"'a,b,c'.split(',', 2)", "[\"a\", \"b,c\"]"},
        {"'abc'.split('')", "[\"a\", \"b\", \"c\"]"},
        {"['a', 'b'].join('-')", "a-b"},
        {"'aXbX'.replace('X', '_')", "a_b_"},
        {"'aXbX'.replace('X', '_', 1)", "a_bX"},
        {"'AbC'.lowerAscii() + 'AbC'.upperAscii()", "abcABC"},
        {"'  x '.trim()", "x"},
        {"'héllo'.substring(1, 3)", "él"},
        {"'hello'.indexOf('l')", "2"},
        {"'hello'.lastIndexOf('l')", "3"},
        {"'hello'.charAt(1)", "e"},
        {"'%s has %d of %.2f'.format(['a', 3, 1.5])", "a has 3 of 1.50"},
        {"'abc 123'.find('[0-9]+')", "123"},
        {"'1 22 333'.findAll('[0-9]+', 2)", "[\"1\", \"22\"]"},
        {"[1, 2, 2].isSorted() && !['b', 'a'].isSorted()", "true"},
        {"[1, 2, 3].sum() + [4, 9].max() - [4, 9].min()", "11"},
        {"[1.5, 2.5].sum()", "4"},
        {"[1, 2, 1].indexOf(2) + [1, 2, 1].lastIndexOf(1)", "3"},
        {"int('42') + int(3.9)", "45"},
        {"string(1) + string(true) + string(1.5)", "1true1.5"},
        {"double('1.5') > 1.0 && bool('true')", "true"},
        {"duration('1h30m') > duration('89m')", "true"},
        {"string(duration('90m'))", "5400s"},
        {"duration('90m').getHours()", "1"},
        {"timestamp('2026-01-02T03:04:05Z').getFullYear()", "2026"},
        {"timestamp('2026-01-02T03:04:05Z') + duration('1h') == timestamp('2026-01-02T04:04:05Z')", "true"},
        {"isURL('https://a.b:80/c?d=e') && url('https://a.b:80/c?d=e').getPort() == '80'", "true"},
        {"quantity('1Gi').isGreaterThan(quantity('1G'))", "true"},
        {"quantity('500m').add(quantity('1500m')).asInteger()", "2"},
        {"quantity('1e99').isLessThan(quantity('8Ei'))", "false"},
        {"quantity('99999999999999999999999999999999').compareTo(quantity('8Ei'))", "0"},
        {"quantity('-1e99').isLessThan(quantity('-8E'))", "true"},
        {"quantity('9223372036854775806').isLessThan(quantity('8Ei'))", "true"},
        {"quantity('0.5000000000000000000000000000000000Ei').compareTo(quantity('512Pi'))", "0"},
        {"quantity('0.00000000000000000000000000000000001E').isLessThan(quantity('2n'))", "true"},
        {"isQuantity('10x')", "false"},
        {"isIP('10.0.0.1') && !isIP('10.0.0.256') && ip('::1').isLoopback()", "true"},
        {"cidr('10.0.0.0/8').containsIP('10.1.2.3') && !cidr('10.0.0.0/8').containsIP(ip('11.0.0.1'))", "true"},
        {"[1, 1, 2].distinct().reverse()", "[2, 1]"},
        {"[3, 1, 2].sort().slice(0, 2)", "[1, 2]"},
        {"[[1], [2, 3]].flatten()", "[1, 2, 3]"},
        {"[1, 2].first().orValue(0) + [1, 2].last().orValue(0)", "3"},
        {"type(duration('1s')) == google.protobuf.Duration", "true"},
        {"'%s'.format([['a', 1]])", "[\"a\", 1]"},
        {"'%e'.format([1.5])", "1.500000×10⁰⁰"},
        {"sets.contains([1, 2, 3], [1, 2]) && sets.intersects([1], [1, 2])", "true"},
    };
    for (const Row& row : rows) EXPECT_EQ(result_of(row.source), row.result) << row.source;
}

TEST(Program, FailsWithTheWordsOfCel) {
    const Row rows[] = {
        {"{'a': 1}.b", "! no such key: b"},
        {"[1][2]", "! index out of bounds: 2"},
        {"1 / 0", "! division by zero"},
        {"1 % 0", "! modulus by zero"},
        {"9223372036854775807 + 1", "! integer overflow"},
        {"dyn('a') + 1", "! no such overload: _+_(string, int)"},
        {"dyn(1).startsWith('a')", "! no such overload: startsWith(int, string)"},
    };
    for (const Row& row : rows) EXPECT_EQ(result_of(row.source), row.result) << row.source;
}

TEST(Program, AndAndOrLetTheDecidingSidePass) {
    EXPECT_EQ(result_of("{'a': 1}.b == 1 || true"), "true");
    EXPECT_EQ(result_of("{'a': 1}.b == 1 && false"), "false");
    EXPECT_EQ(result_of("[0, 1].exists(x, 1 / x == 1)"), "true");
    EXPECT_EQ(result_of("{'a': 1}.b == 1 || false"), "! no such key: b");
}

TEST(Program, RefusesWhatItCannotEvaluate) {
    const Row rows[] = {
        {"foo(1)",
         "refused: compilation failed: ERROR: <input>:1:4: undeclared reference to 'foo' (in container '')\n | "
         "foo(1)\n | ...^"},
        {"[1, 'a']",
         "refused: compilation failed: ERROR: <input>:1:5: expected type 'int' but found 'string'\n | [1, 'a']\n | "
         "....^"},
        {"9223372036854775808",
         "refused: compilation failed: ERROR: <input>:1:1: invalid int literal\n | 9223372036854775808\n | ^"},
        {"x + 1",
         "refused: compilation failed: ERROR: <input>:1:1: undeclared reference to 'x' (in container '')\n | x + 1\n | "
         "^"},
        {"1 + 'a'",
         "refused: compilation failed: ERROR: <input>:1:3: found no matching overload for '_+_' applied to "
         "'(int, string)'\n | 1 + 'a'\n | ..^"},
        {"'a'.size(1)",
         "refused: compilation failed: ERROR: <input>:1:9: found no matching overload for 'size' applied to "
         "'string.(int)'\n | 'a'.size(1)\n | ........^"},
    };
    for (const Row& row : rows) EXPECT_EQ(result_of(row.source), row.result) << row.source;
    for (const char* broken :
         {"1 +", "(1", "'a", "a b", "if", "[1, 2", "{1: }", "has(1)", "1 ? 2", "\x01", "a.b.", "..", "1..2"}) {
        EXPECT_TRUE(result_of(broken).starts_with("refused: ")) << broken << ": " << result_of(broken);
    }
}

TEST(Program, AKindIsDemanded) {
    EXPECT_EQ(Program::compile("1", {}, Kind::Bool).error().message(), "cel expression must evaluate to a bool");
    EXPECT_TRUE(Program::compile("dyn(1)", {}, Kind::Bool).ok());
}

TEST(Program, StopsAtItsBudget) {
    std::string list = "[";
    for (int i = 0; i < 300; ++i) list += "1,";
    list += "1]";
    std::string source = list + ".all(a, " + list + ".all(b, " + list + ".all(c, a + b + c > 0)))";
    Result<Program> program = Program::compile(source, {}, Kind::Bool);
    ASSERT_TRUE(program.ok());
    Budget budget;
    Value value = program->run({}, budget);
    ASSERT_TRUE(value.failed());
    EXPECT_EQ(value.as<Failure>()->message, kCostExceeded);
    EXPECT_LT(budget.left, Budget::kPerObject - Budget::kPerCall + 1);
}

TEST(Program, DeepNestingIsRefusedNotOverflowed) {
    for (const std::string& unit :
         {std::string("("), std::string("["), std::string("!("), std::string("-("), std::string("{1:")}) {
        std::string deep;
        for (int i = 0; i < 20000; ++i) deep += unit;
        EXPECT_TRUE(result_of(deep).starts_with("refused: ")) << unit;
    }
    std::string sum = "1";
    for (int i = 0; i < 20000; ++i) sum += "+1";
    EXPECT_TRUE(result_of(sum).starts_with("refused: "));
    std::string chain = "true";
    for (int i = 0; i < 1000; ++i) chain += " && true";
    EXPECT_EQ(result_of(chain), "true");
}

TEST(Program, RandomTextNeverCrashes) {
    const char* parts[] = {"1",    "'a'", "x",  ".",    "(",  ")",   "[",   "]",   "{",    "}",    "+", "-",
                           "?",    ":",   "&&", "||",   "in", "all", "has", ",",   "self", "size", "!", "1.5",
                           "b'x'", "\\",  "\"", "null", "==", "_",   "é",   "map", "%",    "0x"};
    std::uint32_t state = 7;
    for (int round = 0; round < 20000; ++round) {
        std::string source;
        for (int i = 0; i < 12; ++i) {
            state = state * 1664525u + 1013904223u;
            source += parts[(state >> 16) % std::size(parts)];
            if (state & 1024) source += ' ';
        }
        result_of(source);
    }
}

}  // namespace
}  // namespace atl::schema::cel
