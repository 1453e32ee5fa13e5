#pragma once
// A whole validated model as plain data: cells, populations, projections, stimuli, recordings, run.

#include <array>
#include <cstdint>
#include <limits>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "core/errors/place.hpp"
#include "core/ids.hpp"
#include "core/units/constants.hpp"
#include "models/cell.hpp"
#include "models/field.hpp"
#include "models/point_list.hpp"
#include "models/potential.hpp"
#include "models/value.hpp"
#include "models/wiring.hpp"

namespace hillock::models {

/// Where the cells of a population lie, for distance-dependent connection and velocity.
struct Positions {
  enum class Kind {
    none,         ///< all at the origin
    uniform_box,  ///< drawn uniformly in [0, size) per axis, keyed by cell
    grid,         ///< x fastest, `counts` per axis, `spacing_um` apart
    list,         ///< given one by one
  };
  Kind kind = Kind::none;
  std::array<double, 3> size_um{};
  std::array<std::uint64_t, 3> counts{1, 1, 1};
  std::array<double, 3> spacing_um{};
  std::vector<std::array<double, 3>> list_um;
};

/// How cells are turned about where they stand, counterclockwise seen from an axis' end: about z,
/// then y, then x.
struct Rotations {
  enum class Kind {
    none,
    list,           ///< of each cell the angles about x, y and z, rad; one: of all
    about_an_axis,  ///< drawn uniformly, keyed by cell
    any,            ///< the same of all rotations
  };
  Kind kind = Kind::none;
  std::vector<std::array<double, 3>> angles_rad;
  int axis = 2;
};

/// How long a step of point neurons is: a whole number of the run's steps.
struct PointStep {
  double ms = 0;
  std::int64_t run_steps = 1;

  bool ends_at(std::int64_t run_step) const { return run_step % run_steps == 0; }
  /// How many have ended when so many of the run's have.
  std::int64_t ended_by(std::int64_t run_step) const { return run_step / run_steps; }
  /// The most that can end within so many of the run's.
  std::int64_t most_in(std::int64_t steps) const { return (steps + run_steps - 1) / run_steps; }
};

/// How cells are known in the output, where that is not by their population and number in it:
/// several populations may be one there.
struct NodeIdentity {
  std::string population;
  std::vector<std::uint64_t> ids;  ///< [cell]
  Place place;
};

struct Population {
  std::string name;
  std::size_t cell = 0;  ///< index in Network::cells
  std::uint64_t size = 0;
  Positions positions;
  Place place;
  std::optional<PointStep> step = {};  ///< of point neurons; without: the run's
  std::optional<NodeIdentity> nodes = {};
  Rotations rotations = {};

  /// What its spikes and reports are written under.
  const std::string& output_name() const { return nodes ? nodes->population : name; }
};

/// Cells [begin, end) of one population: "exc", "exc[3]", "exc[0:10]".
struct PopulationSlice {
  PopulationId population;
  std::uint64_t begin = 0;
  std::uint64_t end = 0;
  Place place;

  std::uint64_t size() const { return end - begin; }
};

/// A synapse on the target cell, or on the cell a spike stimulus drives.
struct Synapse {
  MechanismUse mechanism;
  Locations at;
  /// All shared synapses with equal parameters at one node of a cell are one instance.
  bool shared = false;
  /// Of a projection: its connections lead to points of this list of the network, of whose
  /// mechanism this is, and the rows of connections say which, and where these are. Nothing: to
  /// instances of their own.
  std::optional<std::size_t> points = {};
};

/// Whether a cell may connect to itself, and whether a pair may connect more than once.
enum class Autapses { forbidden, allowed };
enum class Multapses { forbidden, allowed };

/// The rows of a list that this process has, in the list's order: all of them or, on one of several
/// ranks, first those of its part of the file and then those onto its own cells.
struct ConnectionRows {
  std::vector<std::uint32_t> sources;  ///< counted from the start of the slice
  std::vector<std::uint32_t> targets;  ///< counted from the start of the slice
  std::vector<double> weights;         ///< empty: the projection's
  std::vector<double> delays_ms;       ///< empty: the projection's
  /// Where on its target each one's synapse lies: the branch's number in the cell, and how far
  /// along it. Empty: the synapse says where.
  std::vector<std::uint32_t> branches;
  std::vector<double> positions;
  std::uint64_t listed = 0;  ///< rows of the whole list
  /// What its arguments of NET_RECEIVE behind the weight begin with: [argument][row]. Empty: as the
  /// projection says.
  std::vector<std::vector<double>> arguments = {};
  std::vector<std::uint32_t> points = {};  ///< onto a PointList: which point; else empty

