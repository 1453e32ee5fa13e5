#include "simulator/output/recorded_spikes.hpp"

#include <algorithm>
#include <string>
#include <unordered_map>

namespace hillock::simulator {

RecordedSpikes::RecordedSpikes(const models::Network& network) {
  const std::vector<CellId> first_cells = network.first_cells();
  std::vector<Cells> cells;
  std::unordered_map<std::string, std::uint32_t> numbers;  // of populations_
  for (const models::Recording& recording : network.recordings) {
    if (recording.variable) continue;
    const models::Population& of = network.populations[recording.of.population.value];
    const auto [known, is_new] =
        numbers.try_emplace(of.output_name(), static_cast<std::uint32_t>(populations_.size()));
    if (is_new) populations_.push_back(known->first);
    const std::uint32_t population = known->second;
    const std::uint64_t first = first_cells[recording.of.population.value].value;
    cells.push_back({first + recording.of.begin, first + recording.of.end, population, first,
                     of.nodes ? of.nodes->ids.data() : nullptr});
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
std::uint32_t RecordedSpikes::cells_with(std::uint64_t cell) const {
  const Cells* some = cells_.data();
  for (std::size_t left = cells_.size(); left > 1; left -= left / 2)
    some += some[left / 2].begin <= cell ? left / 2 : 0;
  const bool is_recorded = cell - some->begin < some->end - some->begin;
  return static_cast<std::uint32_t>(is_recorded ? some - cells_.data() : cells_.size());
}

std::vector<std::vector<models::RecordedSpike>> RecordedSpikes::by_population(
    std::span<const network::CellSpike> spikes) {
  std::vector<std::vector<models::RecordedSpike>> some(populations_.size());
  if (cells_.empty()) return some;
  found_.resize(spikes.size());
  std::vector<std::size_t> counts(cells_.size() + 1);
  for (std::size_t i = 0; i < spikes.size(); ++i)
    ++counts[found_[i] = cells_with(spikes[i].cell.value)];
  std::vector<std::size_t> of_population(populations_.size());
  for (std::size_t c = 0; c < cells_.size(); ++c) of_population[cells_[c].population] += counts[c];
  for (std::size_t p = 0; p < some.size(); ++p) some[p].reserve(of_population[p]);
  for (std::size_t i = 0; i < spikes.size(); ++i) {
    if (found_[i] == cells_.size()) continue;
    const Cells& cells = cells_[found_[i]];
    const std::uint64_t index = spikes[i].cell.value - cells.first;
    some[cells.population].push_back({spikes[i].time_ms, cells.nodes ? cells.nodes[index] : index});
  }
  return some;
}

}  // namespace hillock::simulator
