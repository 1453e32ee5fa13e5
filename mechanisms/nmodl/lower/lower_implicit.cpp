// Backward Euler, and F(x) = 0 of LINEAR and NONLINEAR: Newton's method with exact slopes. A system
// that is linear takes one round; one whose matrix needs no pivoting is eliminated in place.

#include <algorithm>
#include <utility>

#include "mechanisms/nmodl/lower/elimination.hpp"
#include "mechanisms/nmodl/lower/lowering.hpp"

namespace hillock::nmodl {
namespace {

using ir::Expr;

constexpr std::size_t most_dense = 32;      ///< unknowns of a system that pivots
constexpr std::size_t most_unknowns = 512;  ///< of any

/// Whether no unknown depends on another one through its equation.
bool is_diagonal(const ir::Matrix& slopes) {
  for (std::size_t r = 0; r < slopes.size(); ++r)
    for (std::size_t c = 0; c < slopes.size(); ++c)
      if (r != c && slopes[r][c]) return false;
  return true;
}

}  // namespace

/// Whether Newton's method ends where NEURON's does, by F as NEURON has it.
bool Lowering::ends_as_neuron(const Solve& s) const {
  return slope_ == CurrentSlope::secant && !s.steady_state;
}

/// Backward Euler's equations for the states that have rates: x - old - step·rate = 0, or what
/// CONSERVE says. The step is the implicit part of dt.
Lowering::System Lowering::step_system(const Solve& s, Body& before) {
  System system;
  const Expr step =
      s.steady_state ? ir::number(1e9) : ir::variable(environment(ir::Variable::Kind::implicit_dt));
  Body zeros;  // rates add up from 0 in every round
  const bool reacts = m_.syntax.blocks[at(s.block)].kind == ast::BlockKind::kinetic;
  for (const auto& [state, rate] : rates_) {
    const int old = e_.program.add_local("old");
    before.push_back(ir::assign(old, ir::variable(state)));
    system.old.push_back(old);
    const Expr x = reacts ? amount(state) : ir::variable(state);
    Expr residual = ends_as_neuron(s) && !reacts
                        ? (x - ir::variable(old)) / step - ir::variable(rate)
                        : x - ir::variable(old) - step * ir::variable(rate);
    for (const auto& [replaced, conserved] : conservation_)
      if (replaced == state) {
        residual = conserved;
        system.last.insert(static_cast<int>(system.unknowns.size()));
      }
    system.unknowns.push_back(state);
    system.residuals.push_back(residual);
    zeros.push_back(ir::assign(rate, ir::number(0)));
  }
  system.body = std::move(zeros);
  return system;
}

Lowering::System Lowering::algebraic_system(const Solve& s) {
  const auto& block = m_.syntax.blocks[at(s.block)];
  System system;
  for (const int symbol : m_.blocks[at(s.block)].unknowns) {
    const int size = std::max(1, m_.symbols[at(symbol)].size);
    for (int k = 0; k < size; ++k) system.unknowns.push_back(symbol_variable(symbol, k));
  }
  system.residuals = residuals_;
  if (system.residuals.size() != system.unknowns.size())
    throw NotSupported(block.position, std::to_string(system.residuals.size()) + " equations for " +
                                           std::to_string(system.unknowns.size()) + " unknowns");
  return system;
}

/// What a block assigns to the states that it solves for (say, a lower limit) holds for the rest
/// of the block in every round, and for the states themselves once they are found: [state] its
/// copy.
std::map<int, int> Lowering::with_own_copies(const std::vector<int>& unknowns, Body& body) {
  const std::vector<int> assigned = ir::assigned_in(body);
  std::map<int, int> copies;
  for (const int x : unknowns) {
    if (!std::count(assigned.begin(), assigned.end(), x)) continue;
    const int copy = e_.program.add_local("copy");
    body = ir::renamed(body, x, copy);
    body.insert(body.begin(), ir::assign(copy, ir::variable(x)));
    copies.emplace(x, copy);
  }
  return copies;
}

/// What a block computes from its unknowns for others to read, once more after they are found: the
/// last round had them as they were before it.
void Lowering::settle(const System& system, const std::map<int, int>& copies, const Body& block,
                      Body& out) {
  const ir::Dependence varies(block, system.unknowns);
  std::set<int> wanted;
  for (const int v : ir::assigned_in(block))
    if (e_.program.variables[at(v)].kind != ir::Variable::Kind::local &&
        varies.depends(ir::variable(v)))
      wanted.insert(v);
  for (const auto& [x, copy] : copies) wanted.insert(copy);
  const Body again = ir::needed(block, std::move(wanted), varies);
  out.insert(out.end(), again.begin(), again.end());
  for (const auto& [x, copy] : copies) out.push_back(ir::assign(x, ir::variable(copy)));
}

Lowering::Expr Lowering::half_is_explicit() {
  return ir::operation(ir::Operator::less,
                       {ir::variable(environment(ir::Variable::Kind::implicit_dt)),
                        ir::variable(environment(ir::Variable::Kind::dt))});
}

/// Where the implicit part is half of the step, the rest is explicit, with the slope that the solve
/// ended with: (x - old) / (dt/2). What the block assigned stays as the solve left it.
void Lowering::extrapolate(const System& system, Body& out) {
  ir::Statement explicit_part;
  explicit_part.kind = ir::Statement::Kind::branch;
  explicit_part.value = half_is_explicit();
  for (std::size_t k = 0; k < system.unknowns.size(); ++k) {
    const Expr x = ir::variable(system.unknowns[k]);
    explicit_part.body.push_back(
        ir::assign(system.unknowns[k], x + (x - ir::variable(system.old[k]))));
  }
  out.push_back(std::move(explicit_part));
}

/// Lets the states themselves react, in place of their amounts.
void Lowering::react(System& system, Body& body) const {
  for (const auto& [state, amount] : amounts_) {
    body = ir::renamed(body, amount, state);
    for (Expr& residual : system.residuals)
      residual = ir::substitute(residual, amount, ir::variable(state));
  }
}

/// Whether rates or totals of a KINETIC block follow the states other than by mass action, which is
/// linear, and the block leaves the states alone.
bool Lowering::depends_on_states(const System& system, const Body& reacting) const {
  if (!mass_action_is_linear_ || amounts_.empty()) return false;
  for (const int v : ir::assigned_in(reacting))
    if (std::count(system.unknowns.begin(), system.unknowns.end(), v)) return false;
  const ir::Dependence varies(reacting, system.unknowns);
  return std::any_of(system.residuals.begin(), system.residuals.end(),
                     [&](const Expr& residual) { return varies.depends(residual); });
}

/// A step whose rates are those of its beginning, which leaves a linear system, as NEURON takes it:
/// of first order like backward Euler itself. Half a step that is to be of second order takes the
/// rates along.
void Lowering::step_with_held_rates(const Solve& s, System held, System& whole, Body& out) {
  ir::Statement choice;
  choice.kind = ir::Statement::Kind::branch;
  choice.value = half_is_explicit();
  newton(s, whole, choice.body);
  for (const auto& [state, amount] : amounts_)  // some are conserved and never react
    choice.otherwise.push_back(ir::assign(amount, ir::variable(state)));
  for (int& unknown : held.unknowns) unknown = amounts_.at(unknown);
  newton(s, held, choice.otherwise);
  for (std::size_t k = 0; k < held.unknowns.size(); ++k)
    choice.otherwise.push_back(ir::assign(whole.unknowns[k], ir::variable(held.unknowns[k])));
  out.push_back(std::move(choice));
}

void Lowering::implicit_step(const Solve& s, bool algebraic, Body& out) {
  rates_.clear();
  amounts_.clear();
  mass_action_is_linear_ = true;
  volumes_.clear();
  conservation_.clear();
  residuals_.clear();
  Frame frame = frame_of(s.block);
  Body inner;
  equations_ = Equations::rates;
  statements(m_.syntax.blocks[at(s.block)].body, frame, inner);
  equations_ = Equations::none;
  const bool takes_time = !algebraic && !s.steady_state;
  if (takes_time)  // the dt that a block reads is that of its solve
    inner = ir::renamed(inner, environment(ir::Variable::Kind::dt),
                        environment(ir::Variable::Kind::implicit_dt));
  System system = algebraic ? algebraic_system(s) : step_system(s, out);
  System held = system;
  held.body.insert(held.body.end(), inner.begin(), inner.end());
  const bool holds_rates = takes_time && depends_on_states(system, inner);
  react(system, inner);
  if (system.unknowns.empty()) {
    out.insert(out.end(), inner.begin(), inner.end());
    return;
  }
  const std::map<int, int> copies = with_own_copies(system.unknowns, inner);
  system.body.insert(system.body.end(), inner.begin(), inner.end());
  if (holds_rates)
    step_with_held_rates(s, std::move(held), system, out);
  else
    newton(s, system, out);
  settle(system, copies, inner, out);
  if (takes_time) extrapolate(system, out);
}

/// Appends what solves a system.
void Lowering::newton(const Solve& s, System& system, Body& out) {
  const auto& block = m_.syntax.blocks[at(s.block)];
  const std::size_t n = system.unknowns.size();
  if (n > most_unknowns)
    throw NotSupported(block.position, "more than " + std::to_string(most_unknowns) + " states");
  ir::Differentiator slope(e_.program, system.unknowns);
  ir::Statement solving;
  solving.kind = ir::Statement::Kind::newton;
  solving.body = slope.body(system.body);
  ir::Newton newton;
  newton.unknowns = system.unknowns;
  ir::Matrix slopes;
  for (const Expr& residual : system.residuals) {
    const auto result = slope.expression(residual, solving.body);
    newton.residuals.push_back(e_.program.add_local("residual"));
    solving.body.push_back(ir::assign(newton.residuals.back(), result.value));
    slopes.push_back(result.slopes);
  }
  const ir::Dependence varies(solving.body, system.unknowns);
  newton.is_linear = true;
  for (const auto& row : slopes)
    for (const Expr& entry : row)
      newton.is_linear = newton.is_linear && !(entry && varies.depends(entry));

  const bool pivots = block.kind != ast::BlockKind::kinetic && s.method != Method::sparse;
  if (ends_as_neuron(s) && !newton.is_linear && (!pivots || n <= most_dense))
    newton.rest = pivots ? ir::Newton::Rest::as_newton : ir::Newton::Rest::as_sparse;
  if (newton.rest == ir::Newton::Rest::as_sparse) newton.most_rounds = 22;  // NEURON's
  if (pivots && (!is_diagonal(slopes) || newton.rest == ir::Newton::Rest::as_newton)) {
    if (n > most_dense)
      throw NotSupported(block.position, "more than " + std::to_string(most_dense) +
                                             " coupled states; METHOD sparse has no such limit");
    hold_slopes(slopes, newton, solving.body);
  } else {
    std::vector<Expr> residuals;
    for (const int residual : newton.residuals) residuals.push_back(ir::variable(residual));
    const auto change =
        ir::eliminate(e_.program, slopes, std::move(residuals), system.last, solving.body);
    if (!change) throw NotSupported(block.position, "a system with a 0 on its diagonal");
    statements_ += solving.body.size();
    for (std::size_t r = 0; r < n; ++r)
      solving.body.push_back(ir::assign(newton.residuals[r], (*change)[r]));
    if (newton.is_linear) {
      out.insert(out.end(), solving.body.begin(), solving.body.end());
      for (std::size_t r = 0; r < n; ++r)
        out.push_back(ir::assign(newton.unknowns[r], ir::variable(newton.unknowns[r]) -
                                                         ir::variable(newton.residuals[r])));
      return;
    }
  }
  solving.newton = std::make_shared<const ir::Newton>(std::move(newton));
  out.push_back(std::move(solving));
}

/// Puts the slopes where Newton's method finds them.
void Lowering::hold_slopes(const ir::Matrix& slopes, ir::Newton& newton, Body& body) {
  for (const auto& row : slopes) {
    std::vector<int> held;
    for (const Expr& entry : row) {
      held.push_back(entry ? e_.program.add_local("slope") : -1);
      if (entry) body.push_back(ir::assign(held.back(), entry));
    }
    newton.jacobian.push_back(std::move(held));
  }
}

}  // namespace hillock::nmodl
