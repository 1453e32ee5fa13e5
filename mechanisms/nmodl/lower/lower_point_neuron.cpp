// Point neurons: `advance` is all of a step, what arrives in it and whether it spikes are hidden
// states.

#include <utility>

#include "core/index.hpp"
#include "mechanisms/nmodl/lower/lowering.hpp"

namespace hillock::nmodl {
namespace {

/// Whether a weight of that sign, or 0 where the condition takes it along, is what is asked for.
bool holds(const ast::Expression& sign, bool positive) {
  const bool wants_positive =
      sign.op == ast::Operator::greater || sign.op == ast::Operator::greater_equal;
  return wants_positive == positive;
}

/// The number that a body leaves in a variable whatever happens, or null.
ir::Expr left_in(const ir::Body& body, int variable) {
  for (auto s = body.rbegin(); s != body.rend(); ++s) {
    const bool is_set = s->kind == ir::Statement::Kind::assign && s->target == variable;
    if (is_set) return ir::is_number(s->value) ? s->value : nullptr;
    if (ir::mentions({*s}, variable)) return nullptr;
  }
  return nullptr;
}

}  // namespace

/// The inputs, then BREAKPOINT with what it solves where it stands.
void Lowering::point_neuron() {
  const PointNeuron& neuron = *m_.point_neuron;
  e_.is_point_neuron = true;
  e_.spikes_at_beginning = neuron.spikes_at_beginning;
  if (neuron.injected >= 0) e_.injected = symbol_variable(neuron.injected, 0);
  if (m_.net_receive) inputs();
  if (neuron.spikes) {
    e_.spike = hidden_state("_spike");
    e_.advance.push_back(ir::assign(e_.spike, ir::number(0)));
  }
  blocks_of(ast::BlockKind::before_breakpoint, e_.advance);
  steps_ = true;
  blocks_of(ast::BlockKind::breakpoint, e_.advance);
  steps_ = false;
}

/// A state that nobody is to see, 0 at the beginning.
int Lowering::hidden_state(const std::string& name) {
  e_.program.variables.push_back({name, ir::Variable::Kind::state});
  hidden_states_.push_back(static_cast<int>(e_.program.variables.size()) - 1);
  e_.initialise.push_back(ir::assign(hidden_states_.back(), ir::number(0)));
  return hidden_states_.back();
}

/// NET_RECEIVE for the sum of what arrived, or for each of the two; `receive` adds to the sums.
void Lowering::inputs() {
  const auto& block = m_.syntax.blocks[at(m_.net_receive->block)];
  e_.receives_events = true;
  e_.arguments = 1;
  e_.weight_unit = block.arguments[0].unit.value_or("1");
  e_.program.variables.push_back({block.arguments[0].name, ir::Variable::Kind::argument});
  const Expr weight = ir::variable(static_cast<int>(e_.program.variables.size()) - 1);
  const Expr is_negative = ir::operation(ir::Operator::less, {weight, ir::number(0)});
  const auto take = [&](const char* name, const Expr& part, bool positive) {
    const int sum = hidden_state(name);
    e_.receive.push_back(ir::assign(sum, ir::variable(sum) + part));
    Frame frame = frame_of(m_.net_receive->block);
    add_inputs(block.body, ir::variable(sum), positive, frame);
    e_.advance.push_back(ir::assign(sum, ir::number(0)));
    return sum;
  };
  if (!m_.point_neuron->tells_signs) {
    e_.input = take("_input", weight, true);
    return;
  }
  const auto part = [&](const Expr& negative, const Expr& other) {
    return ir::operation(ir::Operator::select, {is_negative, negative, other});
  };
  e_.input = take("_input", part(ir::number(0), weight), true);
  e_.negative_input = take("_negative_input", part(weight, ir::number(0)), false);
}

/// Statements of NET_RECEIVE with the sum in the weight's place; its sign is known.
void Lowering::add_inputs(const ast::Statements& list, const Expr& sum, bool positive,
                          Frame& frame) {
  frame.locals[0].value = sum;
  for (const ast::Statement& s : list) {
    const auto* const conditional = std::get_if<ast::If>(&s.node);
    if (const auto* const scope = std::get_if<ast::Scope>(&s.node)) {
      add_inputs(scope->body, sum, positive, frame);
    } else if (!conditional) {
      statement(s, frame, e_.advance);
    } else {
      const ast::Statements* chosen = conditional->otherwise ? &*conditional->otherwise : nullptr;
      for (auto branch = conditional->branches.rbegin(); branch != conditional->branches.rend();
           ++branch)
        if (holds(branch->condition, positive)) chosen = &branch->body;
      if (chosen) add_inputs(*chosen, sum, positive, frame);
    }
  }
}

/// A variable that a step leaves as it found it, such as what gathers the inputs of one step, is
/// no state.
void Lowering::forget_transients() {
  for (const auto& [key, variable] : variables_) {
    if (e_.program.variables[at(variable)].kind != ir::Variable::Kind::assigned) continue;
    const Expr before = left_in(e_.initialise, variable), after = left_in(e_.advance, variable);
    if (before && after && before->value == after->value)
      e_.advance.insert(e_.advance.begin(), ir::assign(variable, after));
  }
}

/// The last of the states.
void Lowering::keep_hidden_states() {
  for (const int variable : hidden_states_) {
    InstanceVariable kept;
    kept.name = e_.program.variables[at(variable)].name;
    kept.unit = "1";
    kept.variable = variable;
    e_.states.push_back(std::move(kept));
  }
  e_.hidden_states = static_cast<int>(hidden_states_.size());
}

}  // namespace hillock::nmodl
