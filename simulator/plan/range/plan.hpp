#pragma once
// What is simulated and where, in the model's terms: cells, nodes, mechanisms, instances with their
// values, ions, recorded variables. How it lies in memory is the business of a backend.

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "core/containers/one_or_many.hpp"
#include "core/ids.hpp"
#include "models/network.hpp"
#include "network/gap_pairs.hpp"
#include "network/inbox.hpp"
#include "simulator/plan/cells/cell_kind.hpp"
#include "simulator/plan/range/step_input.hpp"
#include "simulator/step/field_wave.hpp"
#include "simulator/step/samples.hpp"

namespace hillock::simulator {

class CellMaker;

/// The cells of one population.
struct PopulationPlan {
  PopulationId id;
  const CellMaker* cells = nullptr;  ///< makes their kinds
  std::string name;
  std::uint64_t size = 0;
  CellId first;
  const models::CableCell* cable = nullptr;  ///< of an artificial cell: a bare compartment
  bool is_artificial = false;
  bool is_point_neuron = false;  ///< an artificial cell that advances in every step
  models::PointStep step;        ///< of point neurons
  std::uint64_t seed = 0;
  double thermal_mV = 0;        ///< RT/F
  double v_init_mV = 0;         ///< where no region says otherwise
  bool begins_at_rest = false;  ///< the same: not there, but at rest
  /// The voltage of rest of each compartment of its first cell, where some begin there; null where
  /// it was not looked for, as nothing is to run.
  std::shared_ptr<const models::PlacedRows> rest;
  bool detects = false;
  double threshold_mV = 0;

  CellIdentity identity(std::uint64_t index) const;
};

/// The instances of one point process on the cells of a range, cell by cell.
struct PointSet {
  const mechanisms::Mechanism* mechanism = nullptr;
  std::vector<std::uint32_t> first{0};  ///< [cell + 1] cell c has first[c] … first[c + 1] - 1
  std::vector<std::int32_t> nodes;      ///< [instance]
  std::vector<std::uint32_t> merged;    ///< [instance] how many synapses it stands for
  std::vector<OneOrMany> values;        ///< [variable][instance], in the signature's order
  /// Connections that keep their arguments, cell by cell: the instances they lead to, and what the
  /// arguments begin with.
  std::vector<std::uint32_t> connection_instances;
  std::vector<OneOrMany> connection_arguments;  ///< [argument][connection], the weight first

  std::size_t count() const { return nodes.size(); }
};

/// The variable that a POINTER of one instance stands for, one of its own location, or that the end
/// of a gap junction gives.
struct PointerSource {
  enum class Kind { voltage, ion, variable };
  Kind kind = Kind::voltage;
  mechanisms::SharedQuantity quantity = mechanisms::SharedQuantity::current;  ///< ion
  std::size_t ion = 0;       ///< into RangePlan::ions
  std::size_t block = 0;     ///< variable: of this mechanism
  std::size_t variable = 0;  ///< variable: into its signature
  std::size_t instance = 0;  ///< variable: which one of the mechanism's on the cell
};

/// What the POINTERs of one mechanism stand for.
struct PointerPlan {
  std::size_t block = 0;
  std::size_t coupling = 0;            ///< into the mechanism's couplings
  std::vector<PointerSource> sources;  ///< [instance]
};

/// An ion of which something changes during a run in some cell of a range, or whose current is
/// read.
struct IonPlan {
  std::string ion;
  bool has_reversal = false;  ///< someone may ask for its reversal potential
  /// On which cells its numbers are part of a run's state, whoever else is in the range: those with
  /// a mechanism by which it changes, or with any that has to do with it, or all.
  enum class KeptBy { stirring, coupled, all };
  KeptBy kept_by = KeptBy::stirring;
  /// Where the reversal potential follows the concentrations.
  struct Nernst {
    std::uint32_t cell = 0;
    NodeId node;
    double factor_mV = 0;  ///< RT/(zF)

    auto operator<=>(const Nernst&) const = default;
  };
  std::vector<Nernst> nernst;  ///< by cell and node

  bool has(mechanisms::SharedQuantity quantity) const {
    return quantity != mechanisms::SharedQuantity::reversal || has_reversal;
  }
};

/// A parameter that follows a table in time: linear between rows, 0 outside.
struct Playback {
  std::size_t block = 0;
  std::size_t variable = 0;
  std::uint32_t instance = 0;                                     ///< of a point process
  const std::vector<std::pair<double, double>>* table = nullptr;  ///< (ms, value), rising
  bool is_density = false;
  std::uint32_t cell = 0;  ///< of a density mechanism: of the range
  NodeId node = {};        ///< of a density mechanism
};

/// What a potential outside is multiplied by at a time.
struct FieldInTime {
  step::FieldWave wave;
  const models::Waveform* table = nullptr;  ///< the model's; of no table null
  double factor = 1;                        ///< of runs that differ in it (FieldFactors)

