#pragma once

#include <optional>
#include <string_view>
#include <vector>

#include "operator/schema/cel/ast.h"

namespace atl::schema::cel {

/// Nesting over this, or texts over kMaxExpressionLength, are refused: evaluation recurses as deep as the tree.
inline constexpr int kMaxNesting = 100;
inline constexpr std::size_t kMaxExpressionLength = 100000;

/// Parses an expression, with macros expanded. nullopt with at least one problem, or the tree and none.
std::optional<Expr> parse(std::string_view source, std::vector<Problem>& problems);

}  // namespace atl::schema::cel
