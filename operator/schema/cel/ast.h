#pragma once

#include <string>
#include <vector>

#include "operator/schema/cel/value.h"

namespace atl::schema::cel {

struct Function;

enum class ExprKind {
    Literal,      ///< literal
    Identifier,   ///< name
    Select,       ///< args[0].name, or has(args[0].name), or args[0].?name
    Call,         ///< name(args…) or args[0].name(args[1]…)
    And,          ///< &&, absorbs the error of one side
    Or,           ///< ||
    Conditional,  ///< args[0] ? args[1] : args[2]
    List,         ///< args are the items
    Map,          ///< args are key, value, key, value…
    Macro,        ///< args[0].all(name, args[1]) and its kin
};

enum class Macro { All, Exists, ExistsOne, Filter, Map, OptionalMap, OptionalFlatMap };

/// A node of the syntax tree. The checker fills in what is marked so.
struct Expr {
    ExprKind kind = ExprKind::Literal;
    std::size_t offset = 0;  ///< of the node in the source, in bytes
    Value literal;
    std::string name;
    std::vector<Expr> args;
    bool is_member = false;      ///< Call: args[0] is the receiver
    bool is_test = false;        ///< Select: has()
    bool is_optional = false;    ///< Select: ?.
    std::vector<bool> optional;  ///< List, Map: which items are written [?x]
    Macro macro = Macro::All;
    int height = 1;  ///< of the tree below and with this node

    int slot = -1;                           ///< Identifier, Macro: where the variable lives (checker)
    std::vector<const Function*> overloads;  ///< Call: what may be meant (checker)
    bool is_type_name = false;               ///< Identifier: int, string… as a value (checker)
};

/// A syntax or type error, at a byte of the source.
struct Problem {
    std::size_t offset = 0;
    std::string text;
};

/// "ERROR: <input>:1:6: undefined field 'foo'\n | self.foo\n | .....^", all problems, as cel-go writes them.
std::string problems_text(std::string_view source, const std::vector<Problem>& problems);

}  // namespace atl::schema::cel
