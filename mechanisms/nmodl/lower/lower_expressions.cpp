// Expressions: names to variables, calls inlined, array elements picked.

#include <algorithm>
#include <cmath>
#include <utility>

#include "core/index.hpp"
#include "mechanisms/nmodl/lower/lowering.hpp"

namespace hillock::nmodl {
namespace {

ir::Operator operator_of(ast::Operator op) {
  switch (op) {
    case ast::Operator::add:
      return ir::Operator::add;
    case ast::Operator::subtract:
      return ir::Operator::subtract;
    case ast::Operator::multiply:
      return ir::Operator::multiply;
    case ast::Operator::divide:
      return ir::Operator::divide;
    case ast::Operator::less:
      return ir::Operator::less;
    case ast::Operator::greater:
      return ir::Operator::greater;
    case ast::Operator::less_equal:
      return ir::Operator::less_equal;
    case ast::Operator::greater_equal:
      return ir::Operator::greater_equal;
    case ast::Operator::equal:
      return ir::Operator::equal;
    case ast::Operator::not_equal:
      return ir::Operator::not_equal;
    case ast::Operator::logical_and:
      return ir::Operator::logical_and;
    default:
      return ir::Operator::logical_or;
  }
}

constexpr int deepest = 64;                      ///< functions within functions
constexpr std::size_t most_table_arguments = 8;  ///< a lookup reads 2^8 values

}  // namespace

Lowering::Expr Lowering::expression(const ast::Expression& e, Frame& frame, Body& out) {
  switch (e.kind) {
    case ast::ExpressionKind::number:
      return ir::number(e.value);
    case ast::ExpressionKind::string:
      return ir::number(0);
    case ast::ExpressionKind::call:
      return call(e, frame, out);
    case ast::ExpressionKind::unary: {
      const Expr of = expression(e.operands[0], frame, out);
      return e.op == ast::Operator::minus ? -of : ir::operation(ir::Operator::logical_not, {of});
    }
    case ast::ExpressionKind::binary: {
      const Expr a = expression(e.operands[0], frame, out);
      const Expr b = expression(e.operands[1], frame, out);
      if (e.op == ast::Operator::power) return ir::call(ir::Function::pow, {a, b});
      return ir::operation(operator_of(e.op), {a, b});
    }
    default:
      break;
  }
  if (e.binding.kind == ast::Binding::Kind::local)
    if (const Meaning& meaning = frame.locals[at(e.binding.index)]; meaning.value)
      return meaning.value;
  if (e.binding.kind == ast::Binding::Kind::symbol) {
    const Symbol& symbol = m_.symbols[at(e.binding.index)];
    if (symbol.is_use_of_tables) return ir::number(table_use_ == TableUse::computed ? 0 : 1);
    if (symbol.role == Role::constant && !symbol.written && symbol.size == 0)
      return ir::number(symbol.value);
  }
  return value_of(e, frame, out);
}

int Lowering::target(const ast::Expression& e, Frame& frame, Body& out) {
  const Expr to = expression(e, frame, out);
  if (to->kind != ir::Node::Kind::variable)
    throw NotSupported(e.position, "assigning '" + e.name + "'");
  return to->variable;
}

Lowering::Expr Lowering::condition(const ast::Expression& e, Frame& frame, Body& out) {
  const Expr c = expression(e, frame, out);
  if (ir::is_condition(c) || ir::is_number(c)) return c;
  return ir::operation(ir::Operator::not_equal, {c, ir::number(0)});
}

Lowering::Expr Lowering::call(const ast::Expression& e, Frame& frame, Body& out) {
  if (e.binding.kind == ast::Binding::Kind::builtin) return builtin(e, frame, out);
  if (e.binding.kind == ast::Binding::Kind::function_table) return table(e, frame, out);
  std::vector<Expr> arguments;
  for (const ast::Expression& argument : e.operands)
    arguments.push_back(expression(argument, frame, out));
  if (m_.syntax.blocks[at(e.binding.index)].kind == ast::BlockKind::derivative) {
    exact_step({e.binding.index, frame.block, Method::cnexp, false, false, e.position, true}, out);
    return ir::number(0);
  }
  return inlined(e.binding.index, std::move(arguments), e.position, out);
}

Lowering::Expr Lowering::table(const ast::Expression& e, Frame& frame, Body& out) {
  if (e.operands.size() > most_table_arguments)
    throw NotSupported(e.position, "a FUNCTION_TABLE of more than " +
                                       std::to_string(most_table_arguments) + " arguments");
  std::vector<Expr> operands{nullptr};
  for (const ast::Expression& argument : e.operands)
    operands.push_back(expression(argument, frame, out));
  TableIr table{m_.function_tables[at(e.binding.index)].name, e.operands.size(), {}};
  if (const auto given = given_tables_.find(table.name); given != given_tables_.end()) {
    if (given->second.axes.empty()) return ir::number(given->second.values[0]);
    table.given = given->second;
  }
  const auto found = std::find_if(e_.tables.begin(), e_.tables.end(),
                                  [&](const TableIr& t) { return t.name == table.name; });
  operands[0] = ir::number(static_cast<double>(found - e_.tables.begin()));
  if (found == e_.tables.end()) e_.tables.push_back(std::move(table));
  return ir::call(ir::Function::table, std::move(operands));
}

Lowering::Expr Lowering::inlined(int block, std::vector<Expr> arguments, Position position,
                                 Body& out) {
  const ast::Table* const table = table_of(block);
  if (table && table_use_ != TableUse::computed)
    return between_points(*table, block, arguments[0], position, out);
  if (table && begins_ && equations_ == Equations::none)
    return exact_or_between_points(*table, block, arguments[0], position, out);
  return inlined_exactly(block, arguments, position, out);
}

Lowering::Expr Lowering::inlined_exactly(int block, const std::vector<Expr>& arguments,
                                         Position position, Body& out) {
  if (++depth_ > deepest) throw NotSupported(position, "functions nested too deeply");
  Frame frame = frame_of(block);
  const BlockFacts& facts = m_.blocks[at(block)];
  int result = -1;
  for (std::size_t l = 0; l < facts.locals.size(); ++l) {
    if (facts.locals[l].kind == LocalKind::result) result = frame.locals[l].variables[0];
    if (l < arguments.size()) out.push_back(ir::assign(frame.locals[l].variables[0], arguments[l]));
  }
  if (result >= 0) out.push_back(ir::assign(result, ir::number(0)));
  statements(m_.syntax.blocks[at(block)].body, frame, out);
  --depth_;
  return result >= 0 ? ir::variable(result) : ir::number(0);
}

/// nrn_ghk(v, inside, outside, valence): the current per permeability of Goldman, Hodgkin and Katz,
/// z·F·(z·v/kT)·(ci - co·exp(-z·v/kT))/(1 - exp(-z·v/kT)), with
/// NEURON's F and R.
Lowering::Expr Lowering::ghk(const ast::Expression& e, Frame& frame, Body& out) {
  const PhysicalConstants constants = constants_of(m_.constants);
  const double faraday = constants.faraday_unit, gas = constants.gas;
  std::vector<Expr> u;
  for (const ast::Expression& argument : e.operands) u.push_back(expression(argument, frame, out));
  const Expr kelvin = ir::variable(environment(ir::Variable::Kind::celsius)) + ir::number(273.15);
  const int scaled = e_.program.add_local("scaled");
  out.push_back(ir::assign(scaled, u[3] * u[0] / (ir::number(1000 * gas / faraday) * kelvin)));
  // x/(exp(x) - 1)
  const auto fraction = [](const Expr& x) {
    const Expr one = ir::number(1);
    const Expr is_small =
        ir::operation(ir::Operator::less, {ir::call(ir::Function::abs, {x}), ir::number(1e-4)});
    return ir::operation(ir::Operator::select, {is_small, one - x / ir::number(2),
                                                x / (ir::call(ir::Function::exp, {x}) - one)});
  };
  const Expr x = ir::variable(scaled);
  return ir::number(1e-3 * faraday) * u[3] * (u[1] * fraction(-x) - u[2] * fraction(x));
}

/// The normal density, with NEURON's 2π.
Lowering::Expr Lowering::gauss(const ast::Expression& e, Frame& frame, Body& out) {
  std::vector<Expr> u;
  for (const ast::Expression& argument : e.operands) u.push_back(expression(argument, frame, out));
  const int from_mean = e_.program.add_local("from_mean");
  out.push_back(ir::assign(from_mean, (u[0] - u[1]) / u[2]));
  const Expr x = ir::variable(from_mean);
  return ir::call(ir::Function::exp, {ir::number(-0.5) * x * x}) /
         (ir::number(std::sqrt(6.28318530)) * u[2]);
}

Lowering::Expr Lowering::builtin(const ast::Expression& e, Frame& frame, Body& out) {
  static const std::map<Builtin, ir::Function> functions{
      {Builtin::exp, ir::Function::exp},
      {Builtin::log, ir::Function::log},
      {Builtin::log10, ir::Function::log10},
      {Builtin::sqrt, ir::Function::sqrt},
      {Builtin::fabs, ir::Function::abs},
      {Builtin::pow, ir::Function::pow},
      {Builtin::sin, ir::Function::sin},
      {Builtin::cos, ir::Function::cos},
      {Builtin::tan, ir::Function::tan},
      {Builtin::asin, ir::Function::asin},
      {Builtin::acos, ir::Function::acos},
      {Builtin::atan, ir::Function::atan},
      {Builtin::atan2, ir::Function::atan2},
      {Builtin::sinh, ir::Function::sinh},
      {Builtin::cosh, ir::Function::cosh},
      {Builtin::tanh, ir::Function::tanh},
      {Builtin::floor, ir::Function::floor},
      {Builtin::ceil, ir::Function::ceil},
      {Builtin::fmod, ir::Function::fmod},
      {Builtin::min, ir::Function::min},
      {Builtin::max, ir::Function::max},
      {Builtin::erf, ir::Function::erf},
      {Builtin::ran4_word, ir::Function::ran4_word},
      {Builtin::random123_word, ir::Function::random123_word}};
  const auto which = static_cast<Builtin>(e.binding.index);
  if (which == Builtin::ignored) return ir::number(0);
  if (which == Builtin::nrn_pointing) return ir::number(1);  // no run begins with one that is not
  if (which == Builtin::state_discontinuity) {
    store(e.operands[0], expression(e.operands[1], frame, out), frame, out);
    return ir::number(0);
  }
  if (which == Builtin::net_send || which == Builtin::net_event || which == Builtin::net_move)
    return message(which, e, frame, out);
  if (which == Builtin::at_time) {  // whether the step that ends at t passes the given time
    const Expr when = expression(e.operands[0], frame, out) - ir::number(1e-11);
    const Expr t = ir::variable(environment(ir::Variable::Kind::time));
    const Expr dt = ir::variable(environment(ir::Variable::Kind::dt));
    return ir::operation(ir::Operator::logical_and,
                         {ir::operation(ir::Operator::less_equal, {when, t}),
                          ir::operation(ir::Operator::greater, {when, t - dt})});
  }
  if (which == Builtin::nrn_ghk) return ghk(e, frame, out);
  if (which == Builtin::gauss) return gauss(e, frame, out);
  if (const Expr drawn = random(e, frame, out)) return drawn;
  const auto found = functions.find(which);
  if (found == functions.end()) throw NotSupported(e.position, e.name);
  std::vector<Expr> arguments;
  for (const ast::Expression& argument : e.operands)
    arguments.push_back(expression(argument, frame, out));
  return ir::call(found->second, std::move(arguments));
}

}  // namespace hillock::nmodl
