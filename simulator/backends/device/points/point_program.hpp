#pragma once
// The kernels that advance point neurons, and what is launched in an epoch.

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "simulator/backends/device/kernels/point_views.hpp"
#include "simulator/backends/device/memory/engine_part.hpp"
#include "simulator/backends/device/memory/pinned.hpp"
#include "simulator/backends/device/points/child_grids.hpp"
#include "simulator/backends/device/points/point_epoch.hpp"
#include "simulator/backends/device/points/point_memory.hpp"
#include "simulator/backends/device/points/point_parts.hpp"
#include "simulator/backends/device/points/propagation_turns.hpp"
#include "simulator/backends/engine.hpp"

namespace hillock::simulator::on_device {

class PointProgram {
 public:
  /// Compiles the kernels. populations: outlive this, as does the rest. Throws KernelRefused,
  /// solver::DeviceUnusable.
  PointProgram(std::vector<PointPopulation>& populations, const NetworkPlan& plan,
               const DeviceLimits& limits, const EngineOptions& options, const EnginePart& part);
  PointProgram(PointProgram&&) = delete;
  PointProgram& operator=(PointProgram&&) = delete;
  ~PointProgram();

  /// Takes all memory and puts everything onto the device but variables.
  void prepare(std::int64_t epoch_steps, std::span<const models::ReportLayout> reports);
  /// The neurons' variables go to the device, or come from there.
  void put_variables() { points_.put_variables(); }
  void fetch_variables();
  /// Samples of step 0 of what the host's neurons do not have.
  void sample_start(std::span<const SampleBuffer> samples) const {
    points_.plastic().sample_start(samples);
  }
  /// What changes of plastic synapses before step `now` comes to the host, or goes to the device
  /// when walk_plastic() has restored all of it.
  void fetch_plastic(std::int64_t now) { points_.plastic().fetch_state(network_, now); }
  void begin_plastic() { points_.plastic().begin_walk(); }
  void end_plastic() { points_.plastic().end_walk(); }
  void walk_plastic(StateWalk& walk, std::size_t population, const PointPart& part,
                    std::int64_t now) {
    points_.plastic().walk(walk, population, part, now);
  }
  void put_plastic(std::int64_t now) { points_.plastic().put_state(network_, now); }
  /// What arrives before is not to arrive again.
  void resume_at(std::int64_t first_step) { resumed_at_ = first_step; }

  /// Whether an epoch may be started while the one before is under way: not where weights change.
  bool takes_two() const { return !is_plastic(); }
  /// Starts an epoch. spikes: of the whole network; those of its own neurons the device knows, but
  /// where it was just resumed.
  void start_epoch(const Epoch& epoch, std::span<const std::vector<network::CellSpike>> spikes,
                   bool is_resumed);
  /// Waits for the one that was started first. Throws NumericalFailure.
  void finish_epoch(EpochResult& result);
  /// The grids that were started so far, and how spikes were passed.
  void report(DeviceReport& report) const;

 private:
  void load(const std::string& code);
  void load_grids();
  void share_blocks_out();
  std::vector<PointSpike> unknown_spikes(std::int64_t first,
                                         std::span<const std::vector<network::CellSpike>> spikes,
                                         bool is_resumed) const;
  void begin_epoch(PointEpoch& own, std::span<const PointSpike> given);
  void tell_epoch(PointEpoch& own);
  void take_trains(PointEpoch& to, std::int64_t last);
  bool is_plastic() const;
  bool runs_together() const;
  std::string reason() const;
  StartedGrids grids() const;
  void propagate(Propagation way, std::int64_t step, std::int64_t first);
  const models::PointStep& step_of(std::size_t p) const { return populations_[p].plan->step; }
  void launch_epoch(Propagation way, const Epoch& epoch);
  void check_failure(const Failure& failure) const;
  std::span<const PointSpike> spikes_of(const PointEpoch& epoch);
  void hand_over(const PointEpoch& from, std::span<const PointSpike> spikes,
                 std::vector<network::CellSpike>& to) const;

  std::vector<PointPopulation>& populations_;
  const NetworkPlan& plan_;
  DeviceLimits limits_;
  DeviceMemory& memory_;
  PointMemory points_;
  PropagationTurns turns_;
  PointNetwork network_{};            ///< as kernels are given it, as are these:
  std::vector<std::uint64_t> kinds_;  ///< addresses of the arrays of every kind
  unsigned near_words_ = 0;           ///< what a block brings near of the network's lists
  bool is_alone_ = false;             ///< all spikes of the network are of its own neurons
  PointEpoch epochs_[2];
  unsigned started_ = 0, finished_ = 0;  ///< so many epochs
  PinnedArray<PointSpike> spikes_;       ///< of an epoch with more than the host is told of at once
  device::Stream stream_ = nullptr;
  device::Library library_ = nullptr;
  device::Kernel run_ = nullptr, begin_ = nullptr, tell_ = nullptr, advance_ = nullptr,
                 propagate_log_ = nullptr, propagate_neurons_ = nullptr,
                 propagate_synapses_ = nullptr, add_inputs_ = nullptr, take_samples_ = nullptr;
  const ChildGrids* child_grids_ = nullptr;  ///< where a run asks for them
  DeviceView<ChildGridCounts> child_counts_;
  unsigned neuron_warps_ = 0;   ///< of a block, which advance neurons
  std::size_t near_bytes_ = 0;  ///< for neurons' variables in a block; 0: they do not stay there
  unsigned together_ = 0;       ///< blocks that may wait for one another; 0: none may
  unsigned blocks_ = 1;         ///< of kernels that share their work out
  std::int64_t resumed_at_ = 0;
};

}  // namespace hillock::simulator::on_device
