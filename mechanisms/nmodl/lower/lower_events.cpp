// NET_RECEIVE: the arguments of connections, and what mechanisms send.

#include <algorithm>
#include <utility>

#include "mechanisms/nmodl/lower/lowering.hpp"

namespace hillock::nmodl {

void Lowering::net_receive(const NetReceive& receive) {
  const auto& block = m_.syntax.blocks[at(receive.block)];
  Frame frame = frame_of(receive.block);
  std::vector<int> arguments;
  const auto& locals = m_.blocks[at(receive.block)].locals;
  for (std::size_t l = 0; l < locals.size(); ++l) {
    const int v = frame.locals[l].variables[0];
    ir::Variable& variable = e_.program.variables[at(v)];
    if (locals[l].kind == LocalKind::argument) {
      variable.kind = ir::Variable::Kind::argument;
      variable.index = static_cast<int>(arguments.size());
      arguments.push_back(v);
    } else if (locals[l].kind == LocalKind::flag) {
      variable.kind = ir::Variable::Kind::flag;
    }
  }
  statements(block.body, frame, e_.receive);
  const std::vector<int> assigned = ir::assigned_in(e_.receive);
  put_back_of_ions(assigned, e_.receive);
  const bool assigns = std::any_of(arguments.begin(), arguments.end(), [&](int argument) {
    return std::binary_search(assigned.begin(), assigned.end(), argument);
  });
  e_.sets_voltage =
      !e_.is_artificial && std::binary_search(assigned.begin(), assigned.end(), copy_of_v_);
  if (e_.sets_voltage)
    e_.receive.push_back(
        ir::assign(environment(ir::Variable::Kind::event_voltage), ir::variable(copy_of_v_)));
  e_.receives_events = true;
  e_.begins_connections = receive.has_initial;
  e_.arguments = receive.arguments;
  e_.keeps_arguments =
      receive.arguments > 1 || receive.has_initial || receive.uses_for_netcons || assigns;
  for (std::size_t k = 0; k < block.arguments.size(); ++k) {
    const std::string unit = block.arguments[k].unit.value_or("1");
    if (k == 0)
      e_.weight_unit = unit;
    else
      e_.further_arguments.push_back({block.arguments[k].name, unit});
  }
}

/// What an event assigns to an ion's quantity that is no STATE is known while it is delivered, and
/// no longer: NEURON's NET_RECEIVE has a copy, which it drops.
void Lowering::put_back_of_ions(const std::vector<int>& assigned, Body& body) {
  for (const auto& [key, variable] : variables_) {
    if (m_.symbols[at(key.first)].role != Role::ion ||
        e_.program.variables[at(variable)].kind != ir::Variable::Kind::shared ||
        !std::binary_search(assigned.begin(), assigned.end(), variable))
      continue;
    const int before = e_.program.add_local("before");
    body.insert(body.begin(), ir::assign(before, ir::variable(variable)));
    body.push_back(ir::assign(variable, ir::variable(before)));
  }
}

/// net_send(delay, flag), net_event(time), net_move(time)
Lowering::Expr Lowering::message(Builtin which, const ast::Expression& e, Frame& frame, Body& out) {
  if (m_.point_neuron) {  // net_event, whose time is that of the step
    out.push_back(ir::assign(e_.spike, ir::number(1)));
    return ir::number(0);
  }
  e_.sends_events = true;
  Expr time = expression(e.operands[0], frame, out);
  if (which == Builtin::net_send) {
    const Expr flag = expression(e.operands[1], frame, out);
    time = ir::variable(environment(ir::Variable::Kind::time)) + time;
    out.push_back(ir::send(ir::Message::self, time, flag));
  } else {
    const auto kind = which == Builtin::net_event ? ir::Message::spike : ir::Message::move;
    out.push_back(ir::send(kind, time, ir::number(0)));
  }
  return ir::number(0);
}

void Lowering::watch(const ast::Watch& s, Position position, Frame& frame, Body& out) {
  WatchIr condition;
  const Expr left = expression(s.condition.operands[0], frame, condition.body);
  const Expr right = expression(s.condition.operands[1], frame, condition.body);
  condition.value = s.condition.op == ast::Operator::greater ? left - right : right - left;
  // It is tested later, when the locals and arguments of this call are gone.
  Body tested = condition.body;
  tested.push_back(ir::assign(-1, condition.value));
  for (const Meaning& local : frame.locals)
    for (const int v : local.variables)
      if (ir::reads(tested, v))
        throw NotSupported(position, "WATCH of a LOCAL or an argument of NET_RECEIVE");
  constexpr std::size_t most_watches = 32;  // bits of a mask
  if (e_.watches.size() == most_watches) throw NotSupported(position, "more than 32 WATCHes");
  e_.sends_events = true;
  const auto number = static_cast<int>(e_.watches.size());
  e_.watches.push_back(std::move(condition));
  // As of this statement, whatever the call assigns behind it.
  const Expr first = expression(s.condition.operands[0], frame, out);
  const Expr second = expression(s.condition.operands[1], frame, out);
  const Expr above_0 = s.condition.op == ast::Operator::greater ? first - second : second - first;
  out.push_back(ir::send(ir::Message::watch, above_0, expression(s.flag, frame, out), number));
}

void Lowering::for_netcons(const ast::ForNetcons& s, Position position, Frame& frame, Body& out) {
  if (in_connections_) throw NotSupported(position, "FOR_NETCONS inside FOR_NETCONS");
  in_connections_ = true;
  for (std::size_t k = 0; k < s.arguments.size(); ++k) {
    const auto local = at(s.arguments[k].binding.index);
    ir::Variable& variable = e_.program.variables[at(frame.locals[local].variables[0])];
    variable.kind = ir::Variable::Kind::connection;
    variable.index = static_cast<int>(k);
  }
  ir::Statement each;
  each.kind = ir::Statement::Kind::connections;
  statements(s.body, frame, each.body);
  out.push_back(std::move(each));
  in_connections_ = false;
}

}  // namespace hillock::nmodl
