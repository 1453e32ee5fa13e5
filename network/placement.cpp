#include "network/placement.hpp"

#include <algorithm>
#include <utility>

namespace hillock::network {

std::uint64_t CellSet::before(std::uint64_t cell) const {
  return CellSet{begin, std::min(cell, end), stride}.size();
}

CellSet CellSet::within(std::uint64_t first, std::uint64_t last) const {
  return {begin + before(first) * stride, std::min(end, last), stride};
}

Placement::Placement(const models::Network& network, models::PlacementKind kind, int rank,
                     int ranks, CellCosts costs)
    : kind_(kind), rank_(rank), ranks_(ranks) {
  std::uint64_t cells = 0;
  for (std::size_t p = 0; p < network.populations.size(); ++p) {
    Part& part = parts_.emplace_back();
    part.size = network.populations[p].size;
    part.before = cells;
    cells += part.size;
    if (kind != models::PlacementKind::cost) continue;
    const std::vector<CellCost> same{{part.size, 1}};
    std::uint64_t begin = 0;
    for (const CellCost& some : p < costs.size() ? costs[p] : same) {
      const std::uint64_t end = std::min(some.end, part.size);
      if (begin >= end) continue;
      const std::uint64_t cost = std::max<std::uint64_t>(1, some.cost);
      part.stretches.push_back({begin, end, cost, cost_});
      cost_ += Wide{end - begin} * cost;
      begin = end;
    }
  }
}

/// Some ranks have one cell more than others: the next population's turn begins where this one's
/// ends.
std::uint64_t Placement::begin_of_block(const Part& part, std::uint64_t rank) const {
  const auto ranks = static_cast<std::uint64_t>(ranks_);
  const std::uint64_t more = part.size % ranks, first = part.before % ranks;
  std::uint64_t with_more = 0;  // ranks below this one that have one more
  if (rank > first) with_more = std::min(rank - first, more);
  if (first + more > ranks) with_more += std::min(rank, first + more - ranks);
  return rank * (part.size / ranks) + with_more;
}

/// A cell is the rank's in whose share of the cost its middle lies.
std::uint64_t Placement::begin_by_cost(const Part& part, std::uint64_t rank) const {
  // The first cell i of a stretch with ranks (before + i cost + cost / 2) ≥ rank cost of all.
  const Wide twice = 2 * Wide{rank} * cost_, ranks = static_cast<unsigned>(ranks_);
  for (const Stretch& some : part.stretches) {
    const Wide middle = ranks * (2 * some.before + some.cost);
    if (middle >= twice) return some.begin;
    const Wide step = 2 * ranks * some.cost;
    const Wide skipped = (twice - middle + step - 1) / step;
    if (skipped < some.end - some.begin) return some.begin + static_cast<std::uint64_t>(skipped);
  }
  return part.size;
}

std::uint64_t Placement::begin_of(const Part& part, std::uint64_t rank) const {
  if (rank >= static_cast<std::uint64_t>(ranks_)) return part.size;
  return kind_ == models::PlacementKind::cost ? begin_by_cost(part, rank)
                                              : begin_of_block(part, rank);
}

CellSet Placement::cells_of(PopulationId population, int of_rank) const {
  const Part& part = parts_[population.value];
  const auto rank = static_cast<std::uint64_t>(of_rank);
  if (kind_ != models::PlacementKind::round_robin)
    return {begin_of(part, rank), begin_of(part, rank + 1)};
  const auto ranks = static_cast<std::uint64_t>(ranks_);
  return {(rank + ranks - part.before % ranks) % ranks, part.size, ranks};
}

int Placement::rank_of(PopulationId population, std::uint64_t cell) const {
  if (ranks_ == 1) return 0;
  const Part& part = parts_[population.value];
  if (kind_ == models::PlacementKind::round_robin)
    return static_cast<int>((part.before + cell) % static_cast<std::uint64_t>(ranks_));
  int low = 0, high = ranks_ - 1;  // the last rank that does not begin behind the cell
  while (low < high) {
    const int middle = high - (high - low) / 2;
    if (begin_of(part, static_cast<std::uint64_t>(middle)) <= cell)
      low = middle;
    else
      high = middle - 1;
  }
  return low;
}

}  // namespace hillock::network
