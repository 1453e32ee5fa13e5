#include "mechanisms/nmodl/optimise/optimise_facts.hpp"

#include <algorithm>
#include <optional>
#include <set>

#include "core/index.hpp"
#include "mechanisms/nmodl/optimise/optimise_body.hpp"

namespace hillock::nmodl {

using ir::Body;
using ir::Expr;
using ir::Node;
using ir::Operator;
using Kind = ir::Variable::Kind;

namespace {

/// How an expression depends on the states.
enum class Dependence { zero, none, linear, other };

/// An evaluator's bodies as what they leave in variables.
class Formulas {
 public:
  explicit Formulas(const EvaluatorIr& evaluator) : e_(evaluator) {
    for (const Body* body : {&e_.current, &e_.advance, &e_.receive, &e_.connect})
      for (const int v : ir::assigned_in(*body)) changed_.insert(v);
  }

  /// A body's values, then the results'; null when it has loops.
  std::optional<Segment> segment_of(Body body, std::vector<Expr> results = {}) {
    Segment whole;
    int count = 0;
    BodyOptimiser reader(e_, values_, [&](Segment& segment) {
      whole = segment;
      ++count;
    });
    std::vector<Expr*> pointers;
    for (Expr& result : results) pointers.push_back(&result);
    reader.run(body, pointers);
    return count == 1 ? std::optional(whole) : std::nullopt;
  }

  Kind kind(int v) const { return e_.program.variables[at(v)].kind; }

  Dependence dependence(const Expr& e) const { return dependences(e).at(e.get()); }

  /// A state plus something without states.
  bool is_increment(const Expr& e, int state) {
    const Expr its = values_.variable(state);
    const auto known = dependences(e);
    const Expr* rest = &e;
    while (*rest != its) {
      if (!is_operation(*rest, Operator::add)) return false;
      const Expr &a = (*rest)->operands[0], &b = (*rest)->operands[1];
      const auto is_free = [&](const Expr& x) { return known.at(x.get()) <= Dependence::none; };
      if (!is_free(a) && !is_free(b)) return false;
      rest = is_free(b) ? &a : &b;
    }
    return true;
  }

  /// Whether an expression reads nothing but what a run leaves alone, and these.
  bool reads_only(const Expr& e, std::initializer_list<Kind> also) const {
    const auto order = in_order({e});
    return std::all_of(order.begin(), order.end(), [&](const Node* node) {
      return node->kind != Node::Kind::variable || is_kept(node->variable) ||
             std::count(also.begin(), also.end(), kind(node->variable)) > 0;
    });
  }

 private:
  /// Of an expression and all in it.
  std::unordered_map<const Node*, Dependence> dependences(const Expr& e) const {
    std::unordered_map<const Node*, Dependence> known;
    for (const Node* node : in_order({e})) known[node] = of(*node, known);
    return known;
  }

  bool is_kept(int v) const {
    const Kind k = kind(v);
    return k == Kind::celsius || k == Kind::dt || k == Kind::implicit_dt ||
           ((k == Kind::parameter || k == Kind::assigned) && !changed_.count(v));
  }

  Dependence of_variable(int v) const {
    const Kind k = kind(v);
    if (k == Kind::state) return Dependence::linear;
    return k == Kind::v || k == Kind::time || k == Kind::argument || is_kept(v) ? Dependence::none
                                                                                : Dependence::other;
  }

  Dependence of(const Node& node, const std::unordered_map<const Node*, Dependence>& known) const {
    if (node.kind == Node::Kind::number)
      return node.value == 0 ? Dependence::zero : Dependence::none;
    if (node.kind == Node::Kind::variable) return of_variable(node.variable);
    std::vector<Dependence> on;
    for (const Expr& operand : node.operands) on.push_back(known.at(operand.get()));
    const Dependence most = *std::max_element(on.begin(), on.end());
    if (most <= Dependence::none) return Dependence::none;
    const bool is_element = node.kind == Node::Kind::call && node.function == ir::Function::element;
    if (most == Dependence::other || (node.kind == Node::Kind::call && !is_element))
      return Dependence::other;
    const auto is_free = [&](std::size_t k) { return on[k] <= Dependence::none; };
    const auto may_add = [&](std::size_t k) { return on[k] != Dependence::none; };
    if (is_element) {
      for (std::size_t k = 1; k < on.size(); ++k)
        if (!may_add(k)) return Dependence::other;
      return is_free(0) ? Dependence::linear : Dependence::other;
    }
    switch (node.op) {
      case Operator::minus:
        return Dependence::linear;
      case Operator::add:
      case Operator::subtract:
        return may_add(0) && may_add(1) ? Dependence::linear : Dependence::other;
      case Operator::multiply:
        return is_free(0) || is_free(1) ? Dependence::linear : Dependence::other;
      case Operator::divide:
        return is_free(1) ? Dependence::linear : Dependence::other;
      case Operator::select:
        return is_free(0) && may_add(1) && may_add(2) ? Dependence::linear : Dependence::other;
      default:
        return Dependence::other;
    }
  }

  EvaluatorIr e_;
  Values values_;
  std::set<int> changed_;
};

}  // namespace

bool is_linear(const EvaluatorIr& e) {
  if (!e.is_point_process || !e.receives_events || e.is_electrode || !e.couplings.empty() ||
      !e.shared.empty() || e.arguments != 1 || e.keeps_arguments || !e.watches.empty() ||
      e.starts || e.begins_connections || e.changes_in_current || e.changes_parameters ||
      e.states.empty() || !e.i || !e.g)
    return false;
  Formulas formulas(e);
  const auto initial = formulas.segment_of(e.initialise);
  const auto current = formulas.segment_of(e.current, {e.i, e.g});
  const auto advance = formulas.segment_of(e.advance);
  const auto receive = formulas.segment_of(e.receive);
  if (!initial || !current || !advance || !receive) return false;
  for (const InstanceVariable& state : e.states) {
    const auto found = std::find(initial->targets.begin(), initial->targets.end(), state.variable);
    if (found == initial->targets.end() ||
        !ir::is_number(initial->values[at(found - initial->targets.begin())], 0))
      return false;
  }
  const auto is_sum = [&](const Expr& value) {
    const Dependence on = formulas.dependence(value);
    return on == Dependence::zero || on == Dependence::linear;
  };
  const auto all_sums = [&](const Segment& segment) {
    return std::all_of(segment.values.begin(), segment.values.end(), is_sum);
  };
  if (!all_sums(*current) || !all_sums(*advance)) return false;
  for (std::size_t k = 0; k < receive->targets.size(); ++k)
    if (formulas.kind(receive->targets[k]) != Kind::state ||
        !formulas.is_increment(receive->values[k], receive->targets[k]))
      return false;
  return true;
}

bool is_constant(const EvaluatorIr& e) {
  if (e.is_point_process || !e.shared.empty() || !e.states.empty() || !e.couplings.empty() ||
      e.receives_events || e.starts || e.changes_in_current || e.changes_parameters ||
      !e.advance.empty() || !e.i || !e.g)
    return false;
  Formulas formulas(e);
  const auto current = formulas.segment_of(e.current, {e.i, e.g});
  return current && formulas.reads_only(current->values[current->targets.size()], {Kind::v}) &&
         formulas.reads_only(current->values.back(), {});
}

}  // namespace hillock::nmodl
