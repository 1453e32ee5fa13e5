// SOLVE: one step of a block by its method.

#include <algorithm>
#include <utility>

#include "mechanisms/nmodl/lower/lowering.hpp"

namespace hillock::nmodl {
namespace {

class NotLinear : public NotSupported {
 public:
  explicit NotLinear(Position position)
      : NotSupported(position, "METHOD cnexp of an equation that is not linear in its state") {}
};

/// Whether an expression can be taken apart as above/below.
bool is_quotient(const ir::Expr& e) {
  return e->kind == ir::Node::Kind::operation && e->op == ir::Operator::divide;
}

/// Whether an expression names a variable.
bool names(const ast::Expression& e, const ast::Binding& variable) {
  return e.binding == variable ||
         std::any_of(e.operands.begin(), e.operands.end(),
                     [&](const ast::Expression& of) { return names(of, variable); });
}

/// Whether a variable is passed to a FUNCTION of the file.
bool passes(const ast::Expression& e, const ast::Binding& variable) {
  const bool is_call = e.kind == ast::ExpressionKind::call &&
                       e.binding.kind == ast::Binding::Kind::block && names(e, variable);
  return is_call || std::any_of(e.operands.begin(), e.operands.end(),
                                [&](const ast::Expression& of) { return passes(of, variable); });
}

}  // namespace

/// x' = f. cnexp takes f as a + b·x, exact for it, in place, as NEURON does.
void Lowering::equation(const ast::DerivativeEquation& e, Position position, Frame& frame,
                        Body& out) {
  if (e.order != 1) throw NotSupported(position, "equations of second order");
  const int x = target(e.target, frame, out);
  Expr f = expression(e.value, frame, out);
  if (equations_ != Equations::cnexp) {
    out.push_back(ir::assign(rate_variable(x)->variable, f));
    return;
  }
  if (passes(e.value, e.target.binding)) throw NotLinear(position);
  const Expr dt = ir::variable(environment(ir::Variable::Kind::dt));
  const Expr now = ir::variable(x);
  // The slope must be one expression: nothing that reads x may be held on the way.
  Body held;
  ir::Differentiator along(e_.program, {x});
  const auto result = along.expression(f, held);
  const Expr& b = result.slopes[0];
  if (!b) {
    out.push_back(ir::assign(x, now + dt * f));
    return;
  }
  for (const ir::Statement& s : held)
    if (ir::reads(s.value, x)) throw NotLinear(position);
  if (ir::reads(b, x)) throw NotLinear(position);
  out.insert(out.end(), held.begin(), held.end());
  f = result.value;
  const Expr a = ir::substitute(f, x, ir::number(0));
  if (ir::is_number(a, 0)) {
    out.push_back(ir::assign(x, now * ir::call(ir::Function::exp, {dt * b})));
    return;
  }
  const Expr rest = -(a / b);
  const Expr decay = is_quotient(b) && ir::is_number(b->operands[0], -1)
                         ? ir::call(ir::Function::exp, {-(dt / b->operands[1])})
                         : ir::call(ir::Function::exp, {dt * b});
  const int resting = e_.program.add_local("rest");
  out.push_back(ir::assign(resting, rest));
  const Expr inf = ir::variable(resting);
  out.push_back(ir::assign(x, inf + (now - inf) * decay));
}

/// What BREAKPOINT solves makes the step. Under a condition, everything that may decide about it
/// runs as well.
void Lowering::solve_step(int breakpoint, Body& out) {
  const ast::Statements& body = m_.syntax.blocks[at(breakpoint)].body;
  bool conditional = false;
  for (const Solve& s : m_.solves)
    conditional = conditional || (s.in_block == breakpoint && s.conditional);
  Frame frame = frame_of(breakpoint);
  steps_ = true;
  for (const ast::Statement& s : body)
    if (conditional || std::holds_alternative<ast::Solve>(s.node)) statement(s, frame, out);
  steps_ = false;
}

/// SOLVE where it stands, but in BREAKPOINT, whose current takes no step.
void Lowering::solve_here(Position position, const Frame& frame, Body& out) {
  const bool in_breakpoint = m_.syntax.blocks[at(frame.block)].kind == ast::BlockKind::breakpoint;
  if (in_breakpoint && !steps_) return;
  for (const Solve& s : m_.solves)
    if (s.in_block == frame.block && s.position == position) solve(s, out);
}

void Lowering::solve(const Solve& s, Body& out) {
  const auto& block = m_.syntax.blocks[at(s.block)];
  switch (block.kind) {
    case ast::BlockKind::procedure:
      inlined(s.block, {}, s.position, out);
      return;
    case ast::BlockKind::kinetic:
      implicit_step(s, false, out);
      if (!s.steady_state) diffusion(s.block, out);
      return;
    case ast::BlockKind::linear:
    case ast::BlockKind::nonlinear:
      implicit_step(s, true, out);
      return;
    case ast::BlockKind::derivative:
      break;
    case ast::BlockKind::discrete:
      throw NotSupported(s.position,
                         "DISCRETE (its values of earlier steps are not kept; a PROCEDURE that "
                         "BREAKPOINT solves runs once a step too)");
    default:
      throw NotSupported(s.position, "SOLVE of this kind of block");
  }
  if (s.steady_state) {
    implicit_step(s, false, out);
    return;
  }
  switch (s.method) {
    case Method::cnexp:
      exact_step(s, out);
      return;
    case Method::euler:
      euler_step(s, out);
      return;
    case Method::runge:
    case Method::unspecified:
      runge_step(s, out);
      return;
    case Method::derivimplicit:
    case Method::sparse:
    case Method::newton:
      implicit_step(s, false, out);
      return;
    default:
      throw NotSupported(s.position, "this method of integration");
  }
}

/// What is not linear in its state is solved implicitly.
void Lowering::exact_step(const Solve& s, Body& out) {
  Frame frame = frame_of(s.block);
  Body exact;
  equations_ = Equations::cnexp;
  try {
    statements(m_.syntax.blocks[at(s.block)].body, frame, exact);
  } catch (const NotLinear&) {
    if (s.is_call) throw;
    implicit_step(s, false, out);
    return;
  }
  equations_ = Equations::none;
  out.insert(out.end(), exact.begin(), exact.end());
}

void Lowering::euler_step(const Solve& s, Body& out) {
  Frame frame = frame_of(s.block);
  rates_.clear();
  equations_ = Equations::euler;
  statements(m_.syntax.blocks[at(s.block)].body, frame, out);
  equations_ = Equations::none;
  const Expr dt = ir::variable(environment(ir::Variable::Kind::dt));
  for (const auto& [state, rate] : rates_)
    out.push_back(ir::assign(state, ir::variable(state) + dt * ir::variable(rate)));
}

/// The classical method of Runge and Kutta. As NEURON's it begins at the `t` that a solved block
/// sees, the step's end, and runs the block once more with the new states, for what it assigns.
void Lowering::runge_step(const Solve& s, Body& out) {
  struct Stage {
    double weight;  ///< of its slope in the step
    double to;      ///< how far the next stage's states and time lie, in steps
  };
  constexpr Stage stages[] = {{1. / 6, 0.5}, {1. / 3, 0.5}, {1. / 3, 1}, {1. / 6, 0}};
  const Expr dt = ir::variable(environment(ir::Variable::Kind::dt));
  const int time = environment(ir::Variable::Kind::time);
  const auto run_block = [&](double from) {
    Frame frame = frame_of(s.block);
    Body slopes;
    equations_ = Equations::euler;
    statements(m_.syntax.blocks[at(s.block)].body, frame, slopes);
    equations_ = Equations::none;
    if (from > 0) {
      const int later = e_.program.add_local("later");
      out.push_back(ir::assign(later, ir::variable(time) + dt * ir::number(from)));
      slopes = ir::renamed(slopes, time, later);
    }
    out.insert(out.end(), slopes.begin(), slopes.end());
  };
  rates_.clear();
  std::map<int, int> old, sums;
  double from = 0;
  for (const Stage& stage : stages) {
    run_block(from);
    from = stage.to;
    for (const auto& [state, rate] : rates_) {
      const Expr change = dt * ir::variable(rate);
      if (!old.contains(state)) {
        old[state] = e_.program.add_local("old");
        sums[state] = e_.program.add_local("sum");
        out.push_back(ir::assign(old[state], ir::variable(state)));
        out.push_back(ir::assign(sums[state], ir::variable(state)));
      }
      const int sum = sums[state];
      out.push_back(ir::assign(sum, ir::variable(sum) + change * ir::number(stage.weight)));
      out.push_back(ir::assign(state, stage.to > 0
                                          ? ir::variable(old[state]) + change * ir::number(stage.to)
                                          : ir::variable(sum)));
    }
  }
  run_block(0);
}

}  // namespace hillock::nmodl
