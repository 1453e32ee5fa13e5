#pragma once
// Goes through the instances of a range.

#include <cstdint>

#include "simulator/plan/range/plan.hpp"

namespace hillock::simulator {

/// An instance while a block's are gone through.
struct InstanceAt {
  std::size_t cell = 0;
  NodeId node;
  std::size_t number_on_cell = 0;
  std::uint64_t number = 0;  ///< RangePlan::first_instance() says how they are counted
};

/// Calls body(InstanceAt) for every instance of a block, cell by cell.
template <class Body>
void for_each_instance(const RangePlan& plan, std::size_t block, const Body& body) {
  InstanceAt at;
  for (at.cell = 0; at.cell < plan.cell_count(); ++at.cell) {
    at.number_on_cell = 0;
    for (const std::int32_t node : plan.nodes_of(block, at.cell)) {
      at.node = NodeId(node);
      body(at);
      ++at.number_on_cell;
      ++at.number;
    }
  }
}

}  // namespace hillock::simulator
