// Rules for names in the blocks of a point neuron.

#include "core/index.hpp"
#include "mechanisms/nmodl/analyse/binder.hpp"

namespace hillock::nmodl {

using ast::BlockKind;
using ast::ExpressionKind;

/// A point neuron knows the time and the temperature, but no place; its inputs know no time.
void Binder::check_environment(const ast::Expression& node, const Symbol& symbol) {
  if (symbol.role != Role::environment) return;
  if (symbol.environment == Environment::v)
    findings_.error(node.position,
                    "a point neuron has no membrane: its own 'v' is declared in STATE or ASSIGNED");
  if (symbol.environment == Environment::area || symbol.environment == Environment::diam)
    findings_.error(node.position, "a point neuron has no membrane, and no '" + node.name + "'");
  if (symbol.environment == Environment::t && block().kind == BlockKind::net_receive)
    findings_.error(node.position,
                    "NET_RECEIVE of a point neuron does not know the time: the inputs of a step "
                    "are added together; BREAKPOINT knows it");
}

/// net_event(t) or net_event(t - dt)
void Binder::check_spike(const ast::Expression& node) {
  if (node.operands.size() != 1) return;
  const auto is = [&](const ast::Expression& e, Environment which) {
    const Symbol* const symbol =
        e.kind == ExpressionKind::variable ? symbol_of(e.binding) : nullptr;
    return symbol && symbol->role == Role::environment && symbol->environment == which;
  };
  const ast::Expression& time = node.operands[0];
  const bool at_end = is(time, Environment::t);
  const bool at_beginning =
      time.kind == ExpressionKind::binary && time.op == ast::Operator::subtract &&
      is(time.operands[0], Environment::t) && is(time.operands[1], Environment::dt);
  if (!at_end && !at_beginning) {
    findings_.error(time.position,
                    "a point neuron spikes at a step's end, net_event(t), or at its beginning, "
                    "net_event(t - dt)");
    return;
  }
  PointNeuron& neuron = *module_.point_neuron;
  if (neuron.spikes && neuron.spikes_at_beginning != at_beginning)
    findings_.error(time.position,
                    "the spikes of a point neuron all have the time of a step's end, or all of its "
                    "beginning, as in line " +
                        std::to_string(neuron.first_spike.line));
  if (neuron.spikes) return;
  neuron.spikes = true;
  neuron.spikes_at_beginning = at_beginning;
  neuron.first_spike = node.position;
}

void Binder::check_event_of_point_neuron(const ast::Expression& node, Builtin builtin) {
  if (builtin == Builtin::net_send || builtin == Builtin::net_move)
    findings_.error(node.position,
                    "a point neuron has no " + node.name + ": its BREAKPOINT runs in every step");
  if (builtin == Builtin::net_event && require(block().kind == BlockKind::breakpoint, node.position,
                                               "net_event of a point neuron stands in BREAKPOINT"))
    check_spike(node);
}

}  // namespace hillock::nmodl
