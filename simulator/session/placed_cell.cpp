#include "simulator/session/placed_cell.hpp"

#include <variant>

#include "core/random/random.hpp"
#include "network/positions.hpp"
#include "solver/cable/compartments.hpp"

namespace hillock::session {

std::vector<solver::CurrentSource> placed_compartments(const models::Network& network,
                                                       PopulationId population,
                                                       std::uint64_t cell) {
  const models::Population& of = network.populations[population.value];
  const auto& cable = std::get<models::CableCell>(network.cells[of.cell].kind);
  std::uint64_t id = cell;
  for (std::uint32_t before = 0; before < population.value; ++before)
    id += network.populations[before].size;
  const auto* const tree = std::get_if<models::RandomTree>(&cable.morphology);
  const models::Morphology shape = tree ? models::grow(*tree, network.run.seed, CellId(id))
                                        : std::get<models::Morphology>(cable.morphology);
  solver::CutFor cut{{}, of.name};
  cut.bindings.index = static_cast<double>(cell);
  cut.bindings.size = static_cast<double>(of.size);
  cut.bindings.r = RandomStream(network.run.seed, Purpose::neuron_r, {id, 0, 0}).uniform();
  const solver::Template cut_cell = solver::discretise(shape, cable, cut);
  std::vector<NodeId> nodes;
  for (std::size_t node = 0; node < cut_cell.node_count(); ++node)
    if (cut_cell.location(node).is_compartment) nodes.push_back(NodeId(static_cast<int>(node)));
  auto sources = solver::sources_of(shape, cut_cell, nodes);
  const network::CellPlace place(network, population, cell, solver::middle_of_soma(shape));
  for (solver::CurrentSource& source : sources) {
    source.begin_um = place.of(source.begin_um);
    source.end_um = place.of(source.end_um);
  }
  return sources;
}

}  // namespace hillock::session
