#include "mechanisms/nmodl/optimise/optimise_values.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <utility>

namespace hillock::nmodl {

using ir::Expr;
using ir::Function;
using ir::is_number;
using ir::Node;
using ir::Operator;

bool is_operation(const Expr& e, Operator op) {
  return e->kind == Node::Kind::operation && e->op == op;
}

bool is_call(const Expr& e, Function function) {
  return e->kind == Node::Kind::call && e->function == function;
}

bool counts_wholes(const Node& node) {
  return node.kind == Node::Kind::call &&
         (node.function == Function::floor || node.function == Function::ceil ||
          node.function == Function::fmod);
}

bool is_named_difference(const Node& node) {
  return node.kind == Node::Kind::call &&
         (node.function == Function::exp_less_one || node.function == Function::one_less_exp);
}

std::span<const Expr> operands_in_double(const Node& node) {
  return std::span(node.operands).subspan(is_named_difference(node) ? 1 : 0);
}

std::vector<const Node*> in_order(const std::vector<Expr>& roots) {
  std::vector<const Node*> order;
  std::unordered_set<const Node*> seen;
  std::vector<std::pair<const Node*, std::size_t>> open;
  const auto enter = [&](const Node* node) {
    if (seen.insert(node).second) open.push_back({node, 0});
  };
  for (const Expr& root : roots) {
    enter(root.get());
    while (!open.empty()) {
      auto& [node, next] = open.back();
      if (next < node->operands.size()) {
        enter(node->operands[next++].get());
      } else {
        order.push_back(node);
        open.pop_back();
      }
    }
  }
  return order;
}

bool Values::Key::operator==(const Key& other) const {
  const Node &a = node, &b = other.node;
  return a.kind == b.kind && a.variable == b.variable && a.op == b.op && a.function == b.function &&
         std::bit_cast<std::uint64_t>(a.value) == std::bit_cast<std::uint64_t>(b.value) &&
         a.operands == b.operands;
}

Expr Values::intern(Node node) {
  Key key{1469598103934665603u, std::move(node)};
  const auto mix = [&](std::uint64_t more) {
    key.hash = (key.hash ^ more) * 1099511628211u;
    key.hash ^= key.hash >> 29;
  };
  const Node& n = key.node;
  // a + b and b + a are one value, that of which came first.
  const bool commutes = n.kind == Node::Kind::operation &&
                        (n.op == Operator::add || n.op == Operator::multiply) &&
                        n.operands[1] < n.operands[0];
  const Node as_written = n;
  if (commutes) std::swap(key.node.operands[0], key.node.operands[1]);
  mix(static_cast<std::uint64_t>(n.kind));
  mix(std::bit_cast<std::uint64_t>(n.value));
  mix(static_cast<std::uint64_t>(n.variable + 1));
  mix(static_cast<std::uint64_t>(n.op) * 64 + static_cast<std::uint64_t>(n.function));
  for (const Expr& operand : n.operands) mix(std::bit_cast<std::uintptr_t>(operand.get()));
  const auto found = known_.find(key);
  if (found != known_.end()) return found->second;
  const Expr value = std::make_shared<const Node>(as_written);
  known_.emplace(std::move(key), value);
  return value;
}

Expr Values::number(double value) {
  Node node;
  node.value = value;
  return intern(std::move(node));
}

Expr Values::variable(int index) {
  Node node;
  node.kind = Node::Kind::variable;
  node.variable = index;
  return intern(std::move(node));
}

Expr Values::plain(Operator op, std::vector<Expr> operands) {
  Node node;
  node.kind = Node::Kind::operation;
  node.op = op;
  node.operands = std::move(operands);
  return intern(std::move(node));
}

Expr Values::as_written(Operator op, const Expr& a, const Expr& b) {
  return plain(op, {a, b});
}

/// Whether a number times it is no more to compute than it is.
bool is_scaled(const Expr& e) {
  if (is_operation(e, Operator::minus) || is_operation(e, Operator::divide)) return true;
  return is_number(e) || (is_operation(e, Operator::multiply) && is_number(e->operands[0]));
}

Expr Values::negative(const Expr& a) {
  if (is_number(a)) return number(-a->value);
  if (is_operation(a, Operator::minus)) return a->operands[0];
  if (is_operation(a, Operator::subtract)) return difference(a->operands[1], a->operands[0]);
  const bool scaled = is_operation(a, Operator::multiply) || is_operation(a, Operator::divide);
  if (scaled && is_number(a->operands[0]))
    return operation(a->op, {number(-a->operands[0]->value), a->operands[1]});
  return plain(Operator::minus, {a});
}

Expr Values::sum(const Expr& a, const Expr& b) {
  if (is_number(a, 0)) return b;
  if (is_number(b, 0)) return a;
  if (is_operation(b, Operator::minus)) return difference(a, b->operands[0]);
  if (is_operation(a, Operator::minus)) return difference(b, a->operands[0]);
  return plain(Operator::add, {a, b});
}

Expr Values::difference(const Expr& a, const Expr& b) {
  if (is_number(b, 0)) return a;
  if (is_number(a, 0)) return negative(b);
  if (is_operation(b, Operator::minus)) return sum(a, b->operands[0]);
  if (a == b) return number(0);
  return plain(Operator::subtract, {a, b});
}

Expr Values::product(const Expr& a, const Expr& b) {
  if (is_number(b) && !is_number(a)) return product(b, a);
  if (is_number(a, 0)) return a;
  if (is_number(a, 1)) return b;
  if (is_number(a, -1)) return negative(b);
  if (is_number(a) && is_number(b)) return number(a->value * b->value);
  if (is_number(a) && is_operation(b, Operator::minus))
    return product(number(-a->value), b->operands[0]);
  if (is_number(a) && is_operation(b, Operator::multiply) && is_number(b->operands[0]))
    return product(number(a->value * b->operands[0]->value), b->operands[1]);
  if (is_number(a) && is_operation(b, Operator::divide))
    return plain(Operator::divide, {product(a, b->operands[0]), b->operands[1]});
  if (is_number(a) && is_operation(b, Operator::select) && is_scaled(b->operands[1]) &&
      is_scaled(b->operands[2]))
    return operation(Operator::select,
                     {b->operands[0], product(a, b->operands[1]), product(a, b->operands[2])});
  // A variable's own sign may be free: that of dt is the same in every lane.
  const auto is_negative = [](const Expr& e) {
    return is_operation(e, Operator::minus) && e->operands[0]->kind != Node::Kind::variable;
  };
  if (is_negative(a)) return negative(product(a->operands[0], b));
  if (is_negative(b)) return negative(product(a, b->operands[0]));
  // (x·y)·y
  if (is_operation(a, Operator::multiply) && a->operands[1] == b)
    return product(a->operands[0], product(b, b));
  return plain(Operator::multiply, {a, b});
}

Expr Values::quotient(const Expr& a, const Expr& b) {
  if (is_number(a, 0) && !is_number(b, 0)) return a;
  if (is_number(b) && std::isnormal(1 / b->value)) return product(number(1 / b->value), a);
  if (is_operation(a, Operator::minus)) return negative(quotient(a->operands[0], b));
  if (is_operation(b, Operator::minus)) return negative(quotient(a, b->operands[0]));
  // x / (1/y)
  if (is_operation(b, Operator::divide) && is_number(b->operands[0]) &&
      std::isnormal(1 / b->operands[0]->value))
    return product(number(1 / b->operands[0]->value), product(a, b->operands[1]));
  return plain(Operator::divide, {a, b});
}

Expr Values::operation(Operator op, std::vector<Expr> operands) {
  const bool known =
      std::all_of(operands.begin(), operands.end(), [](const Expr& e) { return is_number(e); });
  switch (op) {
    case Operator::minus:
      return negative(operands[0]);
    case Operator::add:
      if (!known) return sum(operands[0], operands[1]);
      break;
    case Operator::subtract:
      if (!known) return difference(operands[0], operands[1]);
      break;
    case Operator::multiply:
      if (!known) return product(operands[0], operands[1]);
      break;
    case Operator::divide:
      if (!known) return quotient(operands[0], operands[1]);
      break;
    case Operator::select:
      if (is_number(operands[0])) return operands[0]->value != 0 ? operands[1] : operands[2];
      if (operands[1] == operands[2]) return operands[1];
      return plain(op, std::move(operands));
    default:
      break;
  }
  if (!known) return plain(op, std::move(operands));
  const Expr folded = ir::operation(op, operands);
  return is_number(folded) ? number(folded->value) : plain(op, std::move(operands));
}

Expr Values::call(Function function, std::vector<Expr> operands) {
  const bool known = is_number(operands[0]);
  switch (function) {
    case Function::exp:
      if (known) return number(std::exp(operands[0]->value));
      break;
    case Function::log:
      if (known && operands[0]->value > 0) return number(std::log(operands[0]->value));
      break;
    case Function::sqrt:
      if (known && operands[0]->value >= 0) return number(std::sqrt(operands[0]->value));
      break;
    case Function::pow:
      if (known && is_number(operands[1])) {
        const double value = std::pow(operands[0]->value, operands[1]->value);
        if (std::isfinite(value)) return number(value);
      } else if (known && operands[0]->value > 0) {
        return call(Function::exp, {product(number(std::log(operands[0]->value)), operands[1])});
      } else if (is_number(operands[1], 0.5)) {
        return call(Function::sqrt, {operands[0]});
      } else if (is_number(operands[1]) && operands[1]->value > 0 && operands[1]->value <= 16 &&
                 operands[1]->value == std::floor(operands[1]->value)) {
        return power(operands[0], static_cast<int>(operands[1]->value));
      }
      break;
    case Function::element:
      if (known && operands[0]->value >= 0 &&
          operands[0]->value < static_cast<double>(operands.size() - 1))
        return operands[static_cast<std::size_t>(operands[0]->value) + 1];
      break;
    default:
      break;
  }
  Node node;
  node.kind = Node::Kind::call;
  node.function = function;
  node.operands = std::move(operands);
  return intern(std::move(node));
}

Expr Values::power(const Expr& x, int n) {
  if (n == 1) return x;
  if (n % 2 == 1) return product(power(x, n - 1), x);
  const Expr half = power(x, n / 2);
  return product(half, half);
}

Expr Values::rebuilt(const Node& node, std::vector<Expr> operands, bool keeps_quotients) {
  switch (node.kind) {
    case Node::Kind::number:
      return number(node.value);
    case Node::Kind::variable:
      return variable(node.variable);
    case Node::Kind::call:
      return call(node.function, std::move(operands));
    default:
      // Division by a number that is still one was left so on purpose.
      if (node.op == Operator::divide && is_number(node.operands[1]) && keeps_quotients)
        return plain(node.op, std::move(operands));
      return operation(node.op, std::move(operands));
  }
}

}  // namespace hillock::nmodl
