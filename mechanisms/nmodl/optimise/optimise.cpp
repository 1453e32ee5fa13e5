#include "mechanisms/nmodl/optimise/optimise.hpp"

#include <algorithm>
#include <set>
#include <unordered_map>
#include <utility>

#include "mechanisms/nmodl/optimise/optimise_facts.hpp"
#include "mechanisms/nmodl/optimise/optimise_shapes.hpp"
#include "mechanisms/nmodl/optimise/optimise_times.hpp"

namespace hillock::nmodl {

using ir::Body;
using ir::Expr;
using ir::Function;
using ir::Node;
using ir::Operator;

namespace {

/// What does not change during a run: computed by `initialise`, kept in hidden variables.
class RunConstants {
 public:
  RunConstants(EvaluatorIr& evaluator, Values& values) : e_(evaluator), values_(values) {
    std::set<int> changed;
    for (const Body* body : {&e_.current, &e_.advance, &e_.receive, &e_.connect})
      for (const int v : ir::assigned_in(*body)) changed.insert(v);
    if (e_.may_begin_otherwise)
      for (const Body* body : {&e_.initialise, &e_.start})
        for (const int v : ir::assigned_in(*body)) changed.insert(v);
    const auto add = [&](const std::vector<InstanceVariable>& list) {
      for (const InstanceVariable& v : list)
        if (!changed.count(v.variable)) constant_.insert(v.variable);
    };
    if (!e_.changes_parameters) add(e_.parameters);
    add(e_.assigned);
  }

  void shape(Segment& segment) {
    gather_constants(segment);
    const std::unordered_set<const Node*> kept = worth_keeping(segment);
    if (kept.empty()) return;
    rewrite(values_, segment, [&](const Expr& now, const Node& before) {
      return kept.count(&before) ? hidden(now, segment.names) : now;
    });
  }

  /// Assigns the hidden variables where the run begins.
  void complete_initialise() {
    std::vector<Expr> values;
    for (const auto& [value, variable] : hidden_) {
      (e_.starts ? e_.start : e_.initialise).push_back(ir::assign(variable, value));
      values.push_back(value);
    }
    std::set<int> read;
    for (const Node* node : in_order(values))
      if (node->kind == Node::Kind::variable) read.insert(node->variable);
    for (auto* list : {&e_.parameters, &e_.assigned})
      for (InstanceVariable& v : *list) v.is_held = read.count(v.variable) > 0;
  }

 private:
  static constexpr int expensive = 8;     ///< a division or a function, in multiplications
  static constexpr int most_hidden = 32;  ///< more of them cost more to load than they spare

  bool is_constant(int v) const {
    const auto kind = e_.program.variables[at(v)].kind;
    return kind == ir::Variable::Kind::dt || kind == ir::Variable::Kind::implicit_dt ||
           kind == ir::Variable::Kind::celsius || constant_.count(v) > 0;
  }

  /// Constants that something else uses and that are expensive, but for others of them inside.
  std::unordered_set<const Node*> worth_keeping(const Segment& segment) const {
    const std::unordered_map<const Node*, int> costs = costs_of(segment);
    const std::vector<const Node*> order = in_order(segment.values);
    std::unordered_set<const Node*> used, kept;
    for (const Expr& value : segment.values) used.insert(value.get());
    for (const Node* node : order)
      if (costs.at(node) < 0)
        for (const Expr& operand : operands_in_double(*node)) used.insert(operand.get());
    std::unordered_map<const Node*, int> left;  // to compute beside what is kept
    for (const Node* node : order) {
      int cost = own_cost(*node);
      for (const Expr& operand : node->operands) cost += left[operand.get()];
      cost = std::min(cost, 1 << 20);
      if (costs.at(node) >= 0 && cost >= expensive && used.count(node)) {
        kept.insert(node);
        cost = 0;
      }
      left[node] = cost;
    }
    return kept;
  }

  static int own_cost(const Node& node) {
    if (is_named_difference(node)) return 1;
    if (node.kind == Node::Kind::call) return expensive;
    if (node.kind == Node::Kind::operation) return node.op == Operator::divide ? expensive : 1;
    return 0;
  }

  /// Of each node: what computing it costs, -1 where it changes during a run.
  std::unordered_map<const Node*, int> costs_of(const Segment& segment) const {
    std::unordered_map<const Node*, int> costs;
    for (const Node* node : in_order(segment.values)) {
      int cost = own_cost(*node);
      if (node->kind == Node::Kind::variable && !is_constant(node->variable)) cost = -1;
      for (const Expr& operand : node->operands) {
        const int its = costs.at(operand.get());
        cost = its < 0 || cost < 0 ? -1 : std::min(cost + its, 1 << 20);
      }
      costs[node] = cost;
    }
    return costs;
  }

