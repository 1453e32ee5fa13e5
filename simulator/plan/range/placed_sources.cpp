#include "simulator/plan/range/placed_sources.hpp"

#include <algorithm>
#include <variant>

#include "network/positions.hpp"
#include "simulator/plan/range/plan.hpp"
#include "solver/cable/compartments.hpp"

namespace hillock::simulator {

namespace {

const models::CableCell& cable_of(const models::Network& network, PopulationId population) {
  return std::get<models::CableCell>(
      network.cells[network.populations[population.value].cell].kind);
}

/// Of a random tree it is grown.
models::Morphology shape_of_cell(const models::Network& network, PopulationId population,
                                 std::uint64_t index) {
  const auto& morphology = cable_of(network, population).morphology;
  const auto* const tree = std::get_if<models::RandomTree>(&morphology);
  if (!tree) return std::get<models::Morphology>(morphology);
  return models::grow(*tree, network.run.seed,
                      CellId(network.first_cell(population).value + index));
}

}  // namespace

std::vector<solver::CurrentSource> PlacedSources::of(std::uint64_t index,
                                                     const solver::Template& cut,
                                                     std::span<const NodeId> nodes) {
  const bool is_drawn =
      std::holds_alternative<models::RandomTree>(cable_of(network_, population_).morphology);
  if (is_drawn || cut_ != &cut || !std::ranges::equal(nodes_, nodes)) {
    const models::Morphology shape = shape_of_cell(network_, population_, index);
    cut_ = &cut;
    nodes_.assign(nodes.begin(), nodes.end());
    sources_ = solver::sources_of(shape, cut, nodes);
    middle_um_ = solver::middle_of_soma(shape);
  }
  const network::CellPlace place(network_, population_, index, middle_um_);
  std::vector<solver::CurrentSource> sources = sources_;
  for (solver::CurrentSource& source : sources)
    for (solver::Vector3* const at : {&source.begin_um, &source.end_um, &source.middle_um})
      *at = place.of(*at);
  return sources;
}

std::vector<solver::CurrentSource> placed_compartments(const models::Network& network,
                                                       PopulationId population,
                                                       std::uint64_t index) {
  const models::Population& of = network.populations[population.value];
  const models::CableCell& cable = cable_of(network, population);
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
  return PlacedSources(network, population).of(index, cut, nodes);
}

}  // namespace hillock::simulator
