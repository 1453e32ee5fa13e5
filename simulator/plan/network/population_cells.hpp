#pragma once
// The cells of each population before anything is put on them: the order in which they stand side
// by side, and their kinds.

#include <cstdint>
#include <map>
#include <memory>
#include <span>
#include <utility>
#include <vector>

#include "mechanisms/registry.hpp"
#include "models/network.hpp"
#include "network/placement.hpp"
#include "simulator/plan/range/of_populations.hpp"
#include "simulator/plan/range/plan.hpp"
#include "simulator/threads/activity.hpp"

namespace hillock::simulator {

/// [population] the voltages of rest, as PopulationPlan has them; or empty.
using Rest = std::vector<std::shared_ptr<const models::PlacedRows>>;

/// This rank's cells of one population.
struct PopulationCells {
  std::shared_ptr<const PopulationPlan> plan;
  std::vector<std::uint64_t> indices;  ///< in the order in which they are laid out: like with like
  std::uint64_t compartments = 0;
};

/// A cell's shape and membrane; of an artificial cell a compartment on which nothing flows.
const models::CableCell& body_of(const models::Cell& cell);

/// Makes kinds of cells: of random trees every cell is a kind of its own, as are cells that differ
/// in cm or Ra: made when they are asked for and forgotten by this; other kinds are made once.
class CellMaker {
 public:
  /// Everything given must outlive the maker, and the maker the plans of its populations.
  CellMaker(const models::Network& network, const mechanisms::Registry& mechanisms,
            std::shared_ptr<const OfPopulations> of, Rest rest = {});

  /// Puts a population's cells in order. Throws InvalidModel. progress: told of every cell.
  PopulationCells order(PopulationId population, const network::CellSet& cells, int threads,
                        Activity& progress);
  /// The kinds of some cells of a population that order() has seen. Thread-safe. Throws
  /// InvalidModel.
  std::vector<std::shared_ptr<const CellKind>> kinds_of(
      const PopulationPlan& population, std::span<const std::uint64_t> indices) const;

 private:
  /// What cells of one random tree are put together from.
  struct Path {
    std::shared_ptr<const CellKind> kind;  ///< of solver::level_path(deepest)
    std::shared_ptr<const std::vector<solver::BranchName>> names;
    int deepest = -1;
  };

  void order_by_cut(const models::CableCell& cable, const network::CellSet& cells, int threads,
                    Activity& progress, PopulationCells& ordered) const;
  std::vector<std::shared_ptr<const CellKind>> variants(
      const PopulationPlan& population, std::span<const std::uint64_t> indices) const;
  void make_path(const models::CableCell& cable, int deepest, std::size_t most_branches);
  CellKind make_kind(const models::CableCell& cable, const models::Morphology& morphology,
                     const solver::CutFor& of) const;
  CellKind make_random_kind(const PopulationPlan& population, std::uint64_t index) const;
  void mark_ends(const models::CableCell& cable, CellKind& kind) const;

  const models::Network& network_;
  const mechanisms::Registry& mechanisms_;
  std::shared_ptr<const OfPopulations> of_;
  Rest rest_;
  std::map<const models::CableCell*, const EndsInUse*> ends_used_;
  /// Of all cells, or, where these differ in cm or Ra, of the first.
  std::map<const models::CableCell*, std::shared_ptr<const CellKind>> shared_kinds_;
  std::map<const models::CableCell*, Path> paths_;
};

}  // namespace hillock::simulator