  double at(double time_ms) const;
};

/// A potential outside one cell of a range.
struct FieldOnCell {
  std::uint32_t cell = 0;      ///< of the range
  std::uint32_t stimulus = 0;  ///< of the model
  std::uint32_t frame = 0;     ///< of the stimulus, which may have several
  FieldInTime in_time;
  std::vector<double> potential_mV;  ///< [node]
};

/// One summand of a recorded value.
struct ProbeTerm {
  step::Summand kind = step::Summand::constant;
  double factor = 1;           ///< constant: the value
  NodeId node;                 ///< voltage, membrane_current, ion, variable of a density mechanism
  std::size_t layer = 0;       ///< voltage: of the membrane, or from 1 on of an extracellular layer
  std::size_t block = 0;       ///< variable
  std::size_t variable = 0;    ///< variable
  std::uint32_t instance = 0;  ///< variable of a point process
  std::size_t ion = 0;         ///< into RangePlan::ions
  mechanisms::SharedQuantity quantity = mechanisms::SharedQuantity::current;  ///< ion
};

/// A column of a recording.
struct Probe {
  std::size_t recording = 0;
  std::size_t column = 0;        ///< among the recording's of this cell
  std::uint32_t cell = 0;        ///< of the range
  std::vector<ProbeTerm> terms;  ///< summed
};

/// A report has the weights of a projection's connections, by cell and source.
struct RecordedWeights {
  std::size_t report = 0;
  std::size_t projection = 0;
};

/// An end of a gap junction on a cell of a range: whose voltage, or another variable, is read
/// elsewhere, or where an instance reads what the other end has, or both.
struct GapEndPlan {
  static constexpr std::uint32_t none = network::GapEnd::none;

  std::uint32_t cell = 0;  ///< of the range
  NodeId node;
  std::uint32_t publishes = none;  ///< which of the rank's values of gap junctions this one is
  const models::PointerTarget* published = nullptr;  ///< publishes: what; null: the voltage
  PointerSource source;                              ///< publishes: where that is
  std::uint32_t reads = none;                        ///< which of the values goes to the instance
  std::size_t block = 0;                             ///< reads: of the instance
  std::size_t variable = 0;                          ///< reads: where the value goes
  std::uint32_t instance = 0;  ///< reads: as RangePlan::first_instance() counts
};

/// Where the wiring is on a cell of a range.
struct WiredCellPlan {
  std::uint32_t cell = 0;             ///< of the range
  std::size_t number = 0;             ///< of the wiring's
  std::uint32_t first_unknown = 0;    ///< of its unknowns
  std::vector<NodeId> nodes;          ///< [unknown of the cell]
  std::vector<std::uint32_t> layers;  ///< [unknown of the cell] 0: inside
  std::vector<double> ground_uS;  ///< [unknown of the cell] that its own matrix has of the wiring
  bool is_free = false;           ///< its only unknown is no voltage
};

/// Some cells of one population and all that is on them. Mechanisms are numbered: first the
/// densities of the cells' kind, then the point processes; such a number is called a block.
struct RangePlan {
  std::shared_ptr<const PopulationPlan> population;
  std::vector<std::uint64_t> indices;                  ///< [cell] in the population
  std::uint64_t work = 0;                              ///< a step's, in compartments, about
  std::vector<std::shared_ptr<const CellKind>> kinds;  ///< [cell]
  /// Of connections that are not made.
  bool may_have_synapses_anywhere = false;
  std::vector<PointSet> points;
  std::vector<IonPlan> ions;
  std::vector<PointerPlan> pointers;
  std::vector<Playback> playbacks;
  std::vector<FieldOnCell> fields;   ///< by cell, then as the model's stimuli
  std::vector<GapEndPlan> gap_ends;  ///< by cell
  std::vector<WiredCellPlan> wired;  ///< by cell
  std::vector<Probe> probes;         ///< by cell
  std::vector<RecordedWeights> recorded_weights;
  std::vector<network::FanInTable> projections, stimuli;  ///< mechanism: into points
  std::vector<network::DrivenCell> driven;                ///< table: into stimuli
  std::vector<StepInput> step_inputs;  ///< of point neurons, in the model's order

  std::size_t cell_count() const { return indices.size(); }
  std::size_t density_count() const { return kinds.front()->densities.size(); }
  std::size_t block_count() const { return density_count() + points.size(); }
  bool is_density(std::size_t block) const { return block < density_count(); }
  const mechanisms::Mechanism& mechanism(std::size_t block) const {
    return is_density(block) ? *kinds.front()->densities[block].mechanism
                             : *points[block - density_count()].mechanism;
  }
  CellIdentity identity(std::size_t cell) const { return population->identity(indices[cell]); }
  /// Instances of a block are counted through the cells in order; this is a cell's first. Of a
  /// density mechanism a cell has one on each of its nodes. Cost of those: the cells before.
  std::uint64_t first_instance(std::size_t block, std::size_t cell) const;
  /// The nodes of a block's instances on a cell.
  std::span<const std::int32_t> nodes_of(std::size_t block, std::size_t cell) const;
  /// The voltage at t = 0. Throws InvalidModel when it is outside its limits.
  double initial_voltage_mV(std::size_t cell, NodeId node, const CellIdentity& identity) const;
  /// A density mechanism's variable at the i-th of its nodes on a cell. Throws InvalidModel when it
  /// is outside its limits.
  double density_value(std::size_t block, std::size_t variable, std::size_t i, std::size_t cell,
                       const CellIdentity& identity) const;
};

/// What is on its way to the cells of a range, taken out of its plan. Tables of stimuli come after
/// those of projections.
network::Inbox take_inbox(RangePlan& plan);

/// The key of an instance's random draws, which no other instance of the run has.
double stream_key(std::uint64_t seed, CellId cell, const mechanisms::MechanismInfo& info,
                  std::int32_t node, std::size_t instance);

/// A parameter's value, which must lie within its limits wherever it is evaluated: throws
/// InvalidModel otherwise.
double checked(double number, const MechanismVariable& variable, const models::Value& value,
               const mechanisms::Mechanism& mechanism, const CellKind& kind, NodeId node);

}  // namespace hillock::simulator
