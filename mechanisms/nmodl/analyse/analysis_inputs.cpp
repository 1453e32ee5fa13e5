// NET_RECEIVE of a point neuron: it adds multiples of the weight, so that the sum of the weights
// that arrive in a step does what they would one by one.

#include <algorithm>

#include "core/index.hpp"
#include "mechanisms/nmodl/analyse/analysis_steps.hpp"

namespace hillock::nmodl {

namespace {

using ast::ExpressionKind;
using ast::Operator;
using Kind = ast::Binding::Kind;

/// What an expression is beside the weight w and the variable x that it is assigned to.
enum class Term {
  constant,   ///< of what NET_RECEIVE leaves alone
  multiple,   ///< k·w
  increment,  ///< x + k·w
  other,
};

class Inputs {
 public:
  explicit Inputs(Analysis& analysis)
      : analysis_(analysis),
        module_(analysis.module),
        block_(module_.syntax.blocks[at(module_.net_receive->block)]),
        facts_(module_.blocks[at(module_.net_receive->block)]) {}

  void check() {
    if (block_.arguments.size() != 1) {
      const bool more = block_.arguments.size() > 1;
      analysis_.findings.error(
          more ? block_.arguments[1].position : block_.position,
          "NET_RECEIVE of a point neuron takes the weight alone: the inputs of "
          "a step are added together");
      return;
    }
    statements(block_.body);
  }

 private:
  void statements(const ast::Statements& body) {
    for (const ast::Statement& s : body)
      std::visit([&](const auto& node) { visit(node, s.position); }, s.node);
  }

  void refuse(Position position) {
    const std::string& w = block_.arguments[0].name;
    analysis_.findings.error(
        position,
        "NET_RECEIVE of a point neuron only adds multiples of its weight to STATE and "
        "ASSIGNED variables, x = x + k*" +
            w + " where it does not change k, and may tell weights apart by if (" + w +
            " > 0) { } else { }");
  }

  void visit(const ast::Assignment& node, Position position) {
    if (!is_variable(node.target) || of(node.value, node.target) != Term::increment)
      refuse(position);
  }
  void visit(const ast::If& node, Position) {
    module_.point_neuron->tells_signs = true;
    for (const ast::Branch& branch : node.branches) {
      if (!is_sign(branch.condition)) refuse(branch.condition.position);
      statements(branch.body);
    }
    if (node.otherwise) statements(*node.otherwise);
  }
  void visit(const ast::Scope& node, Position) { statements(node.body); }
  void visit(const ast::Call& node, Position position) {
    const auto which = static_cast<Builtin>(node.call.binding.index);
    const bool is_builtin = node.call.binding.kind == Kind::builtin;
    const bool is_refused =
        is_builtin &&
        (which == Builtin::net_send || which == Builtin::net_move || which == Builtin::net_event);
    if (is_refused || (is_builtin && which == Builtin::ignored)) return;
    refuse(position);
  }
  void visit(const ast::Watch&, Position position) {
    analysis_.findings.error(position,
                             "a point neuron has no WATCH: its BREAKPOINT, which runs in every "
                             "step, can test the condition");
  }
  void visit(const ast::ForNetcons&, Position position) {
    analysis_.findings.error(position,
                             "a point neuron has no FOR_NETCONS: the inputs of a step are added "
                             "together");
  }
  void visit(const ast::ConnectionInitial&, Position position) {
    analysis_.findings.error(position,
                             "connections to a point neuron have the weight alone, and no INITIAL");
  }
  void visit(const ast::Mutex&, Position) {}
  void visit(const ast::Verbatim&, Position) {}
  template <class Node>
  void visit(const Node&, Position position) {
    refuse(position);
  }

  bool is_weight(const ast::Expression& e) const {
    return e.binding.kind == Kind::local && e.binding.index == 0;
  }

  /// Whether a condition asks for the weight's sign.
  bool is_sign(const ast::Expression& e) const {
    return e.kind == ExpressionKind::binary &&
           (e.op == Operator::less || e.op == Operator::greater || e.op == Operator::less_equal ||
            e.op == Operator::greater_equal) &&
           is_weight(e.operands[0]) && e.operands[1].kind == ExpressionKind::number &&
           e.operands[1].value == 0;
  }

