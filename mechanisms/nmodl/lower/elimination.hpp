#pragma once
// Systems of linear equations whose pattern of zeros is known: elimination written out.

#include <optional>
#include <set>
#include <vector>

#include "mechanisms/nmodl/lower/ir.hpp"

namespace hillock::nmodl::ir {

/// [row][column]; null: always 0.
using Matrix = std::vector<std::vector<Expr>>;

/// Appends the statements that solve a·x = b and returns x. Pivots lie on the diagonal, in the
/// order that fills the fewest zeros (Markowitz 1957); `last`: rows that wait until all others are
/// done. Without a value: a diagonal element that is always 0 would be divided by. For matrices
/// that need no pivoting, such as those of backward Euler for mass action, which are dominated by
/// their diagonals.
std::optional<std::vector<Expr>> eliminate(Program& program, Matrix a, std::vector<Expr> b,
                                           const std::set<int>& last, Body& out);

/// Whether a value computed by the body depends on one of the variables. Conservative.
class Dependence {
 public:
  Dependence(const Body& body, const std::vector<int>& on);
  bool depends(const Expr& e) const;

 private:
  void walk(const Body& body, bool under);

  std::set<int> variables_;
};

/// The statements of a body, which has run, that must run again for the wanted variables to follow
/// those that `varies` depends on.
Body needed(const Body& body, std::set<int> wanted, const Dependence& varies);

}  // namespace hillock::nmodl::ir
