#pragma once
// A plan made ready for a device, on the host: its cells at t = 0 by what their kernels are made
// of, and what brings events to each range of them. Needs no CUDA.

#include <cstdint>
#include <map>
#include <memory>
#include <span>
#include <utility>
#include <vector>

#include "network/inbox.hpp"
#include "simulator/backends/cuda/cells.hpp"
#include "simulator/plan/network_plan.hpp"
#include "simulator/threads/activity.hpp"
#include "simulator/threads/parallel.hpp"

namespace hillock::simulator::cuda {

/// Where a cell went: the number of its program, and its own there.
using CellAddress = std::pair<std::uint32_t, std::uint32_t>;

/// What brings events to the cells of a range.
class RangeEvents {
 public:
  /// where: [cell]
  RangeEvents(RangePlan&& plan, std::vector<CellAddress> where);

  const std::vector<CellAddress>& cells() const { return where_; }
  const std::string& population() const { return population_; }
  network::Trains& trains() { return incoming_.trains; }
  const network::Trains& trains() const { return incoming_.trains; }
  /// Of projections in the model's order, then of stimuli.
  const std::vector<network::FanInTable>& tables() const { return incoming_.tables; }
  std::size_t projections() const { return incoming_.projections; }
  /// When the connections are elsewhere.
  void forget_tables() { incoming_.tables = {}; }

  std::size_t point_count() const { return first_.size(); }
  std::uint32_t instance_count(std::size_t point) const { return first_[point].back(); }
  /// [cell + 1] the first of its instances.
  const std::vector<std::uint32_t>& first_instances(std::size_t point) const {
    return first_[point];
  }
  std::size_t cell_of(std::size_t point, std::uint32_t instance) const;
  unsigned block_of(std::size_t point) const {
    return static_cast<unsigned>(density_count_ + point);
  }

 private:
  std::string population_;
  std::size_t density_count_;
  std::vector<CellAddress> where_;                 ///< [cell]
  std::vector<std::vector<std::uint32_t>> first_;  ///< [point process][cell + 1] its instances
  network::Inbox::Parts incoming_;
};

struct Assembly {
  std::map<Signature, Cells> cells;  ///< of each program, in the order of their numbers
  std::vector<std::unique_ptr<RangeEvents>> events;  ///< [range]
  std::vector<network::CellSpike> spikes;            ///< of t = 0
};

/// Has ranges of the plan made. crew: has a piece a range. gap_values: [GapValues::size()], gets
/// the voltages at t = 0 that their ends of gap junctions publish. Throws InvalidModel.
std::vector<RangePlan> make_ranges(NetworkPlan& plan, std::span<const std::size_t> numbers,
                                   Crew& crew, Activity& activity, std::span<double> gap_values);

/// Begins the cells of the ranges on the CPU. gap_values: of all voltages at t = 0. Throws
/// InvalidModel.
Assembly assemble(std::vector<RangePlan>&& ranges, const RunConstants& run, Crew& crew,
                  std::span<const double> gap_values);

}  // namespace hillock::simulator::cuda
