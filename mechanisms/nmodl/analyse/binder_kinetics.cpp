// Equations for states: which names they may stand on, and what they determine.

#include <vector>

#include "mechanisms/nmodl/analyse/binder.hpp"

namespace hillock::nmodl {

void Binder::add_unknown(int symbol) {
  unknowns_.insert(symbol);
}

void Binder::add_unknowns_of(const ast::Expression& node) {
  if (const Symbol* symbol = symbol_of(node.binding); symbol && symbol->role == Role::state)
    add_unknown(node.binding.index);
  for (const auto& operand : node.operands) add_unknowns_of(operand);
}

void Binder::derivative(ast::DerivativeEquation& node, Position position) {
  expression(node.value);
  if (!require(block().kind == ast::BlockKind::derivative, position,
               "an equation for " + node.target.name + "' stands in DERIVATIVE"))
    return;
  if (node.order > 1)
    findings_.error(position, "derivatives of second and higher order are not supported");
  expression(node.target, Use::target);
  const Symbol* symbol = symbol_of(node.target.binding);
  if (symbol && symbol->role == Role::state)
    add_unknown(node.target.binding.index);
  else if (node.target.binding.kind != ast::Binding::Kind::none)
    findings_.error(position, "'" + node.target.name + "' has a derivative and is no STATE");
}

void Binder::equation(ast::Equation& node) {
  expression(node.left);
  expression(node.right);
  if (!block().solve_for.empty()) return;  // they are the unknowns
  add_unknowns_of(node.left);
  add_unknowns_of(node.right);
}

void Binder::reaction_terms(std::vector<ast::ReactionTerm>& terms) {
  for (auto& term : terms) {
    if (term.coefficient < 1)
      findings_.error(term.state.position, "a coefficient of a reaction is at least 1");
    expression(term.state);
    const Symbol* symbol = symbol_of(term.state.binding);
    if (symbol && symbol->role == Role::state) add_unknown(term.state.binding.index);
  }
}

void Binder::reaction(ast::Reaction& node) {
  reaction_terms(node.left);
  reaction_terms(node.right);
  expression(node.forward);
  if (node.backward) expression(*node.backward);
  if (node.arrow == ast::Arrow::into && (node.left.size() != 1 || node.left[0].coefficient != 1))
    findings_.error(node.left[0].state.position, "'<<' adds to one state alone");
  for (auto* terms : {&node.left, &node.right})
    if (terms->size() == 1 && node.arrow != ast::Arrow::both) {
      const Symbol* symbol = symbol_of((*terms)[0].state.binding);
      if (!symbol || symbol->role != Role::state)
        findings_.error((*terms)[0].state.position, "'" + (*terms)[0].state.name + "' is no STATE");
    }
}

void Binder::conserve(ast::Conserve& node) {
  for (auto& term : node.terms) {
    expression(term.state, Use::whole);
    const Symbol* symbol = symbol_of(term.state.binding);
    if (term.state.binding.kind != ast::Binding::Kind::none &&
        (!symbol || symbol->role != Role::state))
      findings_.error(term.state.position, "'" + term.state.name + "' in CONSERVE is no STATE");
  }
  expression(node.total);
}

void Binder::states_with(std::optional<ast::Name>& index, ast::Expression& value,
                         std::vector<ast::Name>& states, const std::string& word) {
  scopes_.emplace_back();
  if (index)
    index->binding = {ast::Binding::Kind::local,
                      add_local(index->text, LocalKind::loop_index, 0, "", index->position)};
  expression(value);
  scopes_.pop_back();
  std::erase_if(states, [&](ast::Name& state) { return !is_of_index(state, index, word); });
}

/// Whether a name in COMPARTMENT or the like says something. What says nothing is left out, with a
/// warning, so that published files load: nocmodl passes over names that nothing has, and for a
/// state without elements reads what lies behind the array.
bool Binder::is_of_index(ast::Name& state, const std::optional<ast::Name>& index,
                         const std::string& word) {
  const auto found = analysis_.symbols.find(state.text);
  if (found == analysis_.symbols.end()) {
    findings_.warning(state.position, "'" + state.text + "' in " + word +
                                          " is not a variable of this file and is left out." +
                                          suggestion(state.text));
    return false;
  }
  state.binding = {ast::Binding::Kind::symbol, found->second};
  if (!index || module_.symbols[at(found->second)].size > 0) return true;
  findings_.warning(state.position, "'" + state.text + "' in " + word + " " + index->text +
                                        " is no array and is left out");
  return false;
}

}  // namespace hillock::nmodl
