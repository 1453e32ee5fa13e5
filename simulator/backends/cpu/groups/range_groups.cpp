#include "simulator/backends/cpu/groups/range_groups.hpp"

#include <unistd.h>

#include <algorithm>
#include <memory>
#include <utility>

#include "simulator/backends/cpu/layout/layout_builder.hpp"

namespace hillock::simulator::cpu {

namespace {

/// Whether the nodes of a range's cells all lie alike.
bool are_alike(const RangePlan& plan) {
  return std::ranges::all_of(plan.kinds, [&](const auto& kind) {
    return kind == plan.kinds.front() || kind->cell->nodes() == plan.kinds.front()->cell->nodes();
  });
}

/// So many packs of small cells that a group fills a part of the second-level cache.
std::size_t packs_for(const CellKind& kind, int lanes) {
  constexpr std::size_t most_bytes = 128 << 10;
  constexpr std::size_t bytes_a_compartment = 300;
  return std::max<std::size_t>(1, most_bytes / (bytes_a_compartment * kind.cell->node_count() *
                                                static_cast<std::size_t>(lanes)));
}

/// Of a core's second-level cache.
std::size_t cache_bytes() {
  constexpr long least = 1 << 20;  // where the system does not say
  return static_cast<std::size_t>(std::max(least, ::sysconf(_SC_LEVEL2_CACHE_SIZE)));
}

/// About what a step reads and writes of one cell.
std::size_t bytes_of_a_step(const CellKind& kind) {
  constexpr std::size_t numbers_of_a_row = 10;  // voltage, matrix, what is solved for, its tree
  std::size_t numbers = numbers_of_a_row * kind.cell->node_count();
  for (const DensityPlacement& density : kind.densities) {
    const mechanisms::MechanismInfo& info = *density.mechanism->info;
    std::size_t of_an_instance = 2 + static_cast<std::size_t>(info.states + info.shared);
    for (int c = 0; c < info.parameters; ++c)
      if (!density.values->is_one(static_cast<std::size_t>(c))) ++of_an_instance;
    numbers += of_an_instance * density.nodes.size();
  }
  return numbers * sizeof(double);
}

/// In how many parts threads share the rows of a cell that lies alone: each is enough to do that
/// the threads' meetings, a few microseconds a step, do not matter.
std::size_t parts_of(const RangePlan& plan, const GroupCells& cells, int threads) {
  if (cells.lanes > 1 || cells.packs > 1 || !plan.pointers.empty()) return 1;
  constexpr std::size_t least_bytes = 16 << 10;
  return std::clamp<std::size_t>(bytes_of_a_step(*plan.kinds[cells.begin]) / least_bytes, 1,
                                 static_cast<std::size_t>(threads));
}

}  // namespace

SideBySide as_fit_into_cache(const RangePlan& plan, SideBySide cells) {
  const bool fit = std::ranges::all_of(plan.kinds, [&](const auto& kind) {
    return bytes_of_a_step(*kind) * static_cast<std::size_t>(cells.most) <= cache_bytes();
  });
  cells.most = cells.asked > 0 ? cells.asked : fit ? cells.most : 1;
  return cells;
}

void cut_into_groups(RangePlan& plan, SideBySide side_by_side,
                     const std::function<void(GroupLayout)>& take) {
  const int lanes = side_by_side.most;
  const auto width = static_cast<std::size_t>(lanes);
  const bool alike = are_alike(plan);
  const std::size_t packs = alike ? packs_for(*plan.kinds.front(), lanes) : 1;
  std::shared_ptr<const solver::LaneTree> shared;
  for (std::size_t begin = 0; begin < plan.cell_count();) {
    GroupCells cells{begin, plan.cell_count(), lanes, 1};
    const std::size_t left = cells.end - begin;
    if (left < width) {
      cells.lanes = left == 1 ? 1 : left <= 4 && !side_by_side.never_four ? 4 : 8;
    } else {
      cells.packs = std::min(packs, left / width);
      cells.end = begin + cells.packs * width;
    }
    cells.parts = parts_of(plan, cells, side_by_side.threads);
    std::shared_ptr<const solver::LaneTree> tree;
    if (alike && shared && shared->lanes == cells.lanes && shared->part_count() == cells.parts)
      tree = shared;
    else
      tree = tree_of(plan, cells);
    shared = tree;
    take(lay_out(plan, cells, std::move(tree)));
    // Instances with POINTERs are counted through all cells, and the first tells the mechanisms.
    if (plan.pointers.empty())
      for (std::size_t c = std::max<std::size_t>(begin, 1); c < cells.end; ++c)
        plan.kinds[c].reset();
    begin = cells.end;
  }
}

}  // namespace hillock::simulator::cpu
