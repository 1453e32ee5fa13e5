#pragma once
// An expression made ready to be evaluated for a block of bindings at a time.

#include <array>
#include <cstddef>
#include <vector>

#include "core/expressions/block_kernels.hpp"
#include "core/expressions/expression.hpp"
#include "core/simd/lane_array.hpp"

namespace hillock {

/// Every number is what Expression::evaluate() gives for its bindings, to the last bit. Parts that
/// are constant are computed once.
class BlockProgram {
 public:
  /// [Variable] a column of block_size numbers in the unit of Bindings; null where the expression
  /// does not use it.
  using Variables = std::array<const double*, variable_count>;

  /// What one thread needs for one program.
  class Scratch {
   public:
    explicit Scratch(const BlockProgram& program);

   private:
    friend class BlockProgram;
    LaneArray columns_;  ///< constants, variables, what is computed; block_size numbers each
  };

  explicit BlockProgram(const Expression& expression);

  /// The values for the first n bindings, n <= block_size. They stay until the next call.
  const double* run(const Variables& variables, std::size_t n, Scratch& scratch) const;

 private:
  /// to = operation of `from`; columns.
  struct Step {
    Operation operation = Operation::constant;
    std::array<int, 3> from{};
    int to = 0;
  };
  class Compiler;

  const BlockKernels& kernels_;
  std::vector<double> constants_;
  std::vector<Variable> variables_;
  std::vector<Step> steps_;
  int columns_ = 0;
  int result_ = 0;
  Unit from_, to_;  ///< of what is computed, and of the values
};

}  // namespace hillock
