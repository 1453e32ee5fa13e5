#pragma once
// The whole of what a rank simulates: ranges of cells with all that is on them, what is recorded,
// when.

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "mechanisms/registry.hpp"
#include "models/network.hpp"
#include "models/report.hpp"
#include "network/arrival.hpp"
#include "network/gap_pairs.hpp"
#include "network/placement.hpp"
#include "simulator/plan/network/arithmetic.hpp"
#include "simulator/plan/network/epoch_length.hpp"
#include "simulator/plan/network/guests.hpp"
#include "simulator/plan/network/point_weights.hpp"
#include "simulator/plan/network/population_cells.hpp"
#include "simulator/plan/range/plan.hpp"
#include "simulator/plan/range/wired_cells.hpp"
#include "simulator/step/cell_step.hpp"
#include "simulator/step/integrators.hpp"
#include "simulator/step/samples.hpp"
#include "simulator/threads/activity.hpp"
#include "solver/potential/products.hpp"

namespace hillock::simulator {

using step::SampleTimes;

/// What is the same for all cells of a run.
struct RunConstants {
  double dt_ms = 0;
  std::int64_t steps = 0;  ///< of the whole run
  /// What mechanisms see at the boundaries from a step on; or nothing, and they see multiples of
  /// dt.
  std::vector<double> clock_ms;
  std::int64_t clock_begins = 0;
  double celsius = 0;
  models::Integrator integrator = models::Integrator::backward_euler;
  models::SpikeTime spike_time = models::SpikeTime::interpolated;
  std::string solver = "auto";  ///< as the model has it, and so propagation
  models::Precision precision = models::Precision::full;
  std::vector<std::string> propagation;
  bool saves_assigned = false;  ///< as a part of the state, of all cells
  bool has_pointers = false;    ///< to variables of mechanisms, or gap junctions that read some
  const mechanisms::GivenDraws* given_draws = nullptr;
  const Guests* guests = nullptr;         ///< null: there are none
  std::vector<SampleTimes> samples;       ///< [recording]
  PointWeights weights;                   ///< known when all ranges are made
  std::vector<double> longest_onto_ms;    ///< [population] delays where none are made; or nothing
  std::vector<const models::Stdp*> stdp;  ///< [projection], null where weights stay

  network::Boundaries boundaries() const {
    return {dt_ms, clock_ms.data(), clock_begins, static_cast<long long>(clock_ms.size())};
  }
  /// The time at a step's beginning and middle, as mechanisms see it.
  double boundary_ms(std::int64_t step) const { return boundaries().boundary_ms(step); }
  double spike_boundary_ms(std::int64_t step) const { return boundaries().spike_boundary_ms(step); }
  double middle_ms(std::int64_t step) const { return boundaries().middle_ms(step); }
  /// From where a step begins to where its solve leads.
  double implicit_ms(double step_ms) const { return step_ms * step::implicit_steps(integrator); }
  double implicit_dt_ms() const { return implicit_ms(dt_ms); }
  mechanisms::Arithmetic arithmetic() const { return arithmetic_of(precision); }
  mechanisms::KernelTime at(double time_ms) const { return at(time_ms, dt_ms); }
  mechanisms::KernelTime at(double time_ms, double step_ms) const {
    return {time_ms, step_ms, celsius, implicit_ms(step_ms), given_draws};
  }
};

/// Whether connections and their synapses are made, only counted from their rules, or left out:
/// everything else is then built, and cannot be run.
enum class Connections { made, expected, left_out };

/// What connections and the synapses they lead to take, in bytes.
struct ConnectionMemory {
  std::uint64_t kept = 0;         ///< for the whole run
  std::uint64_t packed_away = 0;  ///< of these, until all are made
  std::uint64_t rings = 0;        ///< beyond these, of point neurons, when all are made
  std::uint64_t building = 0;     ///< beyond that, while those onto one range are made
  std::uint64_t connectors = 0;   ///< beyond that, until the last are made
  std::uint64_t preparing = 0;    ///< the most while the connectors are made, before all that

  /// With that of the next projection, onto cells of a population. A range has cells of one.
  void add(const ConnectionMemory& next, PopulationId to);

 private:
  std::vector<std::uint64_t> building_onto_;  ///< [population]
};

/// What is on its way and is handed out when all sources of a projection spike within half a
/// millisecond: expected numbers.
struct BurstEvents {
  PopulationId to;           ///< whose cells get them
  double on_their_way = 0;   ///< entries of an inbox
  double on_a_range = 0;     ///< events of one epoch onto the cells of a range
  double of_an_arrival = 1;  ///< how many of them come of an entry
};

/// The columns that one recording has of one range's cells.
struct RecordedCells {
  std::size_t report = 0;
  std::vector<std::uint64_t> indices;      ///< [cell that it is of] in the population
  std::vector<std::uint32_t> counts;       ///< [cell that it is of] of its columns
  std::vector<std::uint32_t> element_ids;  ///< [column], as in models::ReportLayout
  std::vector<float> element_pos;          ///< [column]
  /// Of a potential: cell by cell a map (solver/potential/products.hpp).
  solver::PotentialArray potentials;
};

/// How the currents of a recording's columns become potentials.
struct PotentialPlan {
  std::size_t report = 0;
  std::shared_ptr<const models::Potential> of;
  SampleTimes times;        ///< of potentials; RunConstants::samples has those of currents
  bool is_mean = false;     ///< of currents since the sample before
  bool is_by_cell = false;  ///< each cell has columns of its own, else cells are added
  /// Whether an engine may make sums of currents.
  bool may_be_summed() const { return !is_mean && !is_by_cell; }
  /// A cell's columns, which follow those of the one before, and its map.
  struct Cell {
    std::size_t columns = 0;
    const double* map = nullptr;
  };
  std::vector<Cell> cells;
  std::vector<solver::PotentialArray> maps;  ///< what the cells' are in; empty: they are not made
};

/// What a range came to when it was made.
struct RangeMade {
  PopulationId population;
  std::size_t kind_bytes = 0;  ///< of kinds that no other range has
  std::uint64_t connections = 0;
  std::uint64_t stimulus_synapses = 0;
  double shortest_delay_ms = 0;  ///< 0 without connections
  /// Without those of point neurons onto point neurons of the same rank.
  double shortest_told_delay_ms = 0;
  double longest_delay_ms = 0;
  std::vector<LateSpikes> late;    ///< with the delays of those that come here
  std::vector<bool> source_ranks;  ///< [rank] whether its cells project here; empty of one rank
  RangeWeights weights;            ///< of point neurons
  std::vector<RecordedCells> recorded;
};

struct RangeSources;

/// Its ranges are made one by one, whenever the engine is ready for one, so that the plan of the
/// whole network never stands at once: outline_network(), make_range() of every range, complete().
struct NetworkPlan {
  NetworkPlan();
  NetworkPlan(NetworkPlan&&) noexcept;
  NetworkPlan& operator=(NetworkPlan&&) noexcept;
  ~NetworkPlan();