  /// Constants come together where they multiply: x/p becomes x·(1/p), c·(d·x) becomes (c·d)·x.
  void gather_constants(Segment& segment) {
    std::unordered_set<const Node*> exact;  // what floor() sees
    for (const Node* node : in_order(segment.values))
      if (counts_wholes(*node))
        for (const Expr& operand : node->operands) exact.insert(operand.get());
    std::unordered_map<const Node*, bool> known;
    const auto is_fixed = [&](const Expr& e) { return is_fixed_value(*e, known); };
    rewrite(values_, segment, [&](const Expr& now, const Node& before) {
      const bool fixed = is_fixed(now);  // also of what is no operation, for those that use it
      if (now->kind != Node::Kind::operation || fixed || exact.count(&before)) return now;
      const std::vector<Expr>& of = now->operands;
      if (now->op == Operator::divide && is_fixed(of[1]))
        return scaled(values_.divide(values_.number(1), of[1]), of[0], is_fixed);
      if (now->op == Operator::multiply && is_fixed(of[0])) return scaled(of[0], of[1], is_fixed);
      if (now->op == Operator::multiply && is_fixed(of[1])) return scaled(of[1], of[0], is_fixed);
      if (now->op == Operator::minus && is_operation(of[0], Operator::multiply) &&
          is_fixed(of[0]->operands[0]))
        return values_.as_written(Operator::multiply,
                                  values_.operation(Operator::minus, {of[0]->operands[0]}),
                                  of[0]->operands[1]);
      return now;
    });
  }

  /// factor·x, where factor is constant; it comes first.
  template <class IsFixed>
  Expr scaled(const Expr& factor, const Expr& x, const IsFixed& is_fixed) {
    if (is_operation(x, Operator::multiply) && is_fixed(x->operands[0]) && !ir::is_number(factor))
      return values_.multiply(values_.multiply(factor, x->operands[0]), x->operands[1]);
    return values_.multiply(factor, x);
  }

  bool is_fixed_value(const Node& e, std::unordered_map<const Node*, bool>& known) const {
    const auto found = known.find(&e);
    if (found != known.end()) return found->second;
    const bool fixed =
        e.kind == Node::Kind::variable
            ? is_constant(e.variable)
            : std::all_of(e.operands.begin(), e.operands.end(),
                          [&](const Expr& operand) { return is_fixed_value(*operand, known); });
    return known[&e] = fixed;
  }

  Expr hidden(const Expr& value, const std::unordered_map<const Node*, std::string>& names) {
    for (const auto& [known, variable] : hidden_)
      if (known == value) return values_.variable(variable);
    if (hidden_.size() == most_hidden) return value;
    const auto name = names.find(value.get());
    const int variable = static_cast<int>(e_.program.variables.size());
    e_.program.variables.push_back({unused_name(name != names.end() ? name->second : "constant"),
                                    ir::Variable::Kind::assigned});
    InstanceVariable kept;
    kept.unit = "1";
    kept.variable = variable;
    kept.name = e_.program.variables[at(variable)].name;
    e_.assigned.push_back(kept);
    ++e_.hidden;
    constant_.insert(variable);
    hidden_.push_back({value, variable});
    return values_.variable(variable);
  }

  /// A member of the evaluator's struct that no variable of the file is.
  std::string unused_name(const std::string& wanted) const {
    const auto is_used = [&](const std::string& name) {
      return std::any_of(e_.program.variables.begin(), e_.program.variables.end(),
                         [&](const ir::Variable& v) {
                           return v.kind != ir::Variable::Kind::local &&
                                  (v.array.empty() ? v.name : v.array) == name;
                         });
    };
    for (int k = 0;; ++k)
      if (const std::string name = "run_" + wanted + (k > 0 ? std::to_string(k) : "");
          !is_used(name))
        return name;
  }

  EvaluatorIr& e_;
  Values& values_;
  std::set<int> constant_;
  std::vector<std::pair<Expr, int>> hidden_;
};

}  // namespace

void optimise(EvaluatorIr& evaluator) {
  evaluator.is_linear = is_linear(evaluator);
  evaluator.is_constant = is_constant(evaluator);
  evaluator.keeps_doubles = keeps_doubles(evaluator);
  Values values;
  const auto share = [&](Segment& segment) {
    name_differences(values, segment);
    share_exponentials(values, segment);
    share_reciprocals(values, segment);
  };
  RunConstants constants(evaluator, values);
  const auto shape = [&](Segment& segment) {
    if (evaluator.is_adjoint) {
      cancel_quotients(values, segment);
      share_factors(values, segment);
    }
    name_differences(values, segment);
    share_exponentials(values, segment);
    constants.shape(segment);
    share_reciprocals(values, segment);
  };
  std::vector<Expr*> results;
  for (Expr* result : {&evaluator.i, &evaluator.g})
    if (*result) results.push_back(result);
  BodyOptimiser(evaluator, values, shape).run(evaluator.current, results);
  BodyOptimiser(evaluator, values, shape).run(evaluator.advance);
  constants.complete_initialise();
  BodyOptimiser(evaluator, values, share).run(evaluator.initialise);
}

}  // namespace hillock::nmodl
