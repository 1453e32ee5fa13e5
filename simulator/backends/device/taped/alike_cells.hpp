#pragma once
// Cells that are alike, in rows and instances, and how they lie on a device
// (kernels/taped_views.hpp).

#include <cstddef>
#include <functional>
#include <vector>

#include "core/containers/one_or_many.hpp"
#include "simulator/backends/device/kernels/taped_views.hpp"
#include "simulator/backends/device/memory/engine_part.hpp"
#include "simulator/backends/taped/taped_block.hpp"
#include "simulator/backends/taped/taped_cell.hpp"
#include "simulator/begin/begun_cell.hpp"

namespace hillock::simulator::on_device {

/// The instances of one mechanism.
struct AlikeBlock {
  /// Adds to ones what is one number for all.
  AlikeBlock(const std::vector<const begin::BegunCell*>& cells, std::size_t number,
             const mechanisms::Mechanism& adjoint, std::vector<double>& ones);

  std::size_t count() const { return first.rows.size(); }
  std::size_t states_size() const {
    return static_cast<std::size_t>(first.mechanism->info->states) * count();
  }
  bool advances() const;
  bool is_everywhere(std::size_t rows) const;

  const begin::BegunBlock& first;  ///< of the first cell
  const mechanisms::Mechanism& adjoint;
  taped::AdjointColumns columns;
  step::TurnFacts facts;
  bool is_whole;
  std::vector<TapedHome> homes, back_homes;  ///< by variable, of the adjoint too
  std::vector<int> own;                      ///< [slot] variables
  int back_slots = 0;
  std::vector<double> placed;
  bool areas_differ = false;  ///< among cells
};

/// How threads of a device share such cells.
struct TapedShape {
  int parts, lanes;            ///< threads of a cell, cells of a block
  int ahead_at_once, at_once;  ///< blocks on a multiprocessor, of a run and on the way back
  bool is_on_chip;             ///< what a step works in
  std::size_t chip_bytes;

  int threads() const { return parts * lanes; }
  /// Of a cell those that solve: of several cells in several warps one warp's.
  int solvers() const { return lanes > 1 && threads() > 32 ? 32 / lanes : parts; }
};
TapedShape taped_shape_of(std::size_t cells, std::size_t rows, const DeviceLimits& limits);

struct AlikeCells {
  /// cells: alike, not empty.
  AlikeCells(std::vector<const begin::BegunCell*> cells, const taped::Adjoints& adjoints,
             const DeviceLimits& limits);

  std::size_t count() const { return cells.size(); }
  std::size_t lanes() const { return static_cast<std::size_t>(shape.lanes); }
  std::size_t groups() const { return (count() + lanes() - 1) / lanes(); }
  const begin::BegunCell& first() const { return *cells.front(); }
  std::size_t rows() const { return first().row_count(); }
  /// What lasts from step to step, of a cell.
  std::size_t lasting() const;

  /// size: numbers of a cell. number(cell, k): of cells[cell]. Gives [group][k][lane]; the last
  /// group is filled up with its last cell.
  std::vector<double> laid_out(std::size_t size,
                               const std::function<double(std::size_t cell, std::size_t k)>& number,
                               int threads) const;

  std::vector<const begin::BegunCell*> cells;
  TapedShape shape;
  std::vector<AlikeBlock> blocks;
  std::vector<double> ones;  ///< TapedArrays::ones
};

/// [·] of `cells` those that are alike, in the order of their first ones.
std::vector<std::vector<std::size_t>> find_alike(const std::vector<const begin::BegunCell*>& cells);

}  // namespace hillock::simulator::on_device
