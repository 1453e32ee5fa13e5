#pragma once
// A small group of cells, one a lane, as plain data, and the interface of what runs it.
// Nothing here knows YAML; nothing here knows a backend.

#include <cstdint>
#include <memory>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "core/ids.hpp"
#include "core/lane_array.hpp"
#include "mechanisms/catalogue.hpp"
#include "models/network.hpp"
#include "network/events.hpp"
#include "solver/lanes/lane_tree.hpp"

namespace hillock::simulator {

/// The variable that a POINTER of one instance stands for.
struct PointerSource {
  enum class Kind { itself, voltage, ion, variable };
  Kind kind = Kind::itself;  ///< itself: the instance's own column, of instances that fill a lane
  std::size_t block = 0;     ///< variable: mechanism block; ion: into GroupPlan::ions
  mechanisms::PlaceQuantity quantity = mechanisms::PlaceQuantity::current;  ///< ion
  std::size_t index = 0;  ///< into the array or the block's columns
};

/// One mechanism's instances in a group. Layouts are those of mechanisms::InstanceBlock.
struct MechanismBlock {
  const mechanisms::Mechanism* mechanism = nullptr;
  std::size_t count = 0;       ///< instances in each lane
  std::vector<int> nodes;      ///< rows; density: [instance]; point processes: [instance][lane]
  LaneArray area_factors;      ///< density: [instance], or [instance][lane] with own_areas
  bool own_areas = false;      ///< 0 in lanes where the mechanism is not
  bool aligned = false;        ///< point processes: an instance has one row in all lanes
  LaneArray columns;           ///< [variable][instance][lane]
  bool keep_assigned = false;  ///< a recording wants assigned variables
  bool is_pointed_at = false;  ///< a POINTER stands for one of its variables
  /// [coupling][instance·lanes + lane], empty where the coupling is no pointer; empty: no pointers.
  std::vector<std::vector<PointerSource>> pointers;
  /// Point processes: how many synapses an instance stands for; empty: one each. [instance][lane]
  std::vector<std::uint32_t> merged;
  /// Arguments of the connections, where they keep them: from each connection's slot on.
  std::vector<double> arguments;
  /// Slots of the connections to instance i in lane l: connections[first_connection[i·lanes + l]]
  /// to that of the next one; both empty where connections keep nothing.
  std::vector<unsigned> connections;
  std::vector<std::uint32_t> first_connection;
};

/// An ion of which something changes during a run in some cell of a group, or whose current is
/// read. Arrays: [row + 1][lane], the last row for instances that only fill a lane.
struct IonBlock {
  std::string ion;
  LaneArray current_mA_per_cm2;  ///< the sum over mechanisms; 0 at first
  LaneArray reversal_mV;
  LaneArray inside_mM;
  LaneArray outside_mM;
  /// Where the reversal potential follows the concentrations: index, and RT/(zF) in mV.
  std::vector<std::pair<std::size_t, double>> nernst;

  /// The array of one of the four quantities.
  LaneArray& values(mechanisms::PlaceQuantity quantity);
};

/// A parameter that follows a table in time: linear between rows, 0 outside.
struct Playback {
  std::size_t block = 0;
  std::size_t column_index = 0;                                   ///< into the block's columns
  const std::vector<std::pair<double, double>>* table = nullptr;  ///< (ms, value), rising
};

/// One summand of a recorded value.
struct ProbeTerm {
  enum class Kind { constant, voltage, membrane_current, variable, ion };
  Kind kind = Kind::constant;
  std::size_t block = 0;  ///< variable; ion: into GroupPlan::ions
  std::size_t index = 0;  ///< variable: into the block's columns; else row·lanes + lane
  double factor = 1;      ///< constant: the value
  mechanisms::PlaceQuantity quantity = mechanisms::PlaceQuantity::current;  ///< ion
};

/// A column of a recording that this group fills.
struct Probe {
  std::size_t recording = 0;
  std::size_t column = 0;
  std::vector<ProbeTerm> terms;  ///< summed
};

/// When a recording is sampled, in steps.
struct SampleTimes {
  std::int64_t first = 0;
  std::int64_t every = 1;
  std::int64_t count = 0;

  bool contains(std::int64_t step) const {
    return step >= first && (step - first) % every == 0 && (step - first) / every < count;
  }
  /// Samples that lie at steps up to and including `step`.
  std::int64_t up_to(std::int64_t step) const {
    if (step < first) return 0;
    const std::int64_t n = (step - first) / every + 1;
    return n < count ? n : count;
  }
};

/// Everything a backend needs to run one group.
struct GroupPlan {
  std::vector<std::shared_ptr<const solver::Template>> cells;  ///< [used lane]
  solver::LaneTree tree;
  int lanes = 1;
  PopulationId population;
  std::string population_name;
  std::vector<std::uint64_t> indices;  ///< [used lane] cell's index in the population
  CellId first_id;                     ///< of the population
  LaneArray v_init_mV;                 ///< [row][lane]
  std::vector<MechanismBlock> blocks;
  std::vector<IonBlock> ions;
  std::vector<Playback> playbacks;
  std::vector<Probe> probes;
  std::vector<int> detector_rows;  ///< [used lane]; empty: these cells never spike
  double threshold_mV = 0;

  CellId id_of(std::size_t lane) const { return CellId(first_id.value + indices[lane]); }
  /// The row of a node that something is put on or recorded at.
  int row_of(std::size_t lane, NodeId node) const {
    const int row = tree.row_of(lane, node);
    if (row < 0) throw std::logic_error("a node in use was left out of the group's tree");
    return row;
  }
};

/// What is the same for all groups of a run.
struct RunConstants {
  double dt_ms = 0;
  double celsius = 0;
  models::Integrator integrator = models::Integrator::backward_euler;
  models::SpikeTime spike_time = models::SpikeTime::interpolated;
  std::vector<SampleTimes> samples;  ///< [recording]

  /// crank_nicolson takes half an implicit step, then extrapolates.
  double implicit_dt_ms() const {
    return integrator == models::Integrator::crank_nicolson ? dt_ms / 2 : dt_ms;
  }
  mechanisms::KernelTime at(double time_ms) const {
    return {time_ms, dt_ms, celsius, implicit_dt_ms()};
  }
};

struct CellSpike {
  double time_ms = 0;
  CellId cell;

  auto operator<=>(const CellSpike&) const = default;
};

/// Where a group writes the samples of one epoch: rows × columns for each recording.
struct SampleBuffer {
  double* data = nullptr;
  std::size_t columns = 0;
  std::int64_t first_sample = 0;  ///< the sample in row 0
};

/// A group of cells on some backend.
class CellGroup {
 public:
  virtual ~CellGroup() = default;

  /// Sets voltages and states at t = 0, tests detectors, writes samples of step 0.
  virtual void initialise(std::vector<CellSpike>& spikes, std::vector<SampleBuffer>& samples) = 0;
  /// Queues an event that arrives in a later epoch.
  virtual void add_event(const network::Event& event) = 0;
  /// Integrates steps [first, last): one epoch, or the run's last part of one. Throws
  /// NumericalFailure when a voltage stops being finite.
  virtual void advance(std::int64_t first, std::int64_t last, std::vector<CellSpike>& spikes,
                       std::vector<SampleBuffer>& samples) = 0;
  /// Bytes of state, for `info`.
  virtual std::size_t bytes() const = 0;
};

}  // namespace hillock::simulator
