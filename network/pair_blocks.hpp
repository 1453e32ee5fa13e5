#pragma once
// pairwise_bernoulli whose p is an expression: pairs are asked a block of sources at a time.

#include <cstdint>
#include <vector>

#include "core/expressions/block_program.hpp"
#include "network/connection_draws.hpp"

namespace hillock::network {

/// The draws and probabilities are those of ConnectionDraws, to the last bit.
class PairBlocks {
 public:
  /// What one thread needs in between.
  class Scratch {
   public:
    explicit Scratch(const PairBlocks& pairs);

   private:
    friend class PairBlocks;
    BlockProgram::Scratch program_;
    LaneArray draws_, x_um_, y_um_, z_um_, distance_um_, r_, zero_;
    std::vector<std::uint32_t> picked_;
  };

  /// The projection's p is an expression; `draws` outlives this.
  PairBlocks(const ConnectionDraws& draws, const models::Projection& projection);

  /// Appends the sources that are connected to a target, rising. Throws InvalidModel when p lies
  /// outside 0 to 1 for one of the pairs.
  void connected(std::uint64_t target, Scratch& scratch, std::vector<std::uint32_t>& sources) const;

 private:
  /// p for n sources from `first` on.
  const double* probabilities(std::uint64_t first, std::size_t n, std::uint64_t target,
                              Scratch& scratch) const;
  void check(const double* p, std::uint64_t first, std::size_t n, std::uint64_t target) const;
  bool uses(Variable variable) const { return projection_.connect.probability.uses(variable); }

  const ConnectionDraws& draws_;
  const models::Projection& projection_;
  const BlockKernels& kernels_;
  BlockProgram program_;
  bool uses_place_, uses_distance_, uses_r_;
  double minimum_, maximum_;  ///< of p
};

}  // namespace hillock::network
