#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "operator/schema/cel/ast.h"

namespace atl::schema::cel {

enum class TokenKind { Identifier, Literal, Symbol, End };

struct Token {
    TokenKind kind = TokenKind::End;
    std::string text;  ///< an identifier's name, a symbol; of a literal as written
    Value literal;
    std::size_t offset = 0;
};

/// Cuts an expression into tokens, the last of which is End. Adds to `problems` what cannot be one.
std::vector<Token> tokenize(std::string_view source, std::vector<Problem>& problems);

}  // namespace atl::schema::cel
