#pragma once
// Values, each once: expressions of which two are the same object when they compute the same. They
// read variables as those are where the statements begin that the values stand for.

#include <cstdint>
#include <span>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "mechanisms/nmodl/lower/ir.hpp"

namespace hillock::nmodl {

class Values {
 public:
  using Expr = ir::Expr;

  Expr number(double value);
  Expr variable(int index);
  /// Fold what is known, and divide by numbers as products, which may differ in the last place.
  Expr operation(ir::Operator op, std::vector<Expr> operands);
  Expr call(ir::Function function, std::vector<Expr> operands);
  /// In so many words: floor(a/b) must not see what rounding does to a·(1/b).
  Expr as_written(ir::Operator op, const Expr& a, const Expr& b);
  /// The node of the same kind with other operands; of a node of these values, which keeps
  /// quotients, one by a number stays as it is written.
  Expr rebuilt(const ir::Node& node, std::vector<Expr> operands, bool keeps_quotients = false);

  Expr add(const Expr& a, const Expr& b) { return operation(ir::Operator::add, {a, b}); }
  Expr multiply(const Expr& a, const Expr& b) { return operation(ir::Operator::multiply, {a, b}); }
  Expr divide(const Expr& a, const Expr& b) { return operation(ir::Operator::divide, {a, b}); }
  Expr select(const Expr& condition, const Expr& yes, const Expr& no) {
    return operation(ir::Operator::select, {condition, yes, no});
  }
  /// x^n for a whole n above 0, by squaring; powers of one x share their squares.
  Expr power(const Expr& x, int n);

 private:
  struct Key {
    std::uint64_t hash;
    ir::Node node;
    bool operator==(const Key& other) const;
  };
  struct Hash {
    std::size_t operator()(const Key& key) const { return key.hash; }
  };
  Expr intern(ir::Node node);
  Expr plain(ir::Operator op, std::vector<Expr> operands);
  Expr sum(const Expr& a, const Expr& b);
  Expr difference(const Expr& a, const Expr& b);
  Expr product(const Expr& a, const Expr& b);
  Expr quotient(const Expr& a, const Expr& b);
  Expr negative(const Expr& a);

  std::unordered_map<Key, Expr, Hash> known_;
};

bool is_operation(const ir::Expr& e, ir::Operator op);
bool is_call(const ir::Expr& e, ir::Function function);

/// Whether a node is a function whose result jumps: what it is given must not differ by rounding.
bool counts_wholes(const ir::Node& node);

/// Whether a node is exp_less_one or one_less_exp.
bool is_named_difference(const ir::Node& node);

/// The operands that a result in double depends on: of a named difference, not the exponent.
std::span<const ir::Expr> operands_in_double(const ir::Node& node);

/// Every node below the roots, operands before those who use them, each once.
std::vector<const ir::Node*> in_order(const std::vector<ir::Expr>& roots);

}  // namespace hillock::nmodl
