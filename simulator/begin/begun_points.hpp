#pragma once
// The point neurons of a range as they stand at t = 0, by variable and neuron.

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "core/containers/one_or_many.hpp"
#include "core/state/state_walk.hpp"
#include "simulator/backends/engine.hpp"
#include "simulator/plan/network/network_plan.hpp"

namespace hillock::simulator::begin {

/// A number of a neuron that is recorded.
struct RecordedNumber {
  std::uint32_t neuron = 0;
  int variable = -1;  ///< -1: `factor` itself
  double factor = 1;
  std::uint32_t recording = 0;
  std::size_t column = 0;  ///< among the recording's of its neuron until number_columns()
};

struct BegunPoints {
  std::shared_ptr<const PopulationPlan> population;
  const mechanisms::Mechanism* mechanism = nullptr;
  std::vector<std::uint64_t> indices;  ///< [neuron] in the population, rising
  std::vector<OneOrMany> columns;      ///< [variable][neuron]
  std::vector<RecordedNumber> recorded;

  /// Recordings' columns are counted through the reports.
  void number_columns(std::span<const models::ReportLayout> reports);
  /// Writes what is recorded at t = 0.
  void sample_start(std::span<const SampleTimes> times,
                    std::span<const SampleBuffer> samples) const;
  /// Saves or restores the variables.
  void walk(StateWalk& state, const RunConstants& run);
};

/// What the plan says is recorded of a range's neurons.
std::vector<RecordedNumber> recorded_of(const RangePlan& plan);

}  // namespace hillock::simulator::begin