  /// Whether it is a STATE or ASSIGNED variable, or an element of one that a number names.
  bool is_variable(const ast::Expression& target) const {
    if (target.binding.kind != Kind::symbol) return false;
    const Symbol& symbol = module_.symbols[at(target.binding.index)];
    if (symbol.role != Role::state && symbol.role != Role::assigned) return false;
    return target.kind == ExpressionKind::variable ||
           target.operands[0].kind == ExpressionKind::number;
  }

  static bool is_same(const ast::Expression& a, const ast::Expression& b) {
    if (a.binding != b.binding || a.kind != b.kind) return false;
    return a.kind == ExpressionKind::variable || a.operands[0].value == b.operands[0].value;
  }

  bool changes(int symbol) const {
    return std::binary_search(facts_.writes.begin(), facts_.writes.end(), symbol);
  }

  Term of(const ast::Expression& e, const ast::Expression& x) const {
    switch (e.kind) {
      case ExpressionKind::number:
        return Term::constant;
      case ExpressionKind::variable:
      case ExpressionKind::element:
        return of_variable(e, x);
      case ExpressionKind::call:
        return of_call(e, x);
      case ExpressionKind::unary: {
        const Term term = of(e.operands[0], x);
        const bool keeps =
            term == Term::constant || (term == Term::multiple && e.op == Operator::minus);
        return keeps ? term : Term::other;
      }
      case ExpressionKind::binary:
        return of_operation(e.op, of(e.operands[0], x), of(e.operands[1], x));
      default:
        return Term::other;
    }
  }

  Term of_variable(const ast::Expression& e, const ast::Expression& x) const {
    if (is_weight(e)) return Term::multiple;
    if (e.binding.kind == Kind::none) return Term::constant;  // reported already
    if (e.binding.kind != Kind::symbol) return Term::other;
    if (is_variable(e) && is_same(e, x)) return Term::increment;
    return !changes(e.binding.index) && are_constant(e, x) ? Term::constant : Term::other;
  }

  bool are_constant(const ast::Expression& e, const ast::Expression& x) const {
    return std::ranges::all_of(e.operands, [&](const ast::Expression& operand) {
      return of(operand, x) == Term::constant;
    });
  }

  /// A function of what is constant, which does and reads nothing else.
  Term of_call(const ast::Expression& e, const ast::Expression& x) const {
    if (!are_constant(e, x)) return Term::other;
    const auto is_mathematics = [](Builtin builtin) { return builtin <= Builtin::nrn_ghk; };
    if (e.binding.kind == Kind::builtin)
      return is_mathematics(static_cast<Builtin>(e.binding.index)) ? Term::constant : Term::other;
    if (e.binding.kind != Kind::block) return Term::constant;
    const BlockFacts& callee = module_.blocks[at(e.binding.index)];
    const bool is_constant =
        callee.writes.empty() && std::ranges::all_of(callee.builtins, is_mathematics) &&
        std::ranges::none_of(callee.reads, [&](int symbol) {
          return changes(symbol) || module_.symbols[at(symbol)].environment == Environment::t;
        });
    return is_constant ? Term::constant : Term::other;
  }

  static Term of_operation(Operator op, Term a, Term b) {
    if (a == Term::constant && b == Term::constant) return Term::constant;
    const bool adds = op == Operator::add || op == Operator::subtract;
    if (adds && a == Term::multiple && b == Term::multiple) return Term::multiple;
    if (adds && a == Term::increment && b == Term::multiple) return Term::increment;
    if (op == Operator::add && a == Term::multiple && b == Term::increment) return Term::increment;
    const bool scales = op == Operator::multiply || op == Operator::divide;
    if (scales && a == Term::multiple && b == Term::constant) return Term::multiple;
    if (op == Operator::multiply && a == Term::constant && b == Term::multiple)
      return Term::multiple;
    return Term::other;
  }

  Analysis& analysis_;
  Module& module_;
  const ast::Block& block_;
  const BlockFacts& facts_;
};

}  // namespace

void check_inputs(Analysis& analysis) {
  Inputs(analysis).check();
}

}  // namespace hillock::nmodl
