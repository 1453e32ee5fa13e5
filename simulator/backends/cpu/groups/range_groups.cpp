#include "simulator/backends/cpu/groups/range_groups.hpp"

#include <algorithm>
#include <memory>
#include <utility>

#include "simulator/backends/cpu/layout/layout_builder.hpp"

namespace hillock::simulator::cpu {

bool are_alike(const RangePlan& plan) {
  return std::ranges::all_of(plan.kinds, [&](const auto& kind) {
    return kind == plan.kinds.front() || kind->cell->nodes() == plan.kinds.front()->cell->nodes();
  });
}

namespace {

/// So many packs of small cells that a group fills a part of the second-level cache.
std::size_t packs_for(const CellKind& kind, int lanes) {
  constexpr std::size_t most_bytes = 128 << 10;
  constexpr std::size_t bytes_a_compartment = 300;
  return std::max<std::size_t>(1, most_bytes / (bytes_a_compartment * kind.cell->node_count() *
                                                static_cast<std::size_t>(lanes)));
}

}  // namespace

std::size_t groups_of(const CellKind& kind, std::size_t cells, int side_by_side) {
  const std::size_t group = static_cast<std::size_t>(side_by_side) * packs_for(kind, side_by_side);
  return (cells + group - 1) / group;
}

void cut_into_groups(RangePlan& plan, const SideBySide& side_by_side,
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
      cells.lanes = left == 1 ? 1 : left <= 4 ? 4 : 8;
    } else {
      cells.packs = std::min(packs, left / width);
      cells.end = begin + cells.packs * width;
    }
    if (cells.lanes == 1 && cells.packs == 1) cells.parts = side_by_side.parts;
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
