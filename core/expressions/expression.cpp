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

}  // namespace

double run_postfix(const std::vector<Expression::Instruction>& code, const Bindings& bindings) {
  using Operation = Expression::Operation;
  double stack[expression_stack_size];
  std::size_t top = 0;
  for (const auto& step : code) {
    switch (step.operation) {
      case Operation::constant:
        stack[top++] = step.constant;
        continue;
      case Operation::variable:
        switch (step.variable) {
          case Variable::index:
            stack[top++] = bindings.index;
            break;
          case Variable::size:
            stack[top++] = bindings.size;
            break;
          case Variable::distance:
            stack[top++] = bindings.distance_um * si_factor(Variable::distance);
            break;
          case Variable::x:
            stack[top++] = bindings.x_um * si_factor(Variable::x);
            break;
          case Variable::y:
            stack[top++] = bindings.y_um * si_factor(Variable::y);
            break;
          case Variable::z:
            stack[top++] = bindings.z_um * si_factor(Variable::z);
            break;
          case Variable::diam:
            stack[top++] = bindings.diam_um * si_factor(Variable::diam);
            break;
          case Variable::r:
            stack[top++] = bindings.r;
            break;
        }
        continue;
      case Operation::negate:
        stack[top - 1] = -stack[top - 1];
        continue;
      case Operation::exp:
        stack[top - 1] = exponential(stack[top - 1]);
        continue;
      case Operation::log:
        stack[top - 1] = std::log(stack[top - 1]);
        continue;
      case Operation::sqrt:
        stack[top - 1] = std::sqrt(stack[top - 1]);
        continue;
      case Operation::sin:
        stack[top - 1] = std::sin(stack[top - 1]);
        continue;
      case Operation::cos:
        stack[top - 1] = std::cos(stack[top - 1]);
        continue;
      case Operation::tanh:
        stack[top - 1] = std::tanh(stack[top - 1]);
        continue;
      case Operation::abs:
        stack[top - 1] = std::abs(stack[top - 1]);
        continue;
      case Operation::floor:
        stack[top - 1] = std::floor(stack[top - 1]);
        continue;
      case Operation::choose:
        top -= 2;
        stack[top - 1] = stack[top - 1] != 0 ? stack[top] : stack[top + 1];
        continue;
      default:
        break;
    }
    const double b = stack[--top];
    double& a = stack[top - 1];
    switch (step.operation) {
      case Operation::add:
        a += b;
        break;
      case Operation::subtract:
        a -= b;
        break;
      case Operation::multiply:
        a *= b;
        break;
      case Operation::divide:
        a /= b;
        break;
      case Operation::power:
        a = std::pow(a, b);
        break;
      case Operation::less:
        a = a < b;
        break;
      case Operation::less_equal:
        a = a <= b;
        break;
      case Operation::greater:
        a = a > b;
        break;
      case Operation::greater_equal:
        a = a >= b;
        break;
      case Operation::equal:
        a = a == b;
        break;
      case Operation::not_equal:
        a = a != b;
        break;
      case Operation::min:  // what is not a number stays so, whichever side it is on
        a = b < a || std::isnan(b) ? b : a;
        break;
      case Operation::max:
        a = b > a || std::isnan(b) ? b : a;
        break;
      case Operation::mod:
        a = floored_remainder(a, b);
        break;
      default:
        break;
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
