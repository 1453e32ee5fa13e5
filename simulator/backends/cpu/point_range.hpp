#pragma once
// A range of point neurons: their groups, and the sums of weights that are on their way to them.

#include <memory>
#include <string>
#include <vector>

#include "network/propagation/synapse_table.hpp"
#include "network/trains.hpp"
#include "simulator/backends/cpu/point_group.hpp"
#include "simulator/backends/cpu/range.hpp"

namespace hillock::simulator::cpu {

class PointRange final : public Range {
 public:
  /// lanes: the most neurons side by side. run: must outlive this. Throws InvalidModel.
  PointRange(RangePlan plan, const RunConstants& run, int lanes);

  void prepare(std::int64_t epoch_steps, std::span<const models::ReportLayout> reports) override;
  void start(std::vector<network::CellSpike>& spikes,
             std::span<const SampleBuffer> samples) override;
  void receive(Epoch epoch, std::span<const std::vector<network::CellSpike>> arriving) override;
  void advance(std::size_t group, Epoch epoch, std::vector<network::CellSpike>& spikes,
               std::span<const SampleBuffer> samples, std::span<double> gap_mV) override;
  void take_gap_voltages(std::span<const double>) override {}  // these have no membrane
  void publish_gap_voltages(std::span<double>) const override {}
  void walk(StateWalk& state) override;
  void resume_at(std::int64_t first_step) override { resumed_at_ = first_step; }
  std::size_t group_count() const override { return groups_.size(); }
  std::size_t state_bytes() const override;
  std::size_t connection_bytes() const override;

 private:
  const models::PointStep& step() const { return population_->step; }

  const RunConstants& run_;
  std::shared_ptr<const PopulationPlan> population_;
  std::size_t neurons_;
  std::vector<network::FanInTable> projections_;  ///< until they are prepared
  std::vector<network::FanInTable> stimuli_;
  std::vector<StepInput> step_inputs_;
  std::vector<std::unique_ptr<PointGroup>> groups_;
  network::Trains trains_;
  network::InputRing inputs_;
  network::SumGrid grid_;
  std::vector<network::SynapseTable> tables_;
  std::int64_t resumed_at_ = 0;  ///< what arrives before was received before
};

}  // namespace hillock::simulator::cpu
