#pragma once
// Point neurons in device memory, and the kernels that advance them.

#include <cuda_runtime.h>

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "simulator/backends/cuda/child_grids/child_grids.hpp"
#include "simulator/backends/cuda/cuda_engine.hpp"
#include "simulator/backends/cuda/device/point_views.hpp"
#include "simulator/backends/cuda/device_memory.hpp"
#include "simulator/backends/cuda/launch_shape.hpp"
#include "simulator/backends/cuda/pinned.hpp"
#include "simulator/backends/cuda/point_parts.hpp"
#include "simulator/backends/cuda/sampled_rows.hpp"
#include "simulator/engine.hpp"

namespace hillock::simulator::cuda {

class PointProgram {
 public:
  /// Compiles the kernels. populations: outlive this, as does the rest. Throws KernelRefused,
  /// solver::DeviceUnusable.
  PointProgram(std::vector<PointPopulation>& populations, const NetworkPlan& plan,
               const DeviceLimits& limits, const EngineOptions& options, DeviceMemory& memory);
  PointProgram(PointProgram&&) = delete;
  PointProgram& operator=(PointProgram&&) = delete;
  ~PointProgram();

  /// Takes all memory and puts everything onto the device but variables.
  void prepare(std::int64_t epoch_steps, std::span<const models::ReportLayout> reports);
  /// The neurons' variables go to the device, or come from there.
  void put_variables();
  void fetch_variables();
  /// What arrives before is not to arrive again.
  void resume_at(std::int64_t first_step) { resumed_at_ = first_step; }

  /// Starts an epoch. spikes: of the whole network; those of its own neurons the device knows, but
  /// where it was just resumed.
  void start_epoch(const Epoch& epoch, std::span<const std::vector<network::CellSpike>> spikes,
                   bool is_resumed);
  /// Waits for it. Throws NumericalFailure.
  void finish_epoch(EpochResult& result);
  /// Those that were started so far.
  StartedGrids grids() const;

 private:
  /// A population in device memory.
  struct Population {
    unsigned kind = 0, place = 0;             ///< which mechanism, and which of its populations
    std::vector<DeviceView<double>> columns;  ///< [variable], empty where it is one for all
    std::vector<double> ones;
    DeviceView<unsigned> indices;
    DeviceView<network::Sum> sums;
    unsigned first_draw = 0, draws = 0;  ///< of draws_
    network::InputRingView inputs;
    network::SumGrid grid;
    bool is_whole = false;  ///< neuron n is cell n of the population
  };

  void load(const std::string& code);
  void find_kinds();
  void put_inputs(std::size_t p, std::int64_t epoch_steps);
  void put_tables(std::size_t p, std::vector<network::SynapseTable>& tables);
  void put_soon_first(network::SynapseTable& table, const std::vector<std::uint32_t>& first);
  template <class Word>
  network::SynapseView<Word> put_synapses(network::SynapseView<Word> view, std::size_t size);
  void put_draws(std::size_t p);
  const PointCurrent* put_current(const InjectedCurrent& current);
  template <class Number, class Host>
  OneOrAll<Number> put_numbers(const Host& numbers);
  void put_sources();
  void put_lists(const std::vector<PointPiece>& pieces);
  void put_sources_of_synapses(unsigned table, const std::vector<std::uint32_t>& first);
  void load_grids();
  void share_blocks_out();
  void take_columns();
  std::size_t neurons() const;
  const models::PointStep& step_of(std::size_t p) const { return populations_[p].plan->step; }
  void propagate(std::int64_t step, std::int64_t first);
  bool runs_together() const;
  void put_tasks();
  void put_samples();
  std::string bytes_of_arrays(std::size_t p) const;
  void take_in(std::int64_t first, std::span<const std::vector<network::CellSpike>> spikes,
               bool is_resumed);
  void take_trains(std::int64_t first, std::int64_t last);
  bool is_own(std::uint64_t cell) const;
  unsigned source_of(std::uint64_t cell) const;
  void launch(cudaKernel_t kernel, unsigned blocks, std::initializer_list<void*> arguments);
  void launch_epoch(const Epoch& epoch);
  void check_failure() const;

  std::vector<PointPopulation>& populations_;
  const NetworkPlan& plan_;
  const DeviceLimits& limits_;
  const EngineOptions& options_;
  DeviceMemory& memory_;
  network::Runner runner_;
  std::vector<const mechanisms::Mechanism*> kinds_;
  std::vector<Population> here_;  ///< [population]
  std::vector<PointTable> tables_;
  std::vector<PointDraws> draws_;
  std::uint64_t soon_ = 0;                     ///< synapses whose delay is one step
  std::vector<std::uint32_t> most_of_source_;  ///< [table]
  std::vector<std::uint32_t> table_sizes_;     ///< [table]
  std::vector<unsigned> table_sources_;        ///< [table] the population that its sources are of
  std::vector<PointSource> sources_;           ///< [population of the network]
  PointNetwork network_{};
  std::vector<std::uint64_t> kinds_argument_;  ///< addresses of the arrays of every kind
  SampledRows rows_;
  DeviceView<unsigned long long> counters_;  ///< of PointRun
  PinnedArray<unsigned> count_{1};
  PinnedArray<Failure> failure_{1};
  PinnedArray<PointSpike> spikes_, given_;
  PinnedArray<PointInput> inputs_;
  DeviceView<PointSpike> given_on_device_;
  cudaStream_t stream_ = nullptr;
  cudaLibrary_t library_ = nullptr;
  cudaKernel_t run_ = nullptr, advance_ = nullptr, propagate_log_ = nullptr,
               propagate_given_ = nullptr, propagate_neurons_ = nullptr,
               propagate_synapses_ = nullptr, add_inputs_ = nullptr, take_samples_ = nullptr;
  const ChildGrids* child_grids_ = nullptr;  ///< where a run asks for them
  DeviceView<ChildGridCounts> child_counts_;
  unsigned near_words_ = 0;     ///< what a block brings near of the network's lists
  unsigned neuron_warps_ = 0;   ///< of a block, which advance neurons
  std::size_t near_bytes_ = 0;  ///< for neurons' variables in a block; 0: they do not stay there
  unsigned together_ = 0;       ///< blocks that may wait for one another; 0: none may
  unsigned blocks_ = 1;         ///< of kernels that share their work out
  std::int64_t first_ = 0;      ///< of the epoch
  std::int64_t resumed_at_ = 0;
};

}  // namespace hillock::simulator::cuda