  std::size_t size() const { return sources.size(); }
  std::size_t bytes_a_row() const;
  /// The rows, which are gone from here then; how many the list has stays.
  ConnectionRows take();
};

/// Connection rules, by the field's names (Senk et al. 2022).
struct ConnectionRule {
  enum class Kind {
    one_to_one,
    all_to_all,
    pairwise_bernoulli,
    fixed_indegree,
    fixed_outdegree,
    fixed_total_number,
    list,
  };
  Kind kind = Kind::all_to_all;
  Value probability = 0.0;   ///< pairwise_bernoulli
  std::uint64_t number = 0;  ///< indegree, outdegree or total
  ConnectionRows rows;       ///< list
  Autapses autapses = Autapses::forbidden;
  Multapses multapses = Multapses::forbidden;
  Place place;
};

/// base + distance between the cells / velocity.
struct Delay {
  Value base_ms = 0.0;
  std::optional<double> velocity_um_per_ms;
  Place place;
};

/// A junction between a place on the source and a place on the target. The mechanism of a side
/// reads the other side's voltage of the step's beginning as `vgap`.
struct GapJunction {
  /// The mechanism of both sides of a junction that is a conductance.
  static constexpr const char* ohmic = "gap";

  Value g_uS = 0.0;                       ///< of a junction without a mechanism
  std::optional<MechanismUse> mechanism;  ///< on the target
  /// The junction leads to points of this list of the network, of whose mechanism `mechanism` is,
  /// and the rows of connections say which; where these also say places, they are the source's
  /// (`peer_at` is listed then).
  std::optional<std::size_t> points = {};
  /// What `mechanism` reads on the source in place of its voltage: into Network::pointer_targets.
  std::optional<std::size_t> reads;
  std::optional<MechanismUse> peer_mechanism;  ///< on the source; without: it feels nothing
  Locations at;                                ///< on the target
  Locations peer_at;                           ///< on the source
  Place place;

  /// Whether the source has a side of it, too.
  bool is_mutual() const { return !mechanism || peer_mechanism; }
};

/// Spike-timing-dependent plasticity of synapses onto point neurons (Morrison, Diesmann and
/// Gerstner 2008; the powers of Guetig et al. 2003). Weights stay between 0 and w_max.
struct Stdp {
  enum class Pairing { all_to_all, nearest };
  /// Where the delay lies: a dendritic one is that of the neuron's own spikes back to the synapse,
  /// and of what the synapse gives to the neuron; an axonal one is before the synapse.
  enum class DelayKind { dendritic, axonal };

