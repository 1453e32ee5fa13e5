// TABLE, where it is not or cannot be computed exactly: what NEURON reads from its table.

#include <algorithm>
#include <utility>

#include "mechanisms/nmodl/lower/lowering.hpp"

namespace hillock::nmodl {

/// The TABLE of a block, or null.
const ast::Table* Lowering::table_of(int block) const {
  for (const ast::Statement& statement : m_.syntax.blocks[at(block)].body)
    if (const auto* table = std::get_if<ast::Table>(&statement.node)) return table;
  return nullptr;
}

/// What a PROCEDURE's TABLE names, element by element; nothing of a FUNCTION, whose value it is.
std::vector<int> Lowering::tabulated_variables(const ast::Table& table) const {
  std::vector<int> variables;
  for (const ast::Name& name : table.variables) {
    const int size = m_.symbols[at(name.binding.index)].size;
    for (int k = 0; k < std::max(1, size); ++k)
      variables.push_back(symbol_variable(name.binding.index, k));
  }
  return variables;
}

/// The block at the two points of the table that are next to the argument, and what lies between
/// on a straight line; beyond the ends, the values there. A table that is kept would have to be
/// made again whenever a parameter changes, of every instance; computing its two points gives the
/// same numbers. What the block assigns beside keeps the value of the table's end, where NEURON,
/// which fills its table in ascending order, leaves it.
Lowering::Expr Lowering::between_points(const ast::Table& table, int block, const Expr& argument,
                                        Position position, Body& out) {
  using ir::Operator;
  Frame frame = frame_of(block);
  const auto held = [&](const char* name, const Expr& value) {
    if (ir::is_number(value)) return value;
    const int variable = e_.program.add_local(name);
    out.push_back(ir::assign(variable, value));
    return ir::variable(variable);
  };
  const auto select = [](Operator op, const Expr& a, const Expr& b, const Expr& yes,
                         const Expr& no) {
    return ir::operation(Operator::select, {ir::operation(op, {a, b}), yes, no});
  };
  const Expr zero = ir::number(0), intervals = ir::number(table.intervals),
             last_interval = ir::number(table.intervals - 1);
  const Expr first = held("table_first", expression(table.first, frame, out));
  const Expr last = held("table_last", expression(table.last, frame, out));
  const Expr step = held("table_step", (last - first) / intervals);
  const Expr asked = held("asked", (ir::number(1) / step) * (argument - first));
  const Expr within =
      held("within", select(Operator::greater_equal, asked, intervals, intervals, asked));
  const Expr place = held("place", select(Operator::less_equal, within, zero, zero, within));
  const Expr whole = held("whole", ir::call(ir::Function::floor, {place}));
  const Expr interval =
      held("interval", select(Operator::greater, whole, last_interval, last_interval, whole));
  const Expr part = held("part", place - interval);

  const std::vector<int> variables = tabulated_variables(table);
  const auto values_at = [&](const Expr& x) {
    const Expr result = inlined_exactly(block, {x}, position, out);
    std::vector<Expr> values;
    if (variables.empty()) values.push_back(held("point", result));
    for (const int v : variables) values.push_back(held("point", ir::variable(v)));
    return values;
  };
  const std::vector<Expr> below = values_at(first + interval * step);
  const std::size_t begin = out.size();
  const std::size_t known = e_.program.variables.size();
  const std::vector<Expr> above = values_at(first + (interval + ir::number(1)) * step);
  const Body piece(out.begin() + static_cast<std::ptrdiff_t>(begin), out.end());
  const std::vector<int> assigned = ir::assigned_in(piece);
  const bool assigns_more = std::ranges::any_of(assigned, [&](int v) {
    return at(v) < known && std::ranges::find(variables, v) == variables.end();
  });
  if (assigns_more) inlined_exactly(block, {last}, position, out);
  std::vector<Expr> between;
  for (std::size_t k = 0; k < below.size(); ++k)
    between.push_back(below[k] + part * (above[k] - below[k]));
  if (variables.empty()) return held("between", between[0]);
  for (std::size_t k = 0; k < variables.size(); ++k)
    out.push_back(ir::assign(variables[k], between[k]));
  return zero;
}

/// In INITIAL: the exact values, or where one of them is no number, as 0/0 at a half activation
/// that a run happens to begin at, those of the table, with which NEURON gets over such points.
Lowering::Expr Lowering::exact_or_between_points(const ast::Table& table, int block,
                                                 const Expr& argument, Position position,
                                                 Body& out) {
  constexpr double most = 1e30;  // a float as well
  const int given = e_.program.add_local("given");  // the block may assign what it is called with
  out.push_back(ir::assign(given, argument));
  begins_ = false;
  const Expr exact = inlined_exactly(block, {ir::variable(given)}, position, out);
  std::vector<int> values = tabulated_variables(table);
  if (values.empty()) {
    values.push_back(e_.program.add_local("value"));
    out.push_back(ir::assign(values[0], exact));
  }
  const int are_numbers = e_.program.add_local("are_numbers");
  out.push_back(ir::assign(are_numbers, ir::number(1)));
  for (const int v : values) {
    const Expr is_number =
        ir::operation(ir::Operator::less_equal,
                      {ir::call(ir::Function::abs, {ir::variable(v)}), ir::number(most)});
    out.push_back(ir::assign(are_numbers,
                             ir::operation(ir::Operator::select,
                                           {is_number, ir::variable(are_numbers), ir::number(0)})));
  }
  ir::Statement otherwise;
  otherwise.kind = ir::Statement::Kind::branch;
  otherwise.value = ir::operation(ir::Operator::equal, {ir::variable(are_numbers), ir::number(0)});
  const Expr between = between_points(table, block, ir::variable(given), position, otherwise.body);
  if (table.variables.empty()) otherwise.body.push_back(ir::assign(values[0], between));
  out.push_back(std::move(otherwise));
  begins_ = true;
  return table.variables.empty() ? ir::variable(values[0]) : ir::number(0);
}

}  // namespace hillock::nmodl
