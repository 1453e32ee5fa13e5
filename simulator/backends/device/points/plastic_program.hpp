#pragma once
// Plastic synapses of point neurons in device memory: what PointProgram has beside its other
// tables.

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "core/state/state_walk.hpp"
#include "simulator/backends/device/kernels/point_views.hpp"
#include "simulator/backends/device/memory/device_memory.hpp"
#include "simulator/backends/device/memory/pinned.hpp"
#include "simulator/backends/device/points/point_parts.hpp"
#include "simulator/backends/engine.hpp"
#include "simulator/plasticity/plastic_state.hpp"

namespace hillock::simulator::on_device {

/// Whose spikes those of a table's sources and targets are.
struct PlasticEnds {
  std::size_t target = 0;      ///< among those that are here
  unsigned source_number = 0;  ///< as spikes have it
  int delay_of_time = 0;       ///< of the sources' spikes
};

class PlasticProgram {
 public:
  /// Everything given must outlive this.
  PlasticProgram(const NetworkPlan& plan, std::vector<PointPopulation>& populations,
                 DeviceMemory& memory)
      : plan_(plan), populations_(populations), memory_(memory) {}

  void load(device::Library library, device::Stream stream, unsigned blocks);
  /// Puts connections onto the device.
  void add(PlasticConnections connections, const PlasticEnds& ends,
           const network::InputRingView& inputs, const network::SumGrid& grid);
  /// When all are there: takes the rest of the memory.
  void prepare(PointNetwork& network, std::int64_t epoch_steps,
               std::span<const models::ReportLayout> reports);
  bool is_empty() const { return tables_.empty(); }

  /// Samples of step 0.
  void sample_start(std::span<const SampleBuffer> samples) const;
  /// given: spikes that the device does not know, counted from the epoch's first step; whatever
  /// follows is given the network as it then is.
  void start_epoch(PointNetwork& network, std::int64_t first, std::vector<PointSpike> given);
  /// Brings what arrives before a step to the inputs; `first`: of the epoch.
  void pass(const PointNetwork& network, std::int64_t step, std::int64_t first);
  /// Takes the samples of a boundary, if some are due.
  void sample(PointNetwork& network, std::int64_t step);
  /// At an epoch's end: starts to fetch what the next one begins with; then takes its spikes,
  /// counted from its first step.
  void fetch(const PointNetwork& network);
  void finish_epoch(std::span<const PointSpike> spikes, std::int64_t first);

  /// What there is before step `now` comes to the host, to be walked over.
  void fetch_state(PointNetwork& network, std::int64_t now);
  /// Before what is restored is walked over; and after that.
  void begin_walk();
  void put_state(PointNetwork& network, std::int64_t now);
  /// Saves or restores what is of a part's neurons, which `walk` has begun. now: when saving.
  void walk(StateWalk& walk, std::size_t population, const PointPart& part, std::int64_t now);
  void end_walk() { saved_.clear(); }

 private:
  struct Table {
    std::uint32_t projection = 0;
    std::size_t target = 0;    ///< population, among those here
    PlasticSynapses synapses;  ///< whose weights are of the start, or those that were saved last
    StdpTables decays;
    DeviceView<double> weights{};
    DeviceView<PastSpike> source_spikes{}, target_spikes{};
    DeviceView<unsigned> source_counts{}, target_counts{};
    PlasticTableView view{};
  };
  /// What is on its way to a state, or from it.
  struct Saved {
    Saved(Table& table, std::size_t neurons);
    SpikeRings sources, targets;
    StdpRule rule;
    PlasticState state;
  };
  struct Recorded {
    std::size_t table = 0, report = 0;
    std::vector<unsigned> columns;  ///< [synapse]
  };
  struct Timed {
    PointSpike spike;
    std::int64_t time;
  };

  void take_rings(Table& table, unsigned epoch_steps);
  void number_weights(std::span<const models::ReportLayout> reports);
  void put_window(PointNetwork& network, std::int64_t first);
  void settle(PointNetwork& network, std::int64_t now);

  const NetworkPlan& plan_;
  std::vector<PointPopulation>& populations_;
  DeviceMemory& memory_;
  std::vector<Table> tables_;
  std::vector<Recorded> recorded_;
  std::vector<std::unique_ptr<Saved>> saved_;  ///< [table] while a state is walked over
  std::vector<bool> is_source_;                ///< [population of the network]
  std::int64_t longest_ = 1;                   ///< delay, of all
  std::vector<Timed> window_;                  ///< the spikes that may be on their way, by time
  PinnedArray<PointSpike> new_spikes_, window_spikes_;
  PinnedArray<unsigned> window_begins_;
  PinnedArray<unsigned> is_full_{1};
  DeviceView<PointSpike> on_device_;
  DeviceView<unsigned> begins_on_device_;
  device::Stream stream_ = nullptr;
  device::Kernel note_given_ = nullptr, pass_ = nullptr, settle_ = nullptr, sample_ = nullptr;
  unsigned blocks_ = 1;
};

}  // namespace hillock::simulator::on_device
