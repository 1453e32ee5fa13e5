#pragma once
// A range of point neurons: their groups, and the sums of weights that are on their way to them.

#include <deque>
#include <memory>
#include <string>
#include <vector>

#include "network/propagation/synapse_table.hpp"
#include "network/trains.hpp"
#include "simulator/backends/cpu/groups/range.hpp"
#include "simulator/backends/cpu/points/point_group.hpp"
#include "simulator/plasticity/plastic_table.hpp"

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
               std::span<const SampleBuffer> samples, std::span<double> gap_values) override;
  void take_gap_values(std::span<const double>) override {}  // these have no membrane
  void publish_gap_values(std::span<double>) const override {}
  void number_gap_values(std::uint32_t&, std::span<std::uint32_t>) override {}
  void read_gap_values_by(std::span<const std::uint32_t>) override {}
  void follow_gaps(std::int64_t, std::span<const SampleBuffer>) override {}
  void walk(StateWalk& state) override;
  void resume_at(const network::Resumed& at) override;
  /// Where weights change all neurons go in step: what arrives depends on who has spiked.
  std::size_t group_count() const override { return has_plasticity_ ? 1 : groups_.size(); }
  std::size_t state_bytes() const override;
  std::size_t connection_bytes() const override;

 private:
  /// A report of a plastic projection's weights.
  struct WeightReport {
    std::size_t report = 0;
    PlasticTable* table = nullptr;
    std::vector<std::size_t> columns;  ///< [neuron] its first
  };

  void number_weights(std::span<const models::ReportLayout> reports);
  void advance_together(Epoch epoch, std::vector<network::CellSpike>& spikes,
                        std::span<const SampleBuffer> samples);
  void sample_weights(std::int64_t step, std::span<const SampleBuffer> samples);
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
  bool has_plasticity_ = false;
  std::deque<PlasticTable> plastic_tables_;
  std::vector<RecordedWeights> recorded_weights_;  ///< until they are prepared
  std::vector<WeightReport> weight_reports_;
  std::int64_t now_ = 0;         ///< where the last epoch ended
  std::int64_t resumed_at_ = 0;  ///< what arrives before was received before
};

}  // namespace hillock::simulator::cpu
