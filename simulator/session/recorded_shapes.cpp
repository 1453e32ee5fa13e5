#include "simulator/session/recorded_shapes.hpp"

#include <algorithm>
#include <map>
#include <memory>
#include <set>
#include <utility>
#include <variant>

#include "network/positions.hpp"

namespace hillock::session {

namespace {

using Range = std::pair<std::uint64_t, std::uint64_t>;

/// The same cells in ranges that rise and do not touch.
std::vector<Range> joined(std::vector<Range> ranges) {
  std::ranges::sort(ranges);
  std::vector<Range> all;
  for (const Range& range : ranges)
    if (!all.empty() && range.first <= all.back().second)
      all.back().second = std::max(all.back().second, range.second);
    else
      all.push_back(range);
  return all;
}

/// Populations that are known by nodes are told as these: what is one in the output is one.
std::vector<io::RunPopulation> by_output_name(const models::Network& network,
                                              const std::vector<io::RunPopulation>& populations) {
  std::vector<io::RunPopulation> told;
  for (std::size_t p = 0; p < populations.size(); ++p) {
    const auto& nodes = network.populations[p].nodes;
    if (!nodes) {
      told.push_back(populations[p]);
      continue;
    }
    auto known = std::ranges::find(told, nodes->population, &io::RunPopulation::name);
    if (known == told.end()) {
      told.push_back({nodes->population, populations[p].cell, 0, {}});
      known = told.end() - 1;
    } else {
      known->cell += ", " + populations[p].cell;
    }
    for (const std::uint64_t id : nodes->ids) known->size = std::max(known->size, id + 1);
    for (const auto& [begin, end] : populations[p].spikes_of)
      for (std::uint64_t cell = begin; cell < end; ++cell)
        known->spikes_of.emplace_back(nodes->ids[cell], nodes->ids[cell] + 1);
  }
  for (io::RunPopulation& population : told)
    population.spikes_of = joined(std::move(population.spikes_of));
  return told;
}

}  // namespace

std::vector<io::RunPopulation> populations_of(const models::Network& network) {
  std::vector<io::RunPopulation> populations;
  for (const models::Population& population : network.populations)
    populations.push_back(
        {population.name, network.cells[population.cell].name, population.size, {}});
  for (const models::Recording& recording : network.recordings)
    if (!recording.variable)
      populations[recording.of.population.value].spikes_of.emplace_back(recording.of.begin,
                                                                        recording.of.end);
  for (io::RunPopulation& population : populations)
    population.spikes_of = joined(std::move(population.spikes_of));
  return by_output_name(network, populations);
}

std::vector<models::ReportLayout> with_shapes(const models::Network& network,
                                              std::vector<models::ReportLayout> reports) {
  std::map<std::size_t, std::shared_ptr<const models::Morphology>> shapes;  // by cell
  auto report = reports.begin();
  for (const models::Recording& recording : network.recordings) {
    if (!recording.variable || report == reports.end()) continue;
    models::ReportLayout& layout = *report++;
    if (recording.variable->kind == models::RecordedVariable::Kind::weight) continue;
    if (recording.potential) continue;
    const std::size_t of = network.populations[recording.of.population.value].cell;
    const auto* cable = std::get_if<models::CableCell>(&network.cells[of].kind);
    const auto* shape = cable ? std::get_if<models::Morphology>(&cable->morphology) : nullptr;
    if (shape == nullptr) continue;
    auto& kept = shapes[of];
    if (!kept) kept = std::make_shared<const models::Morphology>(*shape);
    layout.shape = kept;
  }
  return reports;
}

std::vector<models::CellPlaces> places_of(const models::Network& network,
                                          const std::vector<std::string>& populations) {
  const std::set<std::string> names(populations.begin(), populations.end());
  const auto is_told = [&](const models::Population& population) {
    return population.positions.kind != models::Positions::Kind::none &&
           names.contains(population.output_name());
  };
  std::uint64_t cells = 0, stride = 1;
  for (const models::Population& population : network.populations)
    if (is_told(population)) cells += population.size;
  while (cells / stride > most_placed) stride *= 2;  // as spikes of a page are thinned out
  std::vector<models::CellPlaces> all;
  std::map<std::string, std::size_t> where;  // in these, by name
  for (std::size_t p = 0; p < network.populations.size(); ++p) {
    const models::Population& population = network.populations[p];
    if (!is_told(population)) continue;
    const auto [known, is_new] = where.try_emplace(population.output_name(), all.size());
    if (is_new) all.push_back({population.output_name(), {}});
    std::vector<double>& rows = all[known->second].rows;
    const network::CellSet some{0, population.size, stride};
    const auto um = network::positions(network, PopulationId(static_cast<std::uint32_t>(p)), some);
    for (std::uint64_t i = 0; i < some.size(); ++i) {
      const std::uint64_t node = population.nodes ? population.nodes->ids[some[i]] : some[i];
      rows.push_back(static_cast<double>(node));
      for (const auto& axis : um) rows.push_back(axis[i]);
    }
  }
  return all;
}

}  // namespace hillock::session
