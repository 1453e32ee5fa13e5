#pragma once
// Point neurons of one population that are advanced together, step by step: a neuron a lane of one
// mechanism's loops, without a membrane.

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "network/propagation/input_ring.hpp"
#include "network/propagation/sum_grid.hpp"
#include "simulator/backends/cpu/groups/probe_schedule.hpp"
#include "simulator/backends/cpu/layout/group_layout.hpp"
#include "simulator/backends/engine.hpp"
#include "simulator/plan/range/step_input.hpp"

namespace hillock::simulator::cpu {

class PointGroup {
 public:
  /// layout: of cells that are one point neuron each. first_cell: the first of them, of the range.
  /// run: must outlive this.
  PointGroup(GroupLayout layout, std::size_t first_cell, const RunConstants& run);
  PointGroup(PointGroup&&) = delete;
  PointGroup& operator=(PointGroup&&) = delete;
  ~PointGroup() = default;

  /// As Engine::prepare().
  void number_columns(std::span<const models::ReportLayout> reports) {
    cpu::number_columns(group_, reports);
  }
  /// Sets variables at t = 0.
  void initialise();
  /// Writes the samples of step 0.
  void sample_start(std::span<const SampleBuffer> samples);
  /// Integrates an epoch on what the range's inputs have for it, and takes it out of them. Throws
  /// NumericalFailure when a variable stops being finite.
  void advance(Epoch epoch, network::InputRing& inputs, const network::SumGrid& grid,
               std::span<const StepInput> step_inputs, std::vector<network::CellSpike>& spikes,
               std::span<const SampleBuffer> samples);
  /// The same in parts: begin() an epoch, then to the end of one of the run's steps
  /// after the other.
  void begin(Epoch epoch);
  void advance_to(std::int64_t end, network::InputRing& inputs, const network::SumGrid& grid,
                  std::span<const StepInput> step_inputs, std::vector<network::CellSpike>& spikes,
                  std::span<const SampleBuffer> samples);
  /// Which neuron of the range one of its cells is.
  std::uint32_t neuron_of(CellId cell) const;
  /// Saves or restores what changes, at an epoch's end. `state` has begun the group's cells.
  void walk(StateWalk& state);

  const GroupLayout& layout() const { return group_; }
  /// The one block of a group: all variables of its neurons, neuron n at slot n.
  MechanismBlock& block() { return group_.blocks.front(); }
  std::size_t bytes() const;

 private:
  class Step;

  /// A variable of all neurons, [neuron].
  double* column(int variable) {
    return block().columns.data() +
           block().index_of(group_.width(), static_cast<std::size_t>(variable), 0);
  }
  void find_differing();
  void add_step_inputs(std::int64_t step, network::InputRing& inputs, const network::SumGrid& grid,
                       std::span<const StepInput> step_inputs);
  void sample(std::int64_t step, std::span<const SampleBuffer> samples);
  /// end: of which of the run's steps this is.
  void check_finite(std::int64_t end);

  GroupLayout group_;
  const RunConstants& run_;
  const models::PointStep step_;
  std::size_t first_cell_;
  std::size_t neurons_;
  LaneArray no_voltage_;  ///< what loops take for nodes' voltages
  mechanisms::InstanceBlock view_;
  const mechanisms::CpuKernels& kernels_;
  const mechanisms::MechanismInfo& info_;
  std::vector<int> differing_;         ///< as PointStepWork has them
  std::vector<std::uint32_t> spiked_;  ///< [neuron] room for a step's
  ProbeSchedule schedule_;
  std::int64_t last_kept_ = -1;  ///< where an epoch ends and what is there is kept
};

/// The groups of a range of point neurons; of its plan what they know is forgotten. run: must
/// outlive them. Throws InvalidModel.
std::vector<std::unique_ptr<PointGroup>> make_point_groups(RangePlan& plan, int lanes,
                                                           const RunConstants& run);

}  // namespace hillock::simulator::cpu
