#include "models/network.hpp"

#include <algorithm>
#include <utility>

namespace hillock::models {

CellId Network::first_cell(PopulationId population) const {
  std::uint64_t first = 0;
  for (std::uint32_t p = 0; p < population.value; ++p) first += populations[p].size;
  return CellId(first);
}

std::vector<CellId> Network::first_cells() const {
  std::vector<CellId> firsts;
  firsts.reserve(populations.size());
  std::uint64_t first = 0;
  for (const Population& population : populations) {
    firsts.emplace_back(first);
    first += population.size;
  }
  return firsts;
}

std::uint64_t Network::cell_count() const {
  return first_cell(PopulationId(static_cast<std::uint32_t>(populations.size()))).value;
}

std::vector<std::pair<CellId, CellId>> Network::relays() const {
  std::vector<std::pair<CellId, CellId>> all;
  const std::vector<CellId> first = first_cells();
  for (std::size_t p = 0; p < populations.size(); ++p) {
    const auto* const own = std::get_if<ArtificialCell>(&cells[populations[p].cell].kind);
    if (own && own->mechanism.name == "relay")
      all.emplace_back(first[p], CellId(first[p].value + populations[p].size));
  }
  return all;
}

double Network::least_delay_ms(PopulationId source) const {
  const bool is_cable =
      std::holds_alternative<CableCell>(cells[populations[source.value].cell].kind);
  return is_cable && run.spike_time == SpikeTime::grid ? 0 : run.dt_ms;
}

PointStep Network::step_of(PopulationId population) const {
  return populations[population.value].step.value_or(PointStep{run.dt_ms, 1});
}

std::pair<PopulationId, std::uint64_t> Network::population_of(CellId cell) const {
  std::uint64_t index = cell.value;
  std::uint32_t p = 0;
  while (p + 1 < populations.size() && index >= populations[p].size) index -= populations[p++].size;
  return {PopulationId(p), index};
}

std::size_t ConnectionRows::bytes_a_row() const {
  const auto given = static_cast<std::size_t>(std::ranges::count_if(
      arguments, [](const std::vector<double>& argument) { return !argument.empty(); }));
  return 2 * sizeof(std::uint32_t) + (weights.empty() ? 0 : sizeof(double)) +
         (delays_ms.empty() ? 0 : sizeof(double)) +
         (branches.empty() ? 0 : sizeof(std::uint32_t) + sizeof(double)) +
         (points.empty() ? 0 : sizeof(std::uint32_t)) + given * sizeof(double);
}

ConnectionRows ConnectionRows::take() {
  ConnectionRows none;
  none.listed = listed;
  none.arguments.resize(arguments.size());
  return std::exchange(*this, std::move(none));
}

}  // namespace hillock::models
