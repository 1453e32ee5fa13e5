#pragma once
// A plan made ready for a device, on the host: its cells at t = 0 by what their kernels are made
// of, and what brings events to each range of them.

#include <cstdint>
#include <map>
#include <memory>
#include <span>
#include <vector>

#include "simulator/backends/device/cells/cells.hpp"
#include "simulator/backends/device/delivery/range_events.hpp"
#include "simulator/backends/device/memory/engine_part.hpp"
#include "simulator/plan/network/network_plan.hpp"
#include "simulator/threads/parallel.hpp"

namespace hillock::simulator::on_device {

struct Assembly {
  std::map<Signature, Cells> cells;  ///< of each program, in the order of their numbers
  std::vector<std::unique_ptr<RangeEvents>> events;  ///< [range]
  std::vector<network::CellSpike> spikes;            ///< of t = 0
  std::size_t copies = 1;                            ///< of each cell, one behind the other
};

/// For whom copies of cells are made.
struct CopiedFor {
  std::uint64_t cells = 0;  ///< of the network
  int multiprocessors = 1;
};

/// Has ranges of the plan made. crew: has a piece a range. gap_values: [GapValues::size()], gets
/// the voltages at t = 0 that their ends of gap junctions publish. Throws InvalidModel.
std::vector<RangePlan> make_ranges(NetworkPlan& plan, std::span<const std::size_t> numbers,
                                   Crew& crew, const EngineOptions& options,
                                   std::span<double> gap_values);

/// Begins the cells of the ranges, as often as options.copies says. gap_values: of all voltages at
/// t = 0. Throws InvalidModel.
Assembly assemble(std::vector<RangePlan>&& ranges, const RunConstants& run, Crew& crew,
                  const EngineOptions& options, std::span<const double> gap_values,
                  const CopiedFor& copied_for = {});

}  // namespace hillock::simulator::on_device
