#include "network/pair_blocks.hpp"

#include <algorithm>
#include <cmath>
#include <tuple>

namespace hillock::network {

PairBlocks::Scratch::Scratch(const PairBlocks& pairs) : program_(pairs.program_) {
  for (LaneArray* column : {&draws_, &x_um_, &y_um_, &z_um_, &distance_um_, &r_, &zero_})
    column->resize(block_size);
  picked_.resize(block_size);
}

PairBlocks::PairBlocks(const ConnectionDraws& draws, const models::Projection& projection)
    : draws_(draws),
      projection_(projection),
      kernels_(block_kernels()),
      program_(std::get<Expression>(projection.connect.probability.content())),
      uses_place_(!draws.source_um(0).empty()),
      uses_distance_(uses(Variable::distance)),
      uses_r_(uses(Variable::r)) {
  const models::Bounds* bounds = projection.connect.probability.bounds();
  std::tie(minimum_, maximum_) = interval_of(bounds ? bounds->limits : Limits{});
}

void PairBlocks::connected(std::uint64_t target, Scratch& scratch,
                           std::vector<std::uint32_t>& sources) const {
  const models::PopulationSlice& from = projection_.from;
  const std::uint64_t key[] = {draws_.number(), target, 0};
  const std::uint64_t forbidden = draws_.forbids(target, target) ? target : ~std::uint64_t{0};
  for (std::uint64_t first = from.begin; first < from.end; first += block_size) {
    const auto n = static_cast<std::size_t>(std::min<std::uint64_t>(block_size, from.end - first));
    const double* p = probabilities(first, n, target, scratch);
    if (!kernels_.are_within(p, minimum_, maximum_, n)) check(p, first, n, target);
    kernels_.uniforms(draws_.seed(), static_cast<std::uint64_t>(Purpose::connect), key,
                      (first - from.begin) / 4, scratch.draws_.data(), (n + 7) / 8 * 8);
    const std::size_t picked = kernels_.pick(scratch.draws_.data(), p, scratch.picked_.data(), n);
    for (std::size_t i = 0; i < picked; ++i) {
      const std::uint64_t source = first + scratch.picked_[i];
      if (source != forbidden) sources.push_back(static_cast<std::uint32_t>(source));
    }
  }
}

const double* PairBlocks::probabilities(std::uint64_t first, std::size_t n, std::uint64_t target,
                                        Scratch& scratch) const {
  BlockProgram::Variables variables;
  variables.fill(scratch.zero_.data());
  const auto set = [&](Variable variable, const LaneArray& column) {
    variables[static_cast<std::size_t>(variable)] = column.data();
  };
  if (uses_place_) {
    LaneArray* const axes[] = {&scratch.x_um_, &scratch.y_um_, &scratch.z_um_};
    for (std::size_t axis = 0; axis < 3; ++axis)
      kernels_.displacements(draws_.target_um(axis, target), draws_.source_um(axis).data() + first,
                             axes[axis]->data(), n);
    set(Variable::x, scratch.x_um_);
    set(Variable::y, scratch.y_um_);
    set(Variable::z, scratch.z_um_);
  }
  if (uses_distance_) {
    kernels_.lengths(scratch.x_um_.data(), scratch.y_um_.data(), scratch.z_um_.data(),
                     scratch.distance_um_.data(), n);
    set(Variable::distance, scratch.distance_um_);
  }
  if (uses_r_) {
    for (std::size_t i = 0; i < n; ++i) scratch.r_[i] = draws_.pair_r(first + i, target);
    set(Variable::r, scratch.r_);
  }
  return program_.run(variables, n, scratch.program_);
}

/// Says what is wrong with the first pair that may be connected.
void PairBlocks::check(const double* p, std::uint64_t first, std::size_t n,
                       std::uint64_t target) const {
  for (std::size_t i = 0; i < n; ++i)
    if (!(p[i] >= minimum_ && p[i] <= maximum_ && std::isfinite(p[i])) &&
        !draws_.forbids(first + i, target))
      draws_.probability(first + i, target);
}

}  // namespace hillock::network
