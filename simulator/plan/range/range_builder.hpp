#pragma once
// Puts on a range of cells all that the model says: artificial cells' own mechanisms, the synapses
// of projections, stimuli; then ions and POINTERs.

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "network/connectivity.hpp"
#include "network/gap_pairs.hpp"
#include "simulator/plan/range/of_populations.hpp"
#include "simulator/plan/range/range_draft.hpp"
#include "simulator/plan/range/wired_cells.hpp"
#include "simulator/threads/activity.hpp"

namespace hillock::simulator {

/// What all ranges are built from. Everything given outlives it.
struct RangeSources {
  const models::Network& network;
  const mechanisms::Registry& mechanisms;
  /// [projection]; null: not made, for what is only to be looked at.
  std::vector<std::unique_ptr<const network::Connector>> connectors;
  std::unique_ptr<const network::GapTable> gaps;  ///< null: there are none, or none are made
  const network::Placement& placement;
  std::shared_ptr<const OfPopulations> of;
  std::shared_ptr<const WiredCells> wired;  ///< null: there is no wiring
  bool only;                                ///< one population is laid out, and its reports alone
};

/// Fills a plan that has its population, cells and kinds. Ranges may be built at the same time.
/// Throws InvalidModel. made: told of every connection.
void build_range(const RangeSources& sources, RangePlan& plan, Activity& made);

/// Of an artificial cell the mechanism that it is, else null.
const models::MechanismUse* mechanism_of_cells(const models::Network& network,
                                               PopulationId population);

class OneStimulus;

/// Puts the stimuli on the draft's cells, cell by cell. Throws InvalidModel.
class StimulusBuilder {
 public:
  /// numbers: the stimuli of the range's population.
  StimulusBuilder(RangeDraft& draft, std::span<const std::uint32_t> numbers);
  ~StimulusBuilder();
  void add_to_cell();
  /// After the last cell: the tables of what stimuli drive.
  void finish();

 private:
  RangeDraft& draft_;
  std::vector<std::unique_ptr<OneStimulus>> stimuli_;  ///< that reach a cell of the range
  std::vector<std::vector<std::uint32_t>> of_cell_;    ///< [cell] into `stimuli_`; or nothing
};

/// Finds the ions that change on the range. Throws InvalidModel when two mechanisms set one
/// variable of an ion at one place.
void add_ions(const models::Network& network, RangePlan& plan);

/// Finds what POINTERs stand for, after add_ions(), and gives every instance that draws random
/// numbers a key of its own. Throws InvalidModel.
void add_pointers(const models::Network& network, RangePlan& plan);

}  // namespace hillock::simulator
