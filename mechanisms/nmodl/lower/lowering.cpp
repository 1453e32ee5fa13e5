#include "mechanisms/nmodl/lower/lowering.hpp"

#include <algorithm>
#include <utility>

namespace hillock::nmodl {

EvaluatorIr Lowering::run() {
  e_.name = m_.name;
  e_.description = m_.syntax.title;
  e_.is_artificial = m_.form == ast::MechanismForm::artificial_cell;
  e_.is_point_process = m_.form != ast::MechanismForm::density;
  e_.may_begin_otherwise = slope_ != CurrentSlope::exact;
  declare_symbols();
  collect_couplings();

  initial_values(e_.initialise);
  blocks_of(ast::BlockKind::constructor, e_.initialise);
  begins_ = true;
  blocks_of(ast::BlockKind::before_initial, e_.initialise);
  blocks_of(ast::BlockKind::initial, e_.initialise);
  blocks_of(ast::BlockKind::after_initial, e_.initialise);
  begins_ = false;
  forget_what_is_read();
  if (m_.point_neuron) {
    point_neuron();
  } else {
    breakpoint();
  }
  blocks_of(ast::BlockKind::after_solve, e_.advance);
  // A step begins where the one before ended.
  blocks_of(ast::BlockKind::before_step, e_.initialise);
  blocks_of(ast::BlockKind::before_step, e_.advance);
  if (m_.net_receive && !m_.point_neuron) net_receive(*m_.net_receive);
  begin_bodies();
  differentiate_current();
  if (m_.point_neuron) forget_transients();
  classify();
  e_.starts = ir::contains(e_.initialise, ir::Statement::Kind::send);
  if (e_.starts) std::swap(e_.start, e_.initialise);
  return std::move(e_);
}

/// What a file assigns in INITIAL of what it only READs of an ion holds there alone: a step reads
/// it again.
void Lowering::forget_what_is_read() {
  const std::vector<int> assigned = ir::assigned_in(e_.initialise);
  for (const Ion& ion : m_.ions)
    for (const IonVariable& v : ion.variables) {
      const Symbol& symbol = m_.symbols[at(v.symbol)];
      const int own = symbol_variable(v.symbol, 0);
      if (!v.read || v.write || v.quantity == IonQuantity::current || symbol.role == Role::state ||
          !std::binary_search(assigned.begin(), assigned.end(), own))
        continue;
      const int local = e_.program.add_local(symbol.name + "_of_initial");
      e_.initialise = ir::renamed(e_.initialise, own, local);
      e_.initialise.insert(e_.initialise.begin(), ir::assign(local, ir::variable(own)));
    }
}

void Lowering::breakpoint() {
  blocks_of(ast::BlockKind::before_breakpoint, e_.current);
  check_before_breakpoint();
  for (const int b : m_.blocks_of(ast::BlockKind::breakpoint)) {
    solve_step(b, e_.advance);
    Frame frame = frame_of(b);
    statements(m_.syntax.blocks[at(b)].body, frame, m_.currents.empty() ? e_.advance : e_.current);
  }
}

/// Currents of ions are there what the last step has left in NEURON, and begin anew here.
void Lowering::check_before_breakpoint() const {
  std::set<int> assigned, needs;
  find_needs(e_.current, assigned, needs);
  for (const Ion& ion : m_.ions)
    for (const IonVariable& v : ion.variables)
      if (const auto known = variables_.find({v.symbol, 0}); v.quantity == IonQuantity::current &&
                                                             known != variables_.end() &&
                                                             needs.contains(known->second))
        throw NotSupported(
            m_.syntax.blocks[at(m_.blocks_of(ast::BlockKind::before_breakpoint).front())].position,
            "BEFORE BREAKPOINT reads " + m_.symbols[at(v.symbol)].name +
                ", the current of an ion in the step before");
}

/// Puts what all bodies begin with before them.
void Lowering::begin_bodies() {
  std::vector<Body*> bodies{&e_.initialise, &e_.current, &e_.advance, &e_.receive, &e_.connect};
  for (WatchIr& watch : e_.watches) bodies.push_back(&watch.body);
  const auto begin_all_with = [&](int variable, int with) {
    for (Body* body : bodies) body->insert(body->begin(), ir::assign(variable, ir::variable(with)));
  };
  if (copy_of_v_ >= 0) begin_all_with(copy_of_v_, environment(ir::Variable::Kind::v));
  if (draws_ >= 0) e_.initialise.insert(e_.initialise.begin(), ir::assign(draws_, ir::number(0)));
  // A file that reads the current it writes sees that of all mechanisms until it assigns its own.
  for (const auto& [own, total] : totals_) begin_all_with(own, total);
}

/// The sum of all currents, and its slope.
void Lowering::differentiate_current() {
  Expr total = ir::number(0);
  bool only_electrodes = !m_.currents.empty();
  for (const Current& current : m_.currents)
    only_electrodes = only_electrodes && current.kind == CurrentKind::electrode;
  for (const Current& current : m_.currents) {
    const Expr i = ir::variable(symbol_variable(current.symbol, 0));
    total = current.kind == CurrentKind::electrode && !only_electrodes ? total - i : total + i;
  }
  e_.is_electrode = only_electrodes;
  if (m_.currents.empty()) return;
  const int v = environment(ir::Variable::Kind::v);
  const Body current = e_.current;
  ir::Differentiator slope(e_.program, {v});
  e_.current = slope.body(e_.current);
  const auto result = slope.expression(total, e_.current);
  e_.i = result.value;
  e_.g = result.slopes[0];
  if (slope_ == CurrentSlope::exact) return;
  std::set<int> surely, needs;  // what it makes of what it was, NEURON makes twice
  find_needs(current, surely, needs);
  if (std::ranges::any_of(ir::assigned_in(current), [&](int v) { return needs.contains(v); }))
    return take_secant(total, current);
  if (draws_ >= 0 && std::ranges::count(ir::assigned_in(current), draws_) > 0)
    return take_secant(total, current);
  if (!e_.g) return;
  ir::Differentiator curvature(e_.program, {v});
  Body again = curvature.body(e_.current);
  if (curvature.expression(e_.g, again).slopes[0]) take_secant(total, current);
}

/// In NEURON's order: at v + 0.001 mV, then at v.
void Lowering::take_secant(const Expr& total, const Body& current) {
  constexpr double ahead_mV = 0.001;
  const int v = environment(ir::Variable::Kind::v);
  const int v_ahead = e_.program.add_local("v_ahead"), i_ahead = e_.program.add_local("i_ahead");
  e_.current = {ir::assign(v_ahead, ir::variable(v) + ir::number(ahead_mV))};
  const Body moved = ir::renamed(current, v, v_ahead);
  e_.current.insert(e_.current.end(), moved.begin(), moved.end());
  e_.current.push_back(ir::assign(i_ahead, total));
  e_.current.insert(e_.current.end(), current.begin(), current.end());
  e_.i = total;
  e_.g = (ir::variable(i_ahead) - total) / ir::number(ahead_mV);
}

/// It comes before whoever sets parameters, and before states begin: here it would undo that.
void Lowering::check_constructor(int block) const {
  for (const int s : m_.blocks[at(block)].writes)
    if (const Symbol& symbol = m_.symbols[at(s)];
        symbol.role == Role::parameter || symbol.role == Role::state)
      throw NotSupported(m_.syntax.blocks[at(block)].position,
                         "CONSTRUCTOR sets '" + symbol.name + "', which is no ASSIGNED variable");
}

void Lowering::blocks_of(ast::BlockKind kind, Body& out) {
  for (const int b : m_.blocks_of(kind)) {
    if (kind == ast::BlockKind::constructor) check_constructor(b);
    Frame frame = frame_of(b);
    statements(m_.syntax.blocks[at(b)].body, frame, out);
  }
}

int Lowering::environment(ir::Variable::Kind kind) {
  for (std::size_t k = 0; k < e_.program.variables.size(); ++k)
    if (e_.program.variables[k].kind == kind) return static_cast<int>(k);
  e_.program.variables.push_back({"environment", kind});
  return static_cast<int>(e_.program.variables.size()) - 1;
}

}  // namespace hillock::nmodl
