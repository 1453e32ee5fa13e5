#pragma once
// How many cells lie side by side, and how many threads share a cell's rows: by what a step is
// expected to take.

#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include "simulator/plan/network/network_plan.hpp"

namespace hillock::simulator::cpu {

/// What the choice is made from, the same for all ranges of a network.
struct CellsAndThreads {
  std::uint64_t cells = 0;  ///< of the network, with a cable
  int threads = 1;
  int asked = 0;  ///< cells side by side; 0: what suits
  bool mixed = false;  ///< mechanisms compute with floats
};

/// How the cells of a range lie.
struct SideBySide {
  int most = 1;  ///< cells of a group: 1, 4 or 8
  double bytes = 0;       ///< that a step of a compartment reads and writes, about
  std::size_t parts = 1;  ///< of a cell that lies alone: so many threads may share its rows
  /// Where several were compared: cells side by side, and microseconds a step of one cell takes a
  /// core.
  std::vector<std::pair<int, double>> expected_us = {};
};

/// The number that is asked for, or that with which the network's steps are expected to take least.
SideBySide side_by_side(const RangePlan& plan, const CellsAndThreads& of);

/// Whether some threads would have no cell, or fewer than others: they then share a cell's rows.
bool shares_cells(const CellsAndThreads& of);

}  // namespace hillock::simulator::cpu
