#pragma once
// From the text of an expression to code for a small stack. Used by core/expressions/expression.cpp
// alone.

#include <string_view>
#include <vector>

#include "core/expressions/expression.hpp"

namespace hillock {

/// Values on the stack at once: the parser refuses deeper nesting long before.
inline constexpr std::size_t expression_stack_size = 512;

struct ParsedExpression {
  Dimension dimension;
  std::vector<Expression::Instruction> code;  ///< postfix, constants in SI
};

/// Reads arithmetic; `allowed` lists the variables that may stand in it. Throws ExpressionError.
ParsedExpression parse_expression(std::string_view text, const std::vector<Variable>& allowed);

/// Runs postfix code; the result is in SI. Both sides of a choice are computed, one is taken.
double run_postfix(const std::vector<Expression::Instruction>& code, const Bindings& bindings);

}  // namespace hillock
