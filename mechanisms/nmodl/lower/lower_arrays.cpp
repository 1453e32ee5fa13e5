// Elements of arrays: each is a variable. An index that is known only during a run stands with all
// of them: ir::Function::element, ir::Statement::Kind::store.

#include <algorithm>
#include <cmath>
#include <utility>

#include "mechanisms/nmodl/lower/lowering.hpp"

namespace hillock::nmodl {
namespace {

constexpr std::size_t most_elements = 1024;  ///< of which a run chooses

}  // namespace

Lowering::Elements Lowering::elements_of(const ast::Expression& e, const Frame& frame) const {
  if (e.steps_back > 0) throw NotSupported(e.position, "values of earlier steps (@)");
  if (e.binding.kind == ast::Binding::Kind::local)
    return {*this, &frame.locals[at(e.binding.index)].variables, 0};
  if (e.binding.kind != ast::Binding::Kind::symbol)
    throw NotSupported(e.position, "'" + e.name + "' in an expression");
  return {*this, nullptr, e.binding.index};
}

std::size_t Lowering::Elements::size() const {
  return locals ? locals->size() : at(std::max(1, lowering.m_.symbols[at(symbol)].size));
}

int Lowering::Elements::operator[](std::size_t k) const {
  return locals ? (*locals)[k] : lowering.symbol_variable(symbol, static_cast<int>(k));
}

/// All of an array that a run indexes.
std::vector<int> Lowering::indexed(const Elements& elements) {
  std::vector<int> all;
  for (std::size_t k = 0; k < elements.size(); ++k) {
    all.push_back(elements[k]);
    if (elements.locals) continue;
    ir::Variable& variable = e_.program.variables[at(all[k])];
    variable.array = m_.symbols[at(elements.symbol)].name;
    variable.index = static_cast<int>(k);
  }
  return all;
}

/// An index: a number within the array, or a whole number in a local.
Lowering::Expr Lowering::index_of(const ast::Expression& e, std::size_t size, Frame& frame,
                                  Body& out) {
  const ast::Expression& index = e.operands[0];
  const Expr where = expression(index, frame, out);
  if (ir::is_number(where)) {
    const double k = std::trunc(where->value);
    if (!(k >= 0 && k < static_cast<double>(size)))
      throw NotSupported(index.position, "index " + std::to_string(static_cast<long>(k)) +
                                             " of an array of " + std::to_string(size));
    return ir::number(k);
  }
  if (size > most_elements)
    throw NotSupported(index.position,
                       "an index that is not known before the run, of more than 1,024 elements");
  const int held = e_.program.add_local("index");
  out.push_back(ir::assign(held, ir::call(ir::Function::floor, {where})));
  return ir::variable(held);
}

/// The value of a variable or an element; not a number where an index is outside of its array.
Lowering::Expr Lowering::value_of(const ast::Expression& e, Frame& frame, Body& out) {
  const Elements elements = elements_of(e, frame);
  if (e.kind != ast::ExpressionKind::element) return ir::variable(elements[0]);
  const Expr index = index_of(e, elements.size(), frame, out);
  if (ir::is_number(index)) return ir::variable(elements[static_cast<std::size_t>(index->value)]);
  std::vector<Expr> operands{index};
  for (const int v : indexed(elements)) operands.push_back(ir::variable(v));
  return ir::call(ir::Function::element, std::move(operands));
}

/// target = value
void Lowering::store(const ast::Expression& to, const Expr& value, Frame& frame, Body& out) {
  const bool is_index = to.binding.kind == ast::Binding::Kind::local &&
                        frame.locals[at(to.binding.index)].value != nullptr;
  if (is_index) throw NotSupported(to.position, "assigning '" + to.name + "'");
  const Elements elements = elements_of(to, frame);
  if (to.kind != ast::ExpressionKind::element) {
    out.push_back(ir::assign(elements[0], value));
    return;
  }
  const Expr index = index_of(to, elements.size(), frame, out);
  if (ir::is_number(index)) {
    out.push_back(ir::assign(elements[static_cast<std::size_t>(index->value)], value));
    return;
  }
  out.push_back(ir::store(indexed(elements), index, value));
}

}  // namespace hillock::nmodl
