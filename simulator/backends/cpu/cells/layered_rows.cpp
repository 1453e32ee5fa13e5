#include "simulator/backends/cpu/cells/layered_rows.hpp"

#include <algorithm>

#include "core/containers/memory_size.hpp"

namespace hillock::simulator::cpu {

LayeredRows::LayeredRows(const GroupLayout& group, double implicit_dt_ms)
    : group_(group), size_(group.row_count() * group.width()) {
  if (!are_there()) return;
  const LayersOfRows& layers = group.layers;
  const std::size_t lanes = group.width(), count = layers.count();
  // Instances that only fill a lane sit behind the last row.
  for (LaneArray* array : {&electrode_nA_, &electrode_uS_, &inside_})
    array->assign(size_ + lanes, 0);
  ground_nA_.assign(size_, 0);
  inside_uS_.assign(size_, 0);
  for (std::size_t l = 0; l < count; ++l) {
    charge_.push_back(layers.capacitance_nF[l]);
    for (double& charge : charge_[l]) charge /= implicit_dt_ms;
    across_.push_back(layers.across_uS[l]);
    diagonal_.emplace_back(size_, 0);
    for (std::size_t i = 0; i < size_; ++i) {
      across_[l][i] += charge_[l][i];
      diagonal_[l][i] = layers.has[i] == 0 ? 1 : across_[l][i] + (l > 0 ? across_[l - 1][i] : 0);
    }
  }
  const auto tie = [&](LaneArray& sums, const LaneArray& couplings) {
    for (std::size_t row = group.packs; row < group.row_count(); ++row)
      for (std::size_t lane = 0; lane < lanes; ++lane) {
        const double coupling = couplings[row * lanes + lane];
        sums[row * lanes + lane] += coupling;
        sums[static_cast<std::size_t>(group.parent[row]) * lanes + lane] += coupling;
      }
  };
  tie(inside_uS_, group.coupling_uS);
  for (std::size_t l = 0; l < count; ++l) tie(diagonal_[l], layers.along_uS[l]);
  for (const WiredCell& cell : group.wired)
    for (std::size_t k = 0; k < cell.rows.size(); ++k)
      if (cell.layers[k] > 0)
        diagonal_[cell.layers[k] - 1][cell.rows[k] * lanes + cell.lane] += cell.ground_uS[k];
}

void LayeredRows::clear() {
  for (LaneArray* array : {&electrode_nA_, &electrode_uS_, &ground_nA_})
    std::ranges::fill(*array, 0);
}

LaneArray& LayeredRows::inside_of(const LaneArray& v) {
  const double* const outside = v.data() + begin();
  for (std::size_t i = 0; i < size_; ++i) inside_[i] = v[i] + outside[i];
  return inside_;
}

void LayeredRows::solve(const solver::SweepKernels& sweep, LaneArray& v,
                        const LaneArray& membrane_uS, LaneArray& x) {
  const LayersOfRows& layers = group_.layers;
  thread_local LaneArray blocks;  // of whichever group a thread is at
  if (const std::size_t size = size_ * solver::numbers_of_block(layers.count());
      blocks.size() < size)
    blocks.resize(size);
  solver::LayerRows rows{.count = group_.row_count(),
                         .roots = group_.packs,
                         .layers = layers.count(),
                         .parent = group_.parent.data(),
                         .coupling = group_.coupling_uS.data(),
                         .has = layers.has.data(),
                         .inside = inside_uS_.data(),
                         .of_layer = {},
                         .ground = ground_nA_.data(),
                         .membrane_uS = membrane_uS.data(),
                         .electrode_uS = electrode_uS_.data(),
                         .electrode_nA = electrode_nA_.data(),
                         .x = x.data(),
                         .blocks = blocks.data()};
  for (std::size_t l = 0; l < layers.count(); ++l) {
    const std::size_t at = begin() + l * size_;
    rows.of_layer[l] = {layers.along_uS[l].data(), diagonal_[l].data(), across_[l].data(),
                        charge_[l].data(),         v.data() + at,       x.data() + at};
  }
  sweep.solve_layers(rows);
}

begin::BegunLayers LayeredRows::begun() const {
  const auto by_row = [](const LaneArray& values) {
    return std::vector<double>(values.begin(), values.end());
  };
  const LayersOfRows& layers = group_.layers;
  begin::BegunLayers begun{by_row(layers.has), by_row(inside_uS_), {}};
  for (std::size_t l = 0; l < layers.count(); ++l)
    begun.layers.push_back(
        {by_row(layers.along_uS[l]), by_row(diagonal_[l]), by_row(across_[l]), by_row(charge_[l])});
  return begun;
}

std::size_t LayeredRows::bytes() const {
  std::size_t bytes = 0;
  for (const LaneArray* array :
       {&inside_uS_, &electrode_nA_, &electrode_uS_, &ground_nA_, &inside_})
    bytes += bytes_of(*array);
  for (const std::vector<LaneArray>* arrays : {&diagonal_, &across_, &charge_})
    for (const LaneArray& array : *arrays) bytes += bytes_of(array);
  return bytes;
}

}  // namespace hillock::simulator::cpu
