#include "mechanisms/nmodl/lower/ir.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

namespace hillock::nmodl::ir {
namespace {

Expr make(Node node) {
  return std::make_shared<const Node>(std::move(node));
}

Expr plain(Operator op, std::vector<Expr> operands) {
  Node node;
  node.kind = Node::Kind::operation;
  node.op = op;
  node.operands = std::move(operands);
  return make(std::move(node));
}

bool is(const Expr& e, Operator op) {
  return e->kind == Node::Kind::operation && e->op == op;
}

Expr truth(bool value) {
  return number(value ? 1 : 0);
}

double compute(Operator op, double a, double b) {
  switch (op) {
    case Operator::add:
      return a + b;
    case Operator::subtract:
      return a - b;
    case Operator::multiply:
      return a * b;
    default:
      return a / b;
  }
}

bool compare(Operator op, double a, double b) {
  switch (op) {
    case Operator::less:
      return a < b;
    case Operator::greater:
      return a > b;
    case Operator::less_equal:
      return a <= b;
    case Operator::greater_equal:
      return a >= b;
    case Operator::equal:
      return a == b;
    case Operator::not_equal:
      return a != b;
    case Operator::logical_and:
      return a != 0 && b != 0;
    default:
      return a != 0 || b != 0;
  }
}

Expr add(const Expr& a, const Expr& b) {
  if (is_number(a, 0)) return b;
  if (is_number(b, 0)) return a;
  if (is(b, Operator::minus)) return a - b->operands[0];
  if (is(a, Operator::minus)) return b - a->operands[0];
  return plain(Operator::add, {a, b});
}

Expr subtract(const Expr& a, const Expr& b) {
  if (is_number(b, 0)) return a;
  if (is_number(a, 0)) return -b;
  if (is(b, Operator::minus)) return a + b->operands[0];
  if (same(a, b)) return number(0);
  return plain(Operator::subtract, {a, b});
}

Expr multiply(const Expr& a, const Expr& b) {
  if (is_number(a, 0) || is_number(b, 0)) return number(0);
  if (is_number(a, 1)) return b;
  if (is_number(b, 1)) return a;
  if (is_number(a, -1)) return -b;
  if (is_number(b, -1)) return -a;
  if (is(a, Operator::minus)) return -(a->operands[0] * b);
  if (is(b, Operator::minus)) return -(a * b->operands[0]);
  return plain(Operator::multiply, {a, b});
}

Expr divide(const Expr& a, const Expr& b) {
  if (is_number(a, 0) && !is_number(b, 0)) return number(0);
  if (is_number(b, 1)) return a;
  if (is_number(b, -1)) return -a;
  if (is(a, Operator::minus)) return -(a->operands[0] / b);
  if (is(b, Operator::minus)) return -(a / b->operands[0]);
  // (x/y) / (z/y)
  if (is(a, Operator::divide) && is(b, Operator::divide) && same(a->operands[1], b->operands[1]))
    return a->operands[0] / b->operands[0];
  return plain(Operator::divide, {a, b});
}

Expr minus(const Expr& a) {
  if (is_number(a)) return number(-a->value);
  if (is(a, Operator::minus)) return a->operands[0];
  if (is(a, Operator::subtract)) return a->operands[1] - a->operands[0];
  return plain(Operator::minus, {a});
}

}  // namespace

Expr number(double value) {
  Node node;
  node.value = value;
  return make(std::move(node));
}

Expr variable(int index) {
  Node node;
  node.kind = Node::Kind::variable;
  node.variable = index;
  return make(std::move(node));
}

Expr operation(Operator op, std::vector<Expr> operands) {
  const Expr& a = operands[0];
  switch (op) {
    case Operator::minus:
      return minus(a);
    case Operator::logical_not:
      if (is_number(a)) return truth(a->value == 0);
      return plain(op, std::move(operands));
    case Operator::select:
      if (is_number(a)) return a->value != 0 ? operands[1] : operands[2];
      if (same(operands[1], operands[2])) return operands[1];
      return plain(op, std::move(operands));
    default:
      break;
  }
  const Expr& b = operands[1];
  const bool arithmetic = op <= Operator::divide;
  if (is_number(a) && is_number(b) && !(op == Operator::divide && b->value == 0))
    return arithmetic ? number(compute(op, a->value, b->value))
                      : truth(compare(op, a->value, b->value));
  switch (op) {
    case Operator::add:
      return add(a, b);
    case Operator::subtract:
      return subtract(a, b);
    case Operator::multiply:
      return multiply(a, b);
    case Operator::divide:
      return divide(a, b);
    default:
      return plain(op, std::move(operands));
  }
}

Expr call(Function function, std::vector<Expr> operands) {
  if (function == Function::element && is_number(operands[0])) {
    const double k = operands[0]->value;
    const bool is_inside = k >= 0 && k < static_cast<double>(operands.size() - 1);
    return is_inside ? operands[static_cast<std::size_t>(k) + 1] : number(0) / number(0);
  }
  if (function == Function::pow && is_number(operands[1])) {
    const double power = operands[1]->value;
    if (power == 0) return number(1);
    if (power == 1) return operands[0];
    if (is_number(operands[0])) return number(std::pow(operands[0]->value, power));
  }
  Node node;
  node.kind = Node::Kind::call;
  node.function = function;
  node.operands = std::move(operands);
  return make(std::move(node));
}

bool is_number(const Expr& e) {
  return e->kind == Node::Kind::number;
}

bool is_number(const Expr& e, double value) {
  return is_number(e) && e->value == value;
}

bool is_condition(const Expr& e) {
  return e->kind == Node::Kind::operation && e->op >= Operator::less &&
         e->op <= Operator::logical_not;
}

bool same(const Expr& a, const Expr& b) {
  if (a == b) return true;
  if (a->kind != b->kind || a->operands.size() != b->operands.size()) return false;
  if (a->kind == Node::Kind::number && a->value != b->value) return false;
  if (a->variable != b->variable || a->op != b->op || a->function != b->function) return false;
  for (std::size_t i = 0; i < a->operands.size(); ++i)
    if (!same(a->operands[i], b->operands[i])) return false;
  return true;
}

bool reads(const Expr& e, int variable) {
  if (e->kind == Node::Kind::variable) return e->variable == variable;
  return std::any_of(e->operands.begin(), e->operands.end(),
                     [&](const Expr& operand) { return reads(operand, variable); });
}

Expr substitute(const Expr& e, int index, const Expr& by) {
  if (e->kind == Node::Kind::variable) return e->variable == index ? by : e;
  if (!reads(e, index)) return e;
  std::vector<Expr> operands;
  for (const Expr& operand : e->operands) operands.push_back(substitute(operand, index, by));
  return e->kind == Node::Kind::call ? call(e->function, std::move(operands))
                                     : operation(e->op, std::move(operands));
}

bool mentions(const Body& body, int variable) {
  return std::any_of(body.begin(), body.end(), [&](const Statement& s) {
    if (s.target == variable || std::count(s.elements.begin(), s.elements.end(), variable) > 0)
      return true;
    for (const Expr& read : read_by(s))
      if (read && reads(read, variable)) return true;
    if (s.newton && std::count(s.newton->unknowns.begin(), s.newton->unknowns.end(), variable) > 0)
      return true;
    return mentions(s.body, variable) || mentions(s.otherwise, variable);
  });
}

Body renamed(const Body& body, int from, int to) {
  Body result;
  for (Statement s : body) {
    if (s.target == from) s.target = to;
    std::replace(s.elements.begin(), s.elements.end(), from, to);
    for (Expr* read : {&s.value, &s.flag, &s.index})
      if (*read) *read = substitute(*read, from, variable(to));
    s.body = renamed(s.body, from, to);
    s.otherwise = renamed(s.otherwise, from, to);
    result.push_back(std::move(s));
  }
  return result;
}

namespace {

void note_assigned(const Body& body, std::vector<int>& targets) {
  for (const Statement& statement : body) {
    if (statement.kind == Statement::Kind::assign) targets.push_back(statement.target);
    targets.insert(targets.end(), statement.elements.begin(), statement.elements.end());
    if (statement.newton)
      targets.insert(targets.end(), statement.newton->unknowns.begin(),
                     statement.newton->unknowns.end());
    note_assigned(statement.body, targets);
    note_assigned(statement.otherwise, targets);
  }
}

}  // namespace

std::vector<int> assigned_in(const Body& body) {
  std::vector<int> targets;
  note_assigned(body, targets);
  std::sort(targets.begin(), targets.end());
  targets.erase(std::unique(targets.begin(), targets.end()), targets.end());
  return targets;
}

Statement assign(int target, Expr value) {
  Statement statement;
  statement.target = target;
  statement.value = std::move(value);
  return statement;
}

Statement store(std::vector<int> elements, Expr index, Expr value) {
  Statement statement;
  statement.kind = Statement::Kind::store;
  statement.elements = std::move(elements);
  statement.index = std::move(index);
  statement.value = std::move(value);
  return statement;
}

Statement send(Message message, Expr time, Expr flag, int number) {
  Statement statement;
  statement.kind = Statement::Kind::send;
  statement.message = message;
  statement.value = std::move(time);
  statement.flag = std::move(flag);
  statement.number = number;
  return statement;
}

bool reads(const Body& body, int variable) {
  return std::any_of(body.begin(), body.end(), [&](const Statement& s) {
    for (const Expr& read : read_by(s))
      if (read && reads(read, variable)) return true;
    return reads(s.body, variable) || reads(s.otherwise, variable);
  });
}

bool contains(const Body& body, Statement::Kind kind) {
  return std::any_of(body.begin(), body.end(), [&](const Statement& s) {
    return s.kind == kind || contains(s.body, kind) || contains(s.otherwise, kind);
  });
}

}  // namespace hillock::nmodl::ir
