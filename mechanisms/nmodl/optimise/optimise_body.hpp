#pragma once
// Statements as values and back: copies, repetitions and what nobody reads fall away in between.

#include <functional>
#include <map>
#include <string>
#include <unordered_map>
#include <vector>

#include "mechanisms/nmodl/lower/evaluator_ir.hpp"
#include "mechanisms/nmodl/optimise/optimise_values.hpp"

namespace hillock::nmodl {

/// Statements without loops, as the values that they leave in variables.
struct Segment {
  std::vector<int> targets;
  std::vector<ir::Expr> values;                            ///< [target], then the results
  std::unordered_map<const ir::Node*, std::string> names;  ///< of variables that once held a value
};

/// Replaces nodes of a segment from below: change(node with its new operands, the old node).
void rewrite(Values& values, Segment& segment,
             const std::function<ir::Expr(const ir::Expr&, const ir::Node&)>& change);

class BodyOptimiser {
 public:
  /// shape: what is done to each segment's values before they become statements again.
  BodyOptimiser(EvaluatorIr& evaluator, Values& values, std::function<void(Segment&)> shape)
      : e_(evaluator), values_(values), shape_(std::move(shape)) {}

  /// results: expressions that are read after the body; they are rewritten.
  void run(ir::Body& body, const std::vector<ir::Expr*>& results = {});

 private:
  using Expr = ir::Expr;

  /// Of a variable.
  struct Uses {
    int count = 0;       ///< where it is read or assigned
    int last_read = -1;  ///< the last statement of the body that reads it, or what is in it does
  };
  static std::unordered_map<int, Uses> uses_in(const ir::Body& body);

  // From statements to values.
  Expr value_of(const Expr& e);
  void assign(int target, Expr value);
  bool can_choose(const ir::Statement& s) const;
  void choose(const ir::Statement& s);
  ir::Body sequence(const ir::Body& body, const std::function<bool(int, int)>& is_read_after,
                    const std::vector<Expr*>& results);
  ir::Body inner(const ir::Body& body);

  // From values to statements.
  void flush(const std::function<bool(int)>& is_live, const std::vector<Expr*>& results,
             ir::Body& out);

  EvaluatorIr& e_;
  Values& values_;
  std::function<void(Segment&)> shape_;
  std::unordered_map<int, Uses> uses_;

  std::unordered_map<int, Expr> held_;  ///< what variables hold where it is not what they held
  std::vector<int> changed_;            ///< in the order of their first assignment
  std::unordered_map<const ir::Node*, std::string> names_;
};

/// The statements that leave a segment's values; a result's expression takes its place.
void write_segment(ir::Program& program, Values& values, Segment& segment, ir::Body& out);

}  // namespace hillock::nmodl