  double tau_plus_ms = 20;
  double tau_minus_ms = 20;
  double lambda = 0.01;  ///< a potentiation at most, as a part of w_max
  double alpha = 1;      ///< a depression's, as a part of lambda
  double mu_plus = 1;    ///< 0: additive, 1: multiplicative
  double mu_minus = 1;
  double w_max = 0;  ///< in the weight's unit; negative where weights are
  Pairing pairing = Pairing::all_to_all;
  DelayKind delay = DelayKind::dendritic;
};

struct Projection {
  std::string name;  ///< as given, else "from->to"
  PopulationSlice from;
  PopulationSlice to;
  ConnectionRule connect;
  /// A synapse on cable cells; nothing for point neurons, whose weights add to their input, and
  /// for artificial cells, which take events themselves.
  std::variant<std::monostate, Synapse, GapJunction> link;
  Value weight = 0.0;  ///< in the synapse's weight unit
  /// Of NET_RECEIVE, behind the weight, in their units; empty: all begin at 0.
  std::vector<Value> arguments;
  Delay delay;
  std::optional<Stdp> stdp;  ///< onto point neurons
  Place place;
};

/// (ms, number), times not falling: linear between rows, 0 before the first and after the last.
using Waveform = std::vector<std::pair<double, double>>;

/// Current injected through an electrode: nA, into a point neuron in the unit of what it names
/// ELECTRODE_CURRENT.
struct CurrentClamp {
  enum class Kind { pulses, ramp, waveform };
  Kind kind = Kind::pulses;
  Value amplitude = 0.0;
  Value start_ms = 0.0;
  Value duration_ms = 0.0;      ///< of one pulse, or of the ramp
  Value period_ms = 0.0;        ///< pulses: from one start to the next
  Value count = 1.0;            ///< pulses
  Value final_amplitude = 0.0;  ///< ramp: from amplitude to it
  std::vector<Waveform> waveforms;
  Value which = 0.0;  ///< waveform: a cell's, counted from 0
  Locations at;       ///< not of point neurons
};

/// A voltage clamp through a series resistance: one level after the other, then off.
struct VoltageClamp {
  std::vector<Value> levels_mV;
  std::vector<Value> durations_ms;
  Value rs_MOhm = 1.0;
  Locations at;
};

/// From when to when a stimulus is there.
struct Period {
  Value start_ms = 0.0;
  Value stop_ms = std::numeric_limits<double>::infinity();
};

/// Independent Poisson trains, one for each target cell.
struct PoissonSource {
  Value rate_Hz = 0.0;
  Period period = {};
};

/// Events at given times.
struct SpikeTimes {
  std::vector<double> times_ms;  ///< for every target cell, when `per_cell` is empty
  std::vector<std::vector<double>>
      per_cell;  ///< [cell of the slice], from a CSV with a cell column
};

/// Events into a synapse on each target cell, or into the cell itself.
struct EventSource {
  std::variant<PoissonSource, SpikeTimes> source;
  Synapse synapse;               ///< without a name for cells that take events themselves
  Value weight = 0.0;            ///< in the synapse's weight unit
  std::vector<Value> arguments;  ///< as a projection's
  Value delay_ms = 0.0;
};

/// A point process that no connection reaches, on each target cell: an electrode or a pump of the
/// user's own.
struct PlacedPoint {
  Synapse point;
};

/// A potential outside cells with a cable, which others make.
struct Field {
  std::variant<FieldOfPoints, std::shared_ptr<const FieldOnGrid>,
               std::shared_ptr<const FieldOfNodes>, Value>
      potential;  ///< a value: of x, y and z or by compartment, in mV
  Value scale = 1.0;
  /// A number that it is multiplied by; of a clamp all but where it is.
  std::variant<CurrentClamp, SineWave> waveform;
  /// Of nodes with several frames, what each is multiplied by, instead of the waveform.
  std::vector<Waveform> frames;
};

/// A fresh normal draw for each point neuron at each step.
struct GaussianInput {
  Value mean = 0.0;
  Value sd = 1.0;
  Period period = {};
};

/// A parameter of a density mechanism follows a table: (ms, value), times not falling; linear
/// between rows, beyond them the first and the last.
struct PlayedParameter {
  std::string mechanism, variable;
  Waveform table;
  std::vector<Locations> at;
};

struct Stimulus {
  std::string name;
  PopulationSlice to;
  std::variant<CurrentClamp, VoltageClamp, EventSource, GaussianInput, PlacedPoint,
               std::shared_ptr<const Field>, PlayedParameter>
      kind;
  Place place;
};

/// What a recording takes at each sample.
struct RecordedVariable {
  enum class Kind {
    voltage,             ///< v, mV
    membrane_current,    ///< i_membrane, nA, capacitive part included, electrodes excluded
    mechanism_variable,  ///< "hh.m", "expsyn.g"
    ion_variable,        ///< "ina" (total over mechanisms), "ena", "cai", "cao"
    weight,              ///< of every connection of a projection with plasticity
    layer_potential,     ///< "vext[0]", mV, of an extracellular layer
  };
  Kind kind = Kind::voltage;
  std::string mechanism;       ///< "hh"
  std::string variable;        ///< "m", or the ion variable's whole name
  std::string unit_text;       ///< for the report's `units` attribute
  std::size_t projection = 0;  ///< weight: whose
  std::size_t layer = 0;       ///< layer_potential: from the membrane outwards
};

/// Some of a list of points, by their numbers in it.
struct PointSlice {
  std::size_t list = 0;
  std::uint64_t begin = 0, end = 0;
};

struct Recording {
  enum class Type { float32, float64 };
  std::string name;
  PopulationSlice of;  ///< of points: the cells from the first to the last that has one
  std::optional<PointSlice> points;  ///< of which each is a column; `at` means nothing then
  /// Nothing: record spikes.
  std::optional<RecordedVariable> variable;
  /// What the variable, the membrane current of all compartments, comes to outside. Shared by the
  /// slices of one record.
  std::shared_ptr<const Potential> potential;
  /// Of a potential, whose currents a column is of.
  enum class By {
    all,         ///< of the whole record's
    population,  ///< the same, and beside it those of each population
    cell,
  };
  By by = By::all;
  /// Of a potential: a sample is the mean over the steps that end in it, else what there is then.
  bool is_mean = false;
  Locations at;
  double every_ms = 0;
  double start_ms = 0;
  double stop_ms = 0;
  Type type = Type::float32;
  int gzip_level = 0;
  Place place;
};

/// The name of a population's part of a report.
inline std::string name_of_part(const std::string& report, const std::string& population) {
  return report + "." + population;
}

enum class Integrator { backward_euler, crank_nicolson };
enum class SpikeTime { interpolated, grid };
/// Which numbers a run computes with. mixed: floats for mechanisms (on the CPU, for their gates and
/// rates), doubles for voltages and what they are solved from.
enum class Precision { full, mixed, single };
constexpr const char* name_of(Precision precision) {
  return precision == Precision::full    ? "double"
         : precision == Precision::mixed ? "mixed"
                                         : "single";
}

/// Which cells a rank of several has.
enum class PlacementKind {
  cost,         ///< neighbours in the file's order, ranks taking about the same time
  blocks,       ///< of every population neighbours, as many on each rank
  round_robin,  ///< one after the other
};

constexpr const char* name_of(PlacementKind kind) {
  return kind == PlacementKind::cost     ? "cost"
         : kind == PlacementKind::blocks ? "blocks"
                                         : "round_robin";
}

/// The time that mechanisms see is a sum of half steps, from what it is at a step's beginning.
struct Clock {
  std::int64_t step = 0;
  double at_ms = 0;
};

struct Run {
  double duration_ms = 0;
  double dt_ms = 0.025;
  std::uint64_t seed = 1;
  double temperature_degC = 6.3;
  double v_init_mV = -65;
  bool begins_at_rest = false;  ///< cells begin at their voltage of rest, looked for from v_init_mV
  Integrator integrator = Integrator::backward_euler;
  SpikeTime spike_time = SpikeTime::interpolated;
  Precision precision = Precision::full;
  PlacementKind placement = PlacementKind::cost;
  Constants constants = Constants::codata2018;
  std::int64_t steps = 0;  ///< duration / dt
  std::optional<Clock> clock;
  Place place;
  // What is asked of whoever runs it, who knows what the words mean.
  std::string solver = "auto";
  Place solver_place;                    ///< where it is asked for
  std::vector<std::string> propagation;  ///< take turns, an epoch each; empty: who runs it chooses

