#include "simulator/recorded_spikes.hpp"

#include <algorithm>

namespace hillock::simulator {

RecordedSpikes::RecordedSpikes(const models::Network& network) {
  std::vector<Cells> cells;
  for (const models::Recording& recording : network.recordings) {
    if (recording.variable) continue;
    const std::string& name = network.populations[recording.of.population.value].name;
    const auto known = std::ranges::find(populations_, name);
    const auto population = static_cast<std::uint32_t>(known - populations_.begin());
    const std::uint64_t first = network.first_cell(recording.of.population).value;
    if (known == populations_.end()) {
      populations_.push_back(name);
      first_cells_.push_back(first);
    }
    cells.push_back({first + recording.of.begin, first + recording.of.end, population});
  }
  std::ranges::sort(cells, {}, &Cells::begin);
  for (const Cells& some : cells)
    if (!cells_.empty() && some.begin < cells_.back().end)  // of one population
      cells_.back().end = std::max(cells_.back().end, some.end);
    else
      cells_.push_back(some);
}

/// Or how many there are. Without a branch that depends on the cell: neighbours in time are no
/// neighbours in the network.
std::uint32_t RecordedSpikes::population_of(std::uint64_t cell) const {
  const Cells* some = cells_.data();
  for (std::size_t left = cells_.size(); left > 1; left -= left / 2)
    some += some[left / 2].begin <= cell ? left / 2 : 0;
  const bool is_recorded = cell - some->begin < some->end - some->begin;
  return is_recorded ? some->population : static_cast<std::uint32_t>(populations_.size());
}

std::vector<std::vector<models::RecordedSpike>> RecordedSpikes::by_population(
    std::span<const network::CellSpike> spikes) {
  std::vector<std::vector<models::RecordedSpike>> some(populations_.size());
  if (cells_.empty()) return some;
  found_.resize(spikes.size());
  std::vector<std::size_t> counts(populations_.size() + 1);
  for (std::size_t i = 0; i < spikes.size(); ++i)
    ++counts[found_[i] = population_of(spikes[i].cell.value)];
  for (std::size_t p = 0; p < some.size(); ++p) some[p].reserve(counts[p]);
  for (std::size_t i = 0; i < spikes.size(); ++i)
    if (const std::uint32_t p = found_[i]; p < some.size())
      some[p].push_back({spikes[i].time_ms, spikes[i].cell.value - first_cells_[p]});
  return some;
}

}  // namespace hillock::simulator
