// Elements of arrays: each is a variable. An index that is known only during a run chooses among
// all of them.

#include <algorithm>
#include <cmath>
#include <utility>

#include "mechanisms/nmodl/lower/lowering.hpp"

namespace hillock::nmodl {
namespace {

constexpr std::size_t most_elements = 64;  ///< to choose among

ir::Expr is_element(int index, std::size_t k) {
  return ir::operation(ir::Operator::equal,
                       {ir::variable(index), ir::number(static_cast<double>(k))});
}

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
    throw NotSupported(index.position, "an index that is not known before the run, of more than " +
                                           std::to_string(most_elements) + " elements");
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
  Expr value = ir::number(0) / ir::number(0);
  for (std::size_t k = elements.size(); k-- > 0;)
    value = ir::operation(ir::Operator::select,
                          {is_element(index->variable, k), ir::variable(elements[k]), value});
  return value;
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
  statements_ += elements.size();
  const int held = e_.program.add_local("stored");
  out.push_back(ir::assign(held, value));
  for (std::size_t k = 0; k < elements.size(); ++k)
    out.push_back(ir::assign(
        elements[k],
        ir::operation(ir::Operator::select, {is_element(index->variable, k), ir::variable(held),
                                             ir::variable(elements[k])})));
}

}  // namespace hillock::nmodl
