#pragma once
// The cells of a range of the plan, one after the other.

#include <memory>
#include <span>
#include <vector>

#include "simulator/backends/engine.hpp"
#include "simulator/begin/beginner.hpp"
#include "simulator/plan/network/network_plan.hpp"

namespace hillock::simulator::reference {

/// As Engine's functions of these names, of some cells.
class Range {
 public:
  virtual ~Range() = default;
  virtual void prepare(std::int64_t epoch_steps, std::span<const models::ReportLayout> reports) = 0;
  virtual void start(EpochResult& result) = 0;
  virtual void launch(Epoch epoch, std::span<const std::vector<network::CellSpike>> spikes,
                      EpochResult& result) = 0;
};

/// run: must outlive the range.
std::unique_ptr<Range> make_cells(RangePlan plan, const RunConstants& run,
                                  const begin::Beginner& beginner);
std::unique_ptr<Range> make_points(RangePlan plan, const RunConstants& run,
                                   const begin::Beginner& beginner);

}  // namespace hillock::simulator::reference
