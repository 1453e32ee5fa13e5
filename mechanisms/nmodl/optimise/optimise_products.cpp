#include <algorithm>

#include "mechanisms/nmodl/optimise/optimise_shapes.hpp"

namespace hillock::nmodl {

using ir::Expr;
using ir::Node;
using ir::Operator;

namespace {

/// A product of what is above a line over that of what is below.
struct Fraction {
  static constexpr std::size_t most = 24;  // factors; of more nothing is found, powers have many

  explicit Fraction(const Expr& e) { add(e, false); }

  void add(const Expr& e, bool is_below) {
    if (above.size() + below.size() > most || ir::is_number(e, 1)) return;
    if (is_operation(e, Operator::minus)) {
      is_negative = !is_negative;
      add(e->operands[0], is_below);
    } else if (is_operation(e, Operator::multiply) || is_operation(e, Operator::divide)) {
      const bool turns = is_operation(e, Operator::divide);
      has_quotients = has_quotients || turns;
      add(e->operands[0], is_below);
      add(e->operands[1], is_below != turns);
    } else {
      (is_below ? below : above).push_back(e);
    }
  }
  /// Whether nothing stays below the line.
  bool cancels() {
    if (!has_quotients || above.size() + below.size() > most) return false;
    for (const Expr& one : below) {
      const auto same = std::ranges::find(above, one);
      if (same == above.end()) return false;
      above.erase(same);
    }
    return true;
  }

  std::vector<Expr> above, below;
  bool is_negative = false, has_quotients = false;
};

}  // namespace

void cancel_quotients(Values& values, Segment& segment) {
  rewrite(values, segment, [&](const Expr& now, const Node&) {
    if (!is_operation(now, Operator::multiply) && !is_operation(now, Operator::divide)) return now;
    Fraction fraction(now);
    if (!fraction.cancels()) return now;
    Expr product = values.number(1);
    for (const Expr& factor : fraction.above) product = values.multiply(product, factor);
    return fraction.is_negative ? values.operation(Operator::minus, {product}) : product;
  });
}

namespace {

/// What is multiplied, the largest products first.
std::vector<Expr> factors_of(const Expr& e) {
  std::vector<Expr> all{e};
  for (std::size_t k = 0; k < all.size() && all.size() < Fraction::most; ++k) {
    const Expr one = all[k];
    if (is_operation(one, Operator::multiply) || is_operation(one, Operator::minus))
      all.insert(all.end(), one->operands.begin(), one->operands.end());
  }
  return all;
}

/// e without the factor; null where it has none.
Expr without(Values& values, const Expr& e, const Expr& factor) {
  if (e == factor) return values.number(1);
  if (is_operation(e, Operator::minus)) {
    const Expr rest = without(values, e->operands[0], factor);
    return rest ? values.operation(Operator::minus, {rest}) : nullptr;
  }
  if (!is_operation(e, Operator::multiply)) return nullptr;
  if (const Expr rest = without(values, e->operands[0], factor))
    return values.multiply(rest, e->operands[1]);
  const Expr rest = without(values, e->operands[1], factor);
  return rest ? values.multiply(e->operands[0], rest) : nullptr;
}

Expr with_shared_factors(Values& values, Operator op, const Expr& a, const Expr& b) {
  for (const Expr& factor : factors_of(a)) {
    if (ir::is_number(factor) || is_operation(factor, Operator::minus)) continue;
    if (const Expr rest = without(values, b, factor))
      return values.multiply(factor,
                             with_shared_factors(values, op, without(values, a, factor), rest));
  }
  return values.operation(op, {a, b});
}

}  // namespace

void share_factors(Values& values, Segment& segment) {
  rewrite(values, segment, [&](const Expr& now, const Node&) {
    return is_operation(now, Operator::add) || is_operation(now, Operator::subtract)
               ? with_shared_factors(values, now->op, now->operands[0], now->operands[1])
               : now;
  });
}

}  // namespace hillock::nmodl
