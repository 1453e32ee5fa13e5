#include "core/expressions/expression.hpp"

#include <algorithm>
#include <cmath>

#include "core/expressions/expression_parser.hpp"
#include "core/expressions/remainder.hpp"
#include "core/simd/exponential.hpp"
#include "core/units/quantity.hpp"

namespace hillock {

std::string_view name_of(Variable variable) {
  switch (variable) {
    case Variable::index:
      return "index";
    case Variable::size:
      return "size";
    case Variable::distance:
      return "distance";
    case Variable::x:
      return "x";
    case Variable::y:
      return "y";
    case Variable::z:
      return "z";
    case Variable::diam:
      return "diam";
    case Variable::r:
      return "r";
  }
  return "";
}

namespace {

constexpr std::size_t longest_text = 4096;

double value_of(Variable variable, const Bindings& bindings) {
  switch (variable) {
    case Variable::index:
      return bindings.index;
    case Variable::size:
      return bindings.size;
    case Variable::distance:
      return bindings.distance_um * si_factor(Variable::distance);
    case Variable::x:
      return bindings.x_um * si_factor(Variable::x);
    case Variable::y:
      return bindings.y_um * si_factor(Variable::y);
    case Variable::z:
      return bindings.z_um * si_factor(Variable::z);
    case Variable::diam:
      return bindings.diam_um * si_factor(Variable::diam);
    case Variable::r:
      return bindings.r;
  }
  return 0;
}

/// Of one operand; nothing for other operations.
std::optional<double> applied(Expression::Operation operation, double a) {
  using Operation = Expression::Operation;
  switch (operation) {
    case Operation::negate:
      return -a;
    case Operation::exp:
      return exponential(a);
    case Operation::log:
      return std::log(a);
    case Operation::sqrt:
      return std::sqrt(a);
    case Operation::sin:
      return std::sin(a);
    case Operation::cos:
      return std::cos(a);
    case Operation::tanh:
      return std::tanh(a);
    case Operation::abs:
      return std::abs(a);
    case Operation::floor:
      return std::floor(a);
    default:
      return std::nullopt;
  }
}

/// Of two operands.
double applied(Expression::Operation operation, double a, double b) {
  using Operation = Expression::Operation;
  switch (operation) {
    case Operation::add:
      return a + b;
    case Operation::subtract:
      return a - b;
    case Operation::multiply:
      return a * b;
    case Operation::divide:
      return a / b;
    case Operation::power:
      return std::pow(a, b);
    case Operation::less:
      return a < b;
    case Operation::less_equal:
      return a <= b;
    case Operation::greater:
      return a > b;
    case Operation::greater_equal:
      return a >= b;
    case Operation::equal:
      return a == b;
    case Operation::not_equal:
      return a != b;
    case Operation::min:  // what is not a number stays so, whichever side it is on
      return b < a || std::isnan(b) ? b : a;
    case Operation::max:
      return b > a || std::isnan(b) ? b : a;
    case Operation::mod:
      return floored_remainder(a, b);
    default:
      return a;
  }
}

}  // namespace

double run_postfix(const std::vector<Expression::Instruction>& code, const Bindings& bindings) {
  double stack[expression_stack_size];
  std::size_t top = 0;
  for (const auto& step : code) {
    if (step.operation == Operation::constant) {
      stack[top++] = step.constant;
    } else if (step.operation == Operation::variable) {
      stack[top++] = value_of(step.variable, bindings);
    } else if (step.operation == Operation::choose) {
      top -= 2;
      stack[top - 1] = stack[top - 1] != 0 ? stack[top] : stack[top + 1];
    } else if (const auto one = applied(step.operation, stack[top - 1])) {
      stack[top - 1] = *one;
    } else {
      --top;
      stack[top - 1] = applied(step.operation, stack[top - 1], stack[top]);
    }
  }
  return stack[0];
}

std::variant<Expression, ExpressionError> Expression::parse(std::string_view text, const Unit& unit,
                                                            const std::vector<Variable>& allowed) {
  Expression expression;
  expression.text_ = std::string(text);
  expression.unit_ = unit;
  if (const auto quantity = read_quantity(text); quantity && quantity->unit) {
    if (!std::isfinite(quantity->value)) return ExpressionError{0, "the number is too large"};
    if (quantity->unit->dimension != unit.dimension)
      return ExpressionError{0, std::string(trim(text)) + " is " +
                                    describe(quantity->unit->dimension) + "; " +
                                    describe(unit.dimension) + " is needed"};
    expression.is_literal_ = true;
    expression.literal_ = convert(quantity->value, *quantity->unit, unit);
    return expression;
  }
  if (text.size() > longest_text)
    return ExpressionError{0, "the expression is longer than 4096 characters"};
  try {
    ParsedExpression parsed = parse_expression(text, allowed);
    const Dimension& dimension = parsed.dimension;
    if (dimension != unit.dimension)
      return ExpressionError{0, "the expression gives " + describe(dimension) + "; " +
                                    describe(unit.dimension) + " is needed"};
    expression.code_ = std::move(parsed.code);
  } catch (const ExpressionError& error) {
    return error;
  }
  return expression;
}

double Expression::evaluate(const Bindings& bindings) const {
  if (is_literal_) return literal_;
  return convert(run_postfix(code_, bindings), Unit{unit_.dimension, 1, 0, 0}, unit_);
}

bool Expression::is_constant() const {
  return std::none_of(code_.begin(), code_.end(), [](const Instruction& step) {
    return step.operation == Operation::variable;
  });
}

bool Expression::uses(Variable variable) const {
  return std::any_of(code_.begin(), code_.end(), [&](const Instruction& step) {
    return step.operation == Operation::variable && step.variable == variable;
  });
}

}  // namespace hillock