  std::unique_ptr<CellMaker> cells;  ///< makes the cells' kinds, and again for messages
  std::vector<std::shared_ptr<const PopulationPlan>> populations;
  std::unique_ptr<RangeSources> sources;
  std::vector<RangePlan> ranges;  ///< of one population each, in its order: with their cells alone
  std::vector<RangeMade> made;    ///< [range]
  /// Of potentials: of the currents that they are made of.
  std::vector<models::ReportLayout> reports;
  std::vector<PotentialPlan> potentials;
  RunConstants run;
  Connections how = Connections::made;
  std::uint64_t compartments = 0;
  std::uint64_t connections = 0;
  std::uint64_t synapses = 0;
  bool has_gap_junctions = false;           ///< some projection is made of them
  bool states_follow_gaps = false;          ///< Engine::follow_gaps() belongs to every step
  std::shared_ptr<const WiredCells> wired;  ///< null: there is no wiring
  bool gaps_carry_variables = false;   ///< some give others than voltages, which do not stay until
                                       ///< the next step when states have gone on
  std::uint64_t gap_junctions = 0;     ///< of the whole network
  network::GapValues gap_values;       ///< of those that have an end here
  std::size_t kind_bytes = 0;          ///< the most that the kinds of one range alone take
  ConnectionMemory connection_memory;  ///< of Connections::expected
  /// [projection], in epochs of that length; of Connections::expected
  std::vector<std::function<BurstEvents(double epoch_ms)>> bursts;
  double shortest_delay_ms = 0;       ///< 0 without connections
  double shortest_told_delay_ms = 0;  ///< as RangeMade has it
  double longest_delay_ms = 0;
  std::vector<LateSpikes> late;    ///< of all populations that make some
  std::vector<bool> source_ranks;  ///< [rank] whether its cells project to these
};

struct PlanOptions {
  const network::Placement* placement = nullptr;  ///< must not be null, and outlive the plan
  int threads = 1;
  Connections connections = Connections::made;
  Activity* activity = nullptr;  ///< told of every phase; must not be null
  Rest rest = {};                ///< of a network that is to run
  /// Where this is given, cells and reports are of this population alone; the others are null in
  /// NetworkPlan::populations, and no late spikes are looked for.
  std::optional<PopulationId> only = {};
  std::shared_ptr<const OfPopulations> of = {};  ///< the network's; null: it is found here
  bool saves_assigned = false;  ///< RunConstants::saves_assigned, whatever the network has
  const mechanisms::GivenDraws* given_draws = nullptr;
  const Guests* guests = nullptr;
};

/// The network and the mechanisms must outlive the plan. Throws InvalidModel.
NetworkPlan outline_network(const models::Network& network, const mechanisms::Registry& mechanisms,
                            const PlanOptions& options);

/// Makes a range, once. Ranges may be made at the same time. Throws InvalidModel. progress: told of
/// every connection.
RangePlan make_range(NetworkPlan& plan, std::size_t range, Activity& progress);

/// Into how many ranges so many cells of one of so many ranks are cut.
std::uint64_t wanted_ranges(std::uint64_t compartments, std::uint64_t cells, int threads,
                            int ranks);

/// [range] about how much it is, in any unit.
std::vector<std::uint64_t> work_of_ranges(const NetworkPlan& plan);

/// When all ranges are made: counts them, and gives reports their columns. Throws InvalidModel.
void complete(NetworkPlan& plan);

/// Instead of making connections: counts what would be made. Throws InvalidModel.
void expect_projections(const models::Network& network, const mechanisms::Registry& mechanisms,
                        NetworkPlan& plan);

/// After join_recordings(): gives reports of weights as many columns as are expected, which are no
/// cell's.
void expect_recorded_weights(const models::Network& network, NetworkPlan& plan);

/// When what is recorded, without the columns. recording: of a variable; its report is the next.
void outline_recording(const models::Network& network, const models::Recording& recording,
                       NetworkPlan& plan);
/// Finds the numbers behind each column that reports have of a range. Throws InvalidModel.
/// makes_maps: else potentials have their columns alone.
std::vector<RecordedCells> add_probes(const RangeSources& sources, RangePlan& range,
                                      bool makes_maps);
/// Gives reports their columns.
void join_recordings(NetworkPlan& plan);

}  // namespace hillock::simulator
