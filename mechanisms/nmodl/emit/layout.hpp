#pragma once
// Where a function's local variables are declared, and which of its statements are functions of
// their own: to give registers out a compiler takes time with the square of a function's length.

#include <cstddef>
#include <map>
#include <vector>

#include "mechanisms/nmodl/lower/ir.hpp"

namespace hillock::nmodl {

/// Statements [begin, end) of a body. part < 0: they are printed where they stand.
struct Cut {
  std::size_t begin = 0, end = 0;
  int part = -1;
};

class Layout {
 public:
  Layout() = default;
  /// uniform: [variable] whether it is the same in every lane, so that a condition on it makes no
  /// mask. results: what the function computes after the body. A function of more operations than
  /// `longest` is cut into parts of at most `most_in_a_part`.
  Layout(const ir::Program& program, const std::vector<bool>& uniform, const ir::Body& body,
         const std::vector<ir::Expr>& results, std::size_t longest, std::size_t most_in_a_part);

  /// All statements of a body, in their order.
  std::vector<Cut> cuts(const ir::Body& body) const;
  int parts() const { return parts_; }
  /// The local variables that are 0 until they are assigned, rising.
  const std::vector<int>& begun() const { return begun_; }
  /// Whether a variable is declared where it is assigned.
  bool is_declared_in_place(int variable) const;
  /// The local variables that parts have in common, rising.
  const std::vector<int>& kept() const { return kept_; }
  bool is_kept(int variable) const;

 private:
  std::map<const ir::Body*, std::vector<Cut>> cuts_;
  int parts_ = 0;
  std::vector<int> begun_, kept_;
  std::vector<bool> in_place_, is_kept_;  ///< [variable]
};

}  // namespace hillock::nmodl
