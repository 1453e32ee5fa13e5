#pragma once
// A plan made ready for a device, on the host: its cells at t = 0 by what their kernels are made
// of, and what is on its way to each range of them. Needs no CUDA.

#include <cstdint>
#include <map>
#include <memory>
#include <utility>
#include <vector>

#include "network/inbox.hpp"
#include "simulator/activity.hpp"
#include "simulator/backends/cuda/cells.hpp"
#include "simulator/parallel.hpp"
#include "simulator/plan/network_plan.hpp"

namespace hillock::simulator::cuda {

/// Where a cell went: the number of its program, and its own there.
using CellAddress = std::pair<std::uint32_t, std::uint32_t>;

/// What is on its way to the cells of a range. One thread at a time has it.
class RangeEvents {
 public:
  /// where: [cell]
  RangeEvents(RangePlan&& plan, std::vector<CellAddress> where);

  network::Inbox& inbox() { return inbox_; }
  const std::vector<CellAddress>& cells() const { return where_; }
  const std::string& population() const { return population_; }

  /// Calls body(CellAddress, Event, connection) for what arrives at steps [first, last), in order.
  /// connection: its number in the range's block, or FanIn::no_slot.
  template <class Body>
  void take(std::int64_t first, std::int64_t last, const Body& body) {
    for (const network::Arrival& arrival : inbox_.take(first, last)) {
      const network::FanInTable& table = inbox_.table(arrival.table);
      for (std::uint32_t e = arrival.entries.begin; e < arrival.entries.end; ++e) {
        const network::FanInEntry entry = table.connections[e];
        const std::size_t cell = cell_of(table.mechanism, entry.instance);
        body(where_[cell],
             Event{arrival.time_ms, entry.weight, entry.instance - first_[table.mechanism][cell],
                   no_slot, static_cast<unsigned>(density_count_ + table.mechanism),
                   static_cast<unsigned>(arrival.step - first)},
             entry.slot);
      }
    }
  }

 private:
  std::size_t cell_of(std::size_t point, std::uint32_t instance) const;

  std::string population_;
  std::size_t density_count_;
  std::vector<CellAddress> where_;                 ///< [cell]
  std::vector<std::vector<std::uint32_t>> first_;  ///< [point process][cell + 1] its instances
  network::Inbox inbox_;
};

struct Assembly {
  std::map<Signature, Cells> cells;  ///< of each program, in the order of their numbers
  std::vector<std::unique_ptr<RangeEvents>> events;  ///< [range]
  std::vector<network::CellSpike> spikes;            ///< of t = 0
};

/// Has every range of the plan made, and begins its cells on the CPU. Throws InvalidModel.
Assembly assemble(NetworkPlan& plan, Crew& crew, Activity& activity);

}  // namespace hillock::simulator::cuda
