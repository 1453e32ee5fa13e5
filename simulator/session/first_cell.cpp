#include "simulator/session/first_cell.hpp"

#include <algorithm>
#include <variant>

namespace hillock::session {

solver::CutFor cut_for_first(const models::Network& network, std::size_t cell) {
  solver::CutFor of{{}, network.cells[cell].name};
  of.bindings.size = 1;
  const auto population = std::ranges::find(network.populations, cell, &models::Population::cell);
  if (population != network.populations.end())
    of.bindings.size = static_cast<double>(population->size);
  return of;
}

models::Morphology shape_of_first(const models::Network& network, const models::CableCell& cell) {
  const auto* tree = std::get_if<models::RandomTree>(&cell.morphology);
  return tree ? models::grow(*tree, network.run.seed, CellId(0))
              : std::get<models::Morphology>(cell.morphology);
}

}  // namespace hillock::session
