// Exponentials of one argument as powers of one of them.

#include <algorithm>
#include <cmath>
#include <utility>
#include <vector>

#include "mechanisms/nmodl/optimise/optimise_shapes.hpp"

namespace hillock::nmodl {

using ir::Expr;
using ir::Function;
using ir::Node;
using ir::Operator;

namespace {

/// Powers beyond it lose more accuracy than an exponential is worth.
constexpr int largest_power = 16;
/// The constant e^offset that a power is multiplied by stays so far from the ends of the range that
/// neither factor reaches them before the product nearly does.
constexpr double largest_offset = 60;
/// An exponential and a division in multiplications, roughly.
constexpr int cost_of_exponential = 16, cost_of_division = 8;
/// Each exponential of a group is compared with every other.
constexpr std::size_t most_compared = 1000;

/// slope·base + offset: every expression is that, most with slope 1 and offset 0.
struct Affine {
  Expr base;
  double slope = 1, offset = 0;
};

/// What an operation with a number makes of the other operand; null where it is no such.
const Expr* inside(const Node& e, double& by, double& plus) {
  if (e.kind != Node::Kind::operation) return nullptr;
  const auto is_known = [&](std::size_t k) { return ir::is_number(e.operands[k]); };
  const auto known = [&](std::size_t k) { return e.operands[k]->value; };
  by = 1;
  plus = 0;
  switch (e.op) {
    case Operator::minus:
      by = -1;
      return &e.operands[0];
    case Operator::add:
      if (!is_known(0) && !is_known(1)) return nullptr;
      plus = known(is_known(0) ? 0 : 1);
      return &e.operands[is_known(0) ? 1 : 0];
    case Operator::subtract:
      if (is_known(0)) {
        by = -1;
        plus = known(0);
        return &e.operands[1];
      }
      plus = is_known(1) ? -known(1) : 0;
      return is_known(1) ? &e.operands[0] : nullptr;
    case Operator::multiply:
      by = is_known(0) ? known(0) : 1;
      return is_known(0) ? &e.operands[1] : nullptr;
    default:
      return nullptr;
  }
}

Affine affine(const Expr& e) {
  std::vector<std::pair<double, double>> steps;  // from outside: a factor, then a summand
  const Expr* base = &e;
  double by = 1, plus = 0;
  while (const Expr* next = inside(**base, by, plus)) {
    steps.push_back({by, plus});
    base = next;
  }
  Affine found{*base};
  for (auto step = steps.rbegin(); step != steps.rend(); ++step) {
    found.slope *= step->first;
    found.offset = found.offset * step->first + step->second;
  }
  return found;
}

struct Exponential {
  const Node* node;
  Affine argument;
  int power = 0;  ///< of the shared one, also below 0; 0: none
};

using Group = std::vector<Exponential>;

/// The whole number that slope/unit is, or 0.
int whole_ratio(double slope, double unit) {
  const double ratio = slope / unit, whole = std::round(ratio);
  return std::abs(whole) <= largest_power && std::abs(ratio - whole) < 1e-9
             ? static_cast<int>(whole)
             : 0;
}

int cost_of_power(int n) {
  if (n < 0) return cost_of_division + cost_of_power(-n);
  return n == 1 ? 0 : 1 + cost_of_power(n % 2 == 1 ? n - 1 : n / 2);
}

/// The exponentials of a group that are worth sharing, by their powers of e^(unit·base).
void choose_unit(Group& group) {
  if (group.size() > most_compared) return;
  double best_unit = 0;
  int best_saving = 0;
  for (const Exponential& candidate : group)
    for (int divisor = 1; divisor <= 4; ++divisor) {
      const double unit = candidate.argument.slope / divisor;
      int saving = -cost_of_exponential;
      for (const Exponential& e : group)
        if (const int power = whole_ratio(e.argument.slope, unit))
          saving += cost_of_exponential - cost_of_power(power) - 1;
      if (saving > best_saving) {
        best_saving = saving;
        best_unit = unit;
      }
    }
  if (best_saving <= 0) return;
  for (Exponential& e : group) e.power = whole_ratio(e.argument.slope, best_unit);
}

/// An exponent as slope·base + offset, which is one operation.
Expr exponential(Values& values, const Affine& a) {
  return values.call(Function::exp, {values.add(values.multiply(values.number(a.slope), a.base),
                                                values.number(a.offset))});
}

/// c·exp(a·x + b) becomes exp(a·x + (b + ln c)) where nothing else uses the exponential.
void take_factors_in(Values& values, Segment& segment) {
  std::unordered_map<const Node*, int> uses;
  for (const Expr& value : segment.values) ++uses[value.get()];
  for (const Node* node : in_order(segment.values))
    for (const Expr& operand : node->operands) ++uses[operand.get()];
  rewrite(values, segment, [&](const Expr& now, const Node& before) {
    if (before.kind != Node::Kind::operation || before.op != Operator::multiply ||
        !is_operation(now, Operator::multiply) || !is_call(now->operands[1], Function::exp) ||
        uses[before.operands[1].get()] > 1)
      return now;
    const Expr& factor = now->operands[0];
    if (!ir::is_number(factor) || !(std::abs(std::log(factor->value)) < largest_offset)) return now;
    Affine argument = affine(now->operands[1]->operands[0]);
    if (argument.slope == 1) return now;  // no constant to add to
    argument.offset += std::log(factor->value);
    return exponential(values, argument);
  });
}

}  // namespace

void name_differences(Values& values, Segment& segment) {
  rewrite(values, segment, [&](const Expr& now, const Node&) {
    if (now->kind != Node::Kind::operation || now->operands.size() != 2) return now;
    const Expr &a = now->operands[0], &b = now->operands[1];
    const auto named = [&](Function function, const Expr& exponential) {
      return values.call(function, {exponential->operands[0], now});
    };
    if (is_operation(now, Operator::subtract)) {
      if (is_call(a, Function::exp) && ir::is_number(b, 1)) return named(Function::exp_less_one, a);
      if (is_call(b, Function::exp) && ir::is_number(a, 1)) return named(Function::one_less_exp, b);
    }
    if (is_operation(now, Operator::add)) {
      if (is_call(a, Function::exp) && ir::is_number(b, -1))
        return named(Function::exp_less_one, a);
      if (is_call(b, Function::exp) && ir::is_number(a, -1))
        return named(Function::exp_less_one, b);
    }
    return now;
  });
}

void share_exponentials(Values& values, Segment& segment) {
  std::vector<Group> groups;
  std::unordered_map<const Node*, std::size_t> group_of;  // by base
  for (const Node* node : in_order(segment.values)) {
    if (node->kind != Node::Kind::call || node->function != Function::exp) continue;
    const Affine argument = affine(node->operands[0]);
    const auto [at_base, is_new] = group_of.emplace(argument.base.get(), groups.size());
    if (is_new) groups.emplace_back();
    groups[at_base->second].push_back({node, argument});
  }
  std::unordered_map<const Node*, Expr> replaced;
  for (Group& group : groups) {
    choose_unit(group);
    // The offset of the lowest power stays inside the exponential.
    const auto cost = [](const Exponential& e) {
      return e.power == 0 ? 1000 : cost_of_power(e.power) + std::abs(e.power);
    };
    const Exponential* const lowest =
        &*std::min_element(group.begin(), group.end(),
                           [&](const auto& a, const auto& b) { return cost(a) < cost(b); });
    for (const Exponential& e : group)
      if (e.power == 0 && e.argument.base->kind == Node::Kind::variable)
        replaced[e.node] = exponential(values, e.argument);
    if (lowest->power == 0) continue;
    const double unit = lowest->argument.slope / lowest->power;
    const double offset = lowest->argument.offset / lowest->power;
    const Expr shared = exponential(values, {lowest->argument.base, unit, offset});
    for (const Exponential& e : group) {
      const double rest = e.argument.offset - e.power * offset;
      if (e.power == 0 || std::abs(rest) > largest_offset) continue;
      const double factor = std::abs(rest) < 1e-12 ? 1 : std::exp(rest);
      const Expr power = values.power(shared, std::abs(e.power));
      replaced[e.node] = e.power > 0 ? values.multiply(values.number(factor), power)
                                     : values.divide(values.number(factor), power);
    }
  }
  rewrite(values, segment, [&](const Expr& now, const Node& before) {
    const auto found = replaced.find(&before);
    return found != replaced.end() ? found->second : now;
  });
  take_factors_in(values, segment);
}

void share_reciprocals(Values& values, Segment& segment) {
  std::unordered_map<const Node*, int> quotients;  // by divisor
  for (const Node* node : in_order(segment.values))
    if (node->kind == Node::Kind::operation && node->op == Operator::divide)
      ++quotients[node->operands[1].get()];
  rewrite(values, segment, [&](const Expr& now, const Node& before) {
    if (before.kind != Node::Kind::operation || before.op != Operator::divide ||
        !is_operation(now, Operator::divide) || ir::is_number(now->operands[1]) ||
        ir::is_number(now->operands[0], 1) || quotients[before.operands[1].get()] < 2)
      return now;
    return values.multiply(now->operands[0], values.divide(values.number(1), now->operands[1]));
  });
}

}  // namespace hillock::nmodl
