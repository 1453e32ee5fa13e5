// SOLVE: one step of a block by its method.

#include <algorithm>
#include <utility>

#include "mechanisms/nmodl/lowering.hpp"

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

}  // namespace

Lowering::Expr Lowering::rate_variable(int state) {
  const auto found = rates_.find(state);
  if (found != rates_.end()) return ir::variable(found->second);
  const int local = e_.program.add_local("rate");
  rates_.emplace(state, local);
  return ir::variable(local);
}

/// Whether reactions change a variable: a STATE, also one that an ion owns, and nothing else.
bool Lowering::is_integrated(int variable) const {
  for (const auto& [key, of] : variables_)
    if (of == variable) return m_.symbols[at(key.first)].role == Role::state;
  return false;
}

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

/// Adds a reaction's flux to the rates of its states, by mass action.
void Lowering::reaction(const ast::Reaction& r, Frame& frame, Body& out) {
  const auto product = [&](const std::vector<ast::ReactionTerm>& terms) {
    Expr all = ir::number(1);
    for (const ast::ReactionTerm& term : terms)
      for (int k = 0; k < term.coefficient; ++k)
        all = all * ir::variable(target(term.state, frame, out));
    return all;
  };
  const auto add = [&](const std::vector<ast::ReactionTerm>& terms, const Expr& flux) {
    for (const ast::ReactionTerm& term : terms) {
      const int state = target(term.state, frame, out);
      if (!is_integrated(state)) continue;
      Expr change = ir::number(term.coefficient) * flux;
      if (const auto volume = volumes_.find(state); volume != volumes_.end())
        change = change / volume->second;
      const Expr rate = rate_variable(state);
      out.push_back(ir::assign(rate->variable, rate + change));
    }
  };
  const int net = e_.program.add_local("flux");
  if (r.arrow == ast::Arrow::into) {
    out.push_back(ir::assign(net, expression(r.forward, frame, out)));
    add(r.left, ir::variable(net));
    return;
  }
  const int forward = e_.program.add_local("f_flux"), backward = e_.program.add_local("b_flux");
  const Expr kf = expression(r.forward, frame, out);
  out.push_back(ir::assign(forward, kf * product(r.left)));
  if (r.backward) {
    const Expr kb = expression(*r.backward, frame, out);
    out.push_back(ir::assign(backward, kb * product(r.right)));
  } else {
    out.push_back(ir::assign(backward, ir::number(0)));
  }
  out.push_back(ir::assign(net, ir::variable(forward) - ir::variable(backward)));
  add(r.left, -ir::variable(net));
  if (r.arrow == ast::Arrow::both) add(r.right, ir::variable(net));
  const auto& locals = m_.blocks[at(frame.block)].locals;
  for (std::size_t l = 0; l < locals.size(); ++l)
    if (locals[l].kind == LocalKind::flux)
      out.push_back(ir::assign(frame.locals[l].variables[0],
                               ir::variable(locals[l].name == "b_flux" ? backward : forward)));
}

/// COMPARTMENT: what the fluxes into states are divided by, element by element of arrays.
void Lowering::compartment(const ast::Compartment& c, Frame& frame, Body& out) {
  for (const ast::Name& state : c.states) {
    const int size = m_.symbols[at(state.binding.index)].size;
    for (int k = 0; k < std::max(1, size); ++k) {
      if (c.index) frame.locals[at(c.index->binding.index)].value = ir::number(k);
      volumes_[symbol_variable(state.binding.index, k, state.position)] =
          expression(c.volume, frame, out);
    }
  }
}

/// CONSERVE: what takes the place of the last state's equation. Compartments count by their size,
/// arrays with all their elements.
void Lowering::conserve(const ast::Conserve& c, Frame& frame, Body& out) {
  Expr sum = ir::number(0);
  int last = -1;
  const auto add = [&](int state, int coefficient) {
    last = state;
    Expr amount = ir::number(coefficient) * ir::variable(state);
    if (const auto volume = volumes_.find(state); volume != volumes_.end())
      amount = amount * volume->second;
    sum = sum + amount;
  };
  for (const ast::ReactionTerm& term : c.terms) {
    if (term.state.kind == ast::ExpressionKind::element) {
      add(target(term.state, frame, out), term.coefficient);
      continue;
    }
    const int symbol = term.state.binding.index;
    for (int k = 0; k < std::max(1, m_.symbols[at(symbol)].size); ++k)
      add(symbol_variable(symbol, k, term.state.position), term.coefficient);
  }
  conservation_.emplace_back(last, sum - expression(c.total, frame, out));
}

