#include "mechanisms/nmodl/lower/differentiate.hpp"

#include <algorithm>
#include <numbers>
#include <string>
#include <utility>

#include "core/index.hpp"

namespace hillock::nmodl::ir {
namespace {

/// Zero is null, so that it vanishes before it is written down.
Expr plus(const Expr& a, const Expr& b) {
  return !a ? b : !b ? a : a + b;
}
Expr negative(const Expr& a) {
  return a ? -a : a;
}
Expr times(const Expr& factor, const Expr& a) {
  return a ? factor * a : a;
}

Expr choose(const Expr& condition, const Expr& a, const Expr& b) {
  const Expr zero = number(0);
  return operation(Operator::select, {condition, a ? a : zero, b ? b : zero});
}

/// f = op(u) with its slope along one seed, comparisons and logic left out: a step's slope is 0.
Expr slope_of_operation(Operator op, const Expr& f, const std::vector<Expr>& u,
                        const std::vector<Expr>& du) {
  switch (op) {
    case Operator::add:
      return plus(du[0], du[1]);
    case Operator::subtract:
      return plus(du[0], negative(du[1]));
    case Operator::minus:
      return negative(du[0]);
    case Operator::multiply:
      return plus(times(u[1], du[0]), times(u[0], du[1]));
    case Operator::divide: {
      const Expr above = plus(du[0], negative(times(f, du[1])));
      return above ? above / u[1] : nullptr;
    }
    case Operator::select:
      return du[1] || du[2] ? choose(u[0], du[1], du[2]) : nullptr;
    default:
      return nullptr;
  }
}

}  // namespace

Differentiator::Differentiator(Program& program, std::vector<int> seeds)
    : program_(program), seeds_(std::move(seeds)) {}

Body Differentiator::body(const Body& source) {
  Body result;
  for (const Statement& statement : source) add(statement, result);
  return result;
}

Differentiator::Result Differentiator::expression(const Expr& e, Body& prepare) {
  Result result{e, Slopes(seeds_.size())};
  if (e->kind == Node::Kind::number) return result;
  if (e->kind == Node::Kind::variable) {
    const auto found = known_.find(e->variable);
    for (std::size_t s = 0; s < seeds_.size(); ++s)
      if (e->variable == seeds_[s])
        result.slopes[s] = number(1);
      else if (found != known_.end() && found->second[s] >= 0)
        result.slopes[s] = variable(found->second[s]);
    return result;
  }
  std::vector<Expr> values;
  std::vector<Slopes> slopes;
  bool depends = false;
  for (const Expr& operand : e->operands) {
    Result of = expression(operand, prepare);
    for (const Expr& slope : of.slopes) depends = depends || slope;
    values.push_back(std::move(of.value));
    slopes.push_back(std::move(of.slopes));
  }
  const bool is_call = e->kind == Node::Kind::call;
  result.value = is_call ? call(e->function, values) : operation(e->op, values);
  if (!depends) return result;
  bool divisor_depends = false;
  if (!is_call && e->op == Operator::divide)
    for (const Expr& slope : slopes[1]) divisor_depends = divisor_depends || slope;
  if (is_call || divisor_depends) result.value = hold(result.value, prepare);
  for (std::size_t s = 0; s < seeds_.size(); ++s) {
    std::vector<Expr> du;
    bool along = false;
    for (const Slopes& of : slopes) {
      du.push_back(of[s]);
      along = along || of[s];
    }
    if (!along) continue;
    result.slopes[s] = is_call ? slope_of_call(e->function, result.value, values, du, prepare)
                               : slope_of_operation(e->op, result.value, values, du);
  }
  return result;
}

Expr Differentiator::hold(const Expr& value, Body& prepare) {
  if (value->kind == Node::Kind::variable || is_number(value)) return value;
  const int local = program_.add_local("held");
  prepare.push_back(assign(local, value));
  return variable(local);
}

namespace {

/// f: u0 to the power of u1.
Expr slope_of_power(const Expr& f, const std::vector<Expr>& u, const std::vector<Expr>& du) {
  Expr slope;
  if (du[0]) {
    const Expr lower = is_number(u[1]) ? number(u[1]->value - 1) : u[1] - number(1);
    slope = u[1] * call(Function::pow, {u[0], lower}) * du[0];
  }
  if (du[1]) slope = plus(slope, f * call(Function::log, {u[0]}) * du[1]);
  return slope;
}

/// u0 is the table's number.
Expr slope_of_table(const std::vector<Expr>& u, const std::vector<Expr>& du) {
  Expr slope;
  for (std::size_t k = 1; k < u.size(); ++k) {
    std::vector<Expr> operands{u[0], number(static_cast<double>(k - 1))};
    operands.insert(operands.end(), u.begin() + 1, u.end());
    if (du[k]) slope = plus(slope, call(Function::table_slope, std::move(operands)) * du[k]);
  }
  return slope;
}

}  // namespace

Expr Differentiator::slope_of_call(Function function, const Expr& f, const std::vector<Expr>& u,
                                   const std::vector<Expr>& du, Body& prepare) {
  const Expr one = number(1);
  const auto less = [](const Expr& a, const Expr& b) { return operation(Operator::less, {a, b}); };
  switch (function) {
    case Function::exp:
      return f * du[0];
    case Function::log:
      return du[0] / u[0];
    case Function::log10:
      return du[0] / (number(std::numbers::ln10) * u[0]);
    case Function::sqrt:
      return du[0] / (number(2) * f);
    case Function::sin:
      return call(Function::cos, {u[0]}) * du[0];
    case Function::cos:
      return -(call(Function::sin, {u[0]}) * du[0]);
    case Function::tan:
      return (one + f * f) * du[0];
    case Function::tanh:
      return (one - f * f) * du[0];
    case Function::sinh:
      return call(Function::cosh, {u[0]}) * du[0];
    case Function::cosh:
      return call(Function::sinh, {u[0]}) * du[0];
    case Function::asin:
      return du[0] / call(Function::sqrt, {one - u[0] * u[0]});
    case Function::acos:
      return -(du[0] / call(Function::sqrt, {one - u[0] * u[0]}));
    case Function::atan:
      return du[0] / (one + u[0] * u[0]);
    case Function::atan2:
      return plus(times(u[1], du[0]), negative(times(u[0], du[1]))) / (u[0] * u[0] + u[1] * u[1]);
    case Function::erf:
      return number(2 * std::numbers::inv_sqrtpi) * call(Function::exp, {-(u[0] * u[0])}) * du[0];
    case Function::pow:
      return slope_of_power(f, u, du);
    case Function::abs:
      return choose(less(u[0], number(0)), -du[0], du[0]);
    case Function::min:
      return choose(less(u[1], u[0]), du[1], du[0]);
    case Function::max:
      return choose(less(u[0], u[1]), du[1], du[0]);
    case Function::fmod: {  // u0 - k·u1 with a whole number k
      if (!du[1]) return du[0];
      const Expr k = hold((u[0] - f) / u[1], prepare);
      return plus(du[0], negative(k * du[1]));
    }
    case Function::table:
      return slope_of_table(u, du);
    case Function::element: {
      std::vector<Expr> slopes{u[0]};
      for (std::size_t k = 1; k < u.size(); ++k) slopes.push_back(du[k] ? du[k] : number(0));
      return call(function, std::move(slopes));
    }
    default:
      return nullptr;  // floor, ceil, draws and slopes of tables step
  }
}

int Differentiator::slope_variable(int of, std::size_t seed) {
  auto& own = all_.try_emplace(of, std::vector<int>(seeds_.size(), -1)).first->second;
  if (own[seed] < 0) own[seed] = program_.add_local("d_" + program_.variables[at(of)].name);
  return own[seed];
}

void Differentiator::add_assign(const Statement& statement, Body& result) {
  Result right = expression(statement.value, result);
  std::vector<int> own(seeds_.size(), -1);
  if (const auto found = known_.find(statement.target); found != known_.end()) own = found->second;
  // Before the target changes: slopes may read its old value.
  for (std::size_t s = 0; s < seeds_.size(); ++s) {
    if (!right.slopes[s] && own[s] < 0) continue;
    own[s] = slope_variable(statement.target, s);
    result.push_back(assign(own[s], right.slopes[s] ? right.slopes[s] : number(0)));
    known_[statement.target] = own;
  }
  result.push_back(assign(statement.target, right.value));
}

/// Slopes along a seed are an array too, as soon as one of them is not 0.
void Differentiator::add_store(const Statement& statement, Body& result) {
  const Expr index = hold(expression(statement.index, result).value, result);
  const Result right = expression(statement.value, result);
  for (std::size_t s = 0; s < seeds_.size(); ++s) {
    const auto depends = [&](int v) {
      const auto found = known_.find(v);
      return found != known_.end() && found->second[s] >= 0;
    };
    if (!right.slopes[s] && std::ranges::none_of(statement.elements, depends)) continue;
    std::vector<int> slopes;
    for (const int v : statement.elements) {
      const bool is_new = !depends(v);
      slopes.push_back(slope_variable(v, s));
      if (is_new) result.push_back(assign(slopes.back(), number(0)));
      known_.try_emplace(v, seeds_.size(), -1).first->second[s] = slopes.back();
    }
    result.push_back(
        store(std::move(slopes), index, right.slopes[s] ? right.slopes[s] : number(0)));
  }
  result.push_back(store(statement.elements, index, right.value));
}

void Differentiator::add(const Statement& statement, Body& result) {
  switch (statement.kind) {
    case Statement::Kind::assign:
      add_assign(statement, result);
      break;
    case Statement::Kind::store:
      add_store(statement, result);
      break;
    case Statement::Kind::branch: {
      Statement both = without_bodies(statement);
      both.value = expression(statement.value, result).value;
      const Known before = known_;
      both.body = body(statement.body);
      const Known after = std::exchange(known_, before);
      both.otherwise = body(statement.otherwise);
      for (const auto& [of, slopes] : after) {
        auto& own = known_.try_emplace(of, slopes).first->second;
        for (std::size_t s = 0; s < slopes.size(); ++s)
          if (slopes[s] >= 0) own[s] = slopes[s];
      }
      zero_the_new(before, result);
      result.push_back(std::move(both));
      break;
    }
    case Statement::Kind::loop: {
      // Until no more turns out to depend on a seed by going round.
      const Known before = known_;
      Statement both = without_bodies(statement);
      std::size_t count = 0;
      do {
        count = known_count();
        both.body = body(statement.body);
      } while (count != known_count());
      zero_the_new(before, result);
      result.push_back(std::move(both));
      break;
    }
    case Statement::Kind::newton:
      add_newton(statement, result);
      break;
    case Statement::Kind::send:
    case Statement::Kind::connections:
      result.push_back(statement);
      break;
  }
}

/// What is solved for moves with a seed as F(x, seed) = 0 says: by -J⁻¹·∂F/∂seed, at the solution.
void Differentiator::add_newton(const Statement& statement, Body& result) {
  const Newton& newton = *statement.newton;
  result.push_back(statement);
  for (const int x : newton.unknowns) known_.erase(x);
  const Body there = body(statement.body);
  const auto slope = [&](int of, std::size_t seed) {
    const auto found = known_.find(of);
    return found == known_.end() ? -1 : found->second[seed];
  };
  const auto depends = [&](std::size_t seed) {
    return std::any_of(newton.residuals.begin(), newton.residuals.end(),
                       [&](int residual) { return slope(residual, seed) >= 0; });
  };
  bool is_there = false;
  for (std::size_t s = 0; s < seeds_.size(); ++s) {
    if (!depends(s)) continue;
    if (!is_there) result.insert(result.end(), there.begin(), there.end());
    is_there = true;
    Newton moved;
    moved.is_linear = true;
    moved.jacobian = newton.jacobian;
    for (std::size_t r = 0; r < newton.unknowns.size(); ++r) {
      const int x = newton.unknowns[r], of_residual = slope(newton.residuals[r], s);
      moved.residuals.push_back(of_residual >= 0 ? of_residual : program_.add_local("still"));
      if (of_residual < 0) result.push_back(assign(moved.residuals.back(), number(0)));
      moved.unknowns.push_back(slope_variable(x, s));
      result.push_back(assign(moved.unknowns.back(), number(0)));
      known_.try_emplace(x, seeds_.size(), -1).first->second[s] = moved.unknowns.back();
    }
    Statement solving;
    solving.kind = Statement::Kind::newton;
    solving.newton = std::make_shared<const Newton>(std::move(moved));
    result.push_back(std::move(solving));
  }
}

/// What starts to depend on a seed inside a branch or loop did not before it.
void Differentiator::zero_the_new(const Known& before, Body& result) {
  for (const auto& [of, slopes] : known_) {
    const auto old = before.find(of);
    for (std::size_t s = 0; s < slopes.size(); ++s)
      if (slopes[s] >= 0 && (old == before.end() || old->second[s] < 0))
        result.push_back(assign(slopes[s], number(0)));
  }
}

std::size_t Differentiator::known_count() const {
  std::size_t count = 0;
  for (const auto& [of, slopes] : known_)
    for (const int slope : slopes) count += slope >= 0;
  return count;
}

}  // namespace hillock::nmodl::ir
