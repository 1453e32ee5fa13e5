#pragma once
// The cells of each population before anything is put on them: their kinds, and the order in which
// they stand side by side.

#include <cstdint>
#include <deque>
#include <map>
#include <memory>
#include <vector>

#include "mechanisms/registry.hpp"
#include "models/network.hpp"
#include "network/placement.hpp"
#include "simulator/activity.hpp"
#include "simulator/plan/plan.hpp"

namespace hillock::simulator {

/// This rank's cells of one population.
struct PopulationCells {
  std::shared_ptr<const PopulationPlan> plan;
  std::vector<std::uint64_t> indices;  ///< in the order in which they are laid out: like with like
  std::vector<const CellKind*> kinds;  ///< [place in that order]
};

/// A cell's shape and membrane; of an artificial cell a compartment on which nothing flows.
const models::CableCell& body_of(const models::Cell& cell);

/// Makes every kind of cell once; of random trees every cell is a kind of its own.
class CellMaker {
 public:
  /// Everything given must outlive the maker, and the maker what it makes.
  CellMaker(const models::Network& network, const mechanisms::Registry& mechanisms);

  /// Throws InvalidModel. progress: told of every cell.
  PopulationCells make(PopulationId population, network::CellSpan cells, int threads,
                       Activity& progress);

 private:
  const std::vector<const models::Locations*>& ends_used(const models::CableCell& cable);
  CellKind make_kind(const models::CableCell& cable, const models::Morphology& morphology,
                     const std::vector<const models::Locations*>& ends) const;

  const models::Network& network_;
  const mechanisms::Registry& mechanisms_;
  std::map<const models::CableCell*, std::vector<const models::Locations*>> ends_used_;
  std::deque<std::vector<CellKind>> kinds_;
  std::map<const models::CableCell*, const CellKind*> shared_kinds_;
};

}  // namespace hillock::simulator
