#pragma once
// Exact derivatives of straight-line code with branches and loops, by forward accumulation, with
// respect to several variables at once. What does not depend on a seed costs nothing: zero
// derivatives are known here, not computed.

#include <map>
#include <vector>

#include "mechanisms/nmodl/lower/ir.hpp"

namespace hillock::nmodl::ir {

/// [seed] the derivative; null: 0.
using Slopes = std::vector<Expr>;

class Differentiator {
 public:
  /// seeds: variables; none of them may be assigned in a body.
  Differentiator(Program& program, std::vector<int> seeds);

  /// The body with derivatives computed alongside. Every call and quotient that depends on a seed
  /// is computed once, into a local.
  Body body(const Body& source);

  struct Result {
    Expr value;
    Slopes slopes;
  };
  /// An expression after the bodies given so far. prepare: takes what value and slopes share.
  Result expression(const Expr& e, Body& prepare);

 private:
  /// [variable] the variables that hold its derivatives, -1: 0.
  using Known = std::map<int, std::vector<int>>;

  Expr hold(const Expr& value, Body& prepare);
  Expr slope_of_call(Function function, const Expr& f, const std::vector<Expr>& u,
                     const std::vector<Expr>& du, Body& prepare);
  int slope_variable(int of, std::size_t seed);
  void add(const Statement& statement, Body& result);
  void add_newton(const Statement& statement, Body& result);
  void add_assign(const Statement& statement, Body& result);
  void add_store(const Statement& statement, Body& result);
  void zero_the_new(const Known& before, Body& result);
  std::size_t known_count() const;

  Program& program_;
  std::vector<int> seeds_;
  Known known_;
  Known all_;
};

}  // namespace hillock::nmodl::ir
