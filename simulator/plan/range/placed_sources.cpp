#include "simulator/plan/range/placed_sources.hpp"

#include <variant>

#include "network/positions.hpp"
#include "simulator/plan/range/plan.hpp"
#include "solver/cable/compartments.hpp"

namespace hillock::simulator {

namespace {

/// Of a random tree it is grown.
models::Morphology shape_of_cell(const models::Network& network, PopulationId population,
                                 std::uint64_t index) {
  const models::Population& of = network.populations[population.value];
  const auto& cable = std::get<models::CableCell>(network.cells[of.cell].kind);
  const auto* const tree = std::get_if<models::RandomTree>(&cable.morphology);
  if (!tree) return std::get<models::Morphology>(cable.morphology);
  return models::grow(*tree, network.run.seed,
                      CellId(network.first_cell(population).value + index));
}

}  // namespace

std::vector<solver::CurrentSource> placed_sources(const models::Network& network,
                                                  PopulationId population, std::uint64_t index,
                                                  const solver::Template& cut,
                                                  std::span<const NodeId> nodes) {
  const models::Morphology shape = shape_of_cell(network, population, index);
  const network::CellPlace place(network, population, index, solver::middle_of_soma(shape));
  auto sources = solver::sources_of(shape, cut, nodes);
  for (solver::CurrentSource& source : sources)
    for (solver::Vector3* const at : {&source.begin_um, &source.end_um, &source.middle_um})
      *at = place.of(*at);
  return sources;
}

std::vector<solver::CurrentSource> placed_compartments(const models::Network& network,
                                                       PopulationId population,
                                                       std::uint64_t index) {
  const models::Population& of = network.populations[population.value];
  const auto& cable = std::get<models::CableCell>(network.cells[of.cell].kind);
  PopulationPlan plan;  // what a cell's identity is made of
  plan.name = of.name;
  plan.size = of.size;
  plan.first = network.first_cell(population);
  plan.seed = network.run.seed;
  const solver::Template cut = solver::discretise(shape_of_cell(network, population, index), cable,
                                                  plan.identity(index).cut_for());
  std::vector<NodeId> nodes;
  for (std::size_t node = 0; node < cut.node_count(); ++node)
    if (cut.location(node).is_compartment) nodes.push_back(NodeId(static_cast<int>(node)));
  return placed_sources(network, population, index, cut, nodes);
}

}  // namespace hillock::simulator