  /// RT/F, mV.
  double thermal_mV() const {
    const PhysicalConstants of = constants_of(constants);
    return 1000 * of.gas * (temperature_degC + 273.15) / of.faraday;
  }
};

/// The variable that a POINTER stands for, or a gap junction reads: "v", "cai", or "hh.m", at the
/// same place or at the junction's end.
struct PointerTarget {
  std::string text;
  Place place;
};

/// A file the model was read from, for provenance.
struct InputFile {
  std::string path;     ///< as named by the model
  std::string content;  ///< empty where only its hash was kept
  std::string sha256;   ///< of a file whose content was not kept
};

struct Network {
  Run run;
  std::vector<Cell> cells;
  std::vector<Population> populations;
  std::vector<PointList> points;
  std::vector<Projection> projections;
  std::vector<Stimulus> stimuli;
  std::vector<Recording> recordings;
  std::optional<Wiring> wiring;
  /// Whether something depends on a cell's number in its population, on the population's size, or
  /// on where the cell lies.
  bool goes_by_number = false;
  /// What POINTERs stand for, of which a mechanism's parameter of that name holds the index, and
  /// what gap junctions read.
  std::vector<PointerTarget> pointer_targets;
  std::vector<InputFile> inputs;  ///< the model file first, then what it includes and names

  /// The first cell's id of a population: cells count through all populations in order.
  CellId first_cell(PopulationId population) const;
  /// [population] of all of them at once.
  std::vector<CellId> first_cells() const;
  /// The population of a cell, and which of its cells it is.
  std::pair<PopulationId, std::uint64_t> population_of(CellId cell) const;
  std::uint64_t cell_count() const;
  /// The cells, [first, behind), that only pass on what reaches them: they stand for others.
  std::vector<std::pair<CellId, CellId>> relays() const;
  /// What the delays of its spikes are at least, ms: dt, or 0 where they have the time at which a
  /// step ends, so that they are known before the next one begins.
  double least_delay_ms(PopulationId source) const;
  /// Of a population of point neurons.
  PointStep step_of(PopulationId population) const;
};

}  // namespace hillock::models