/// Backward Euler, or F(x) = 0 of LINEAR and NONLINEAR, by Newton's method.
void Lowering::implicit_step(const Solve& s, bool algebraic, Body& out) {
  const auto& facts = m_.blocks[at(s.block)];
  const auto& block = m_.syntax.blocks[at(s.block)];
  rates_.clear();
  volumes_.clear();
  conservation_.clear();
  residuals_.clear();
  Frame frame = frame_of(s.block);
  Body inner;
  equations_ = Equations::rates;
  statements(block.body, frame, inner);
  equations_ = Equations::none;

  auto newton = std::make_shared<ir::Newton>();
  std::vector<Expr> residuals;
  Body before;
  if (algebraic) {
    for (const int symbol : facts.unknowns) {
      const int size = std::max(1, m_.symbols[at(symbol)].size);
      for (int k = 0; k < size; ++k)
        newton->unknowns.push_back(symbol_variable(symbol, k, block.position));
    }
    residuals = residuals_;
    if (residuals.size() != newton->unknowns.size())
      throw NotSupported(block.position, std::to_string(residuals.size()) + " equations for " +
                                             std::to_string(newton->unknowns.size()) + " unknowns");
    newton->is_linear = block.kind == ast::BlockKind::linear;
  } else {
    const Expr dt =
        s.steady_state ? ir::number(1e9) : ir::variable(environment(ir::Variable::Kind::dt));
    for (const auto& [state, rate] : rates_) {
      const int old = e_.program.add_local("old");
      before.push_back(ir::assign(old, ir::variable(state)));
      newton->unknowns.push_back(state);
      Expr residual = ir::variable(state) - ir::variable(old) - dt * ir::variable(rate);
      for (const auto& [replaced, conserved] : conservation_)
        if (replaced == state) residual = conserved;
      residuals.push_back(residual);
      // Rates add up from 0 in every round.
      inner.insert(inner.begin(), ir::assign(rate, ir::number(0)));
    }
  }
  ir::Differentiator slopes(e_.program, newton->unknowns);
  ir::Statement solving;
  solving.kind = ir::Statement::Kind::newton;
  for (const ir::Statement& inside : inner)
    for (const int assigned : ir::assigned_in({inside}))
      if (std::count(newton->unknowns.begin(), newton->unknowns.end(), assigned))
        throw NotSupported(block.position, "a block that assigns the states it solves for");
  solving.body = slopes.body(inner);
  for (const Expr& residual : residuals) {
    const auto result = slopes.expression(residual, solving.body);
    const int f = e_.program.add_local("residual");
    solving.body.push_back(ir::assign(f, result.value));
    newton->residuals.push_back(f);
    std::vector<int> row;
    for (const Expr& slope : result.slopes) {
      row.push_back(slope ? e_.program.add_local("slope") : -1);
      if (slope) solving.body.push_back(ir::assign(row.back(), slope));
    }
    newton->jacobian.push_back(std::move(row));
  }
  constexpr std::size_t most_unknowns = 32;
  if (newton->unknowns.size() > most_unknowns)
    throw NotSupported(block.position, "more than 32 coupled states");
  solving.newton = std::move(newton);
  out.insert(out.end(), before.begin(), before.end());
  out.push_back(std::move(solving));
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
      return;
    case ast::BlockKind::linear:
    case ast::BlockKind::nonlinear:
      implicit_step(s, true, out);
      return;
    case ast::BlockKind::derivative:
      break;
    default:
      throw NotSupported(s.position, "SOLVE of this kind of block");
  }
  if (s.steady_state) {
    implicit_step(s, false, out);
    return;
  }
  switch (s.method) {
    case Method::cnexp: {
      Frame frame = frame_of(s.block);
      Body exact;
      equations_ = Equations::cnexp;
      try {
        statements(block.body, frame, exact);
      } catch (const NotLinear&) {
        implicit_step(s, false, out);  // as NEURON does
        return;
      }
      equations_ = Equations::none;
      out.insert(out.end(), exact.begin(), exact.end());
      return;
    }
    case Method::euler: {
      Frame frame = frame_of(s.block);
      rates_.clear();
      equations_ = Equations::euler;
      statements(block.body, frame, out);
      equations_ = Equations::none;
      const Expr dt = ir::variable(environment(ir::Variable::Kind::dt));
      for (const auto& [state, rate] : rates_)
        out.push_back(ir::assign(state, ir::variable(state) + dt * ir::variable(rate)));
      return;
    }
    case Method::derivimplicit:
    case Method::sparse:
    case Method::newton:
      implicit_step(s, false, out);
      return;
    default:
      throw NotSupported(s.position, "this method of integration");
  }
}

}  // namespace hillock::nmodl
