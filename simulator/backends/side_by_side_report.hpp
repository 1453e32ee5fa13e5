#pragma once
// How the cells of a population lie on the CPU.

#include <cstddef>
#include <string>
#include <utility>
#include <vector>

namespace hillock::simulator {

struct SideBySideReport {
  std::string population;
  int cells = 1;              ///< side by side
  std::size_t shared_by = 1;  ///< of a cell that lies alone: threads that may share its rows
  double bytes = 0;           ///< that a step of a compartment reads and writes, about
  /// Where several numbers were compared: microseconds that a step of one cell is expected to take
  /// a core.
  std::vector<std::pair<int, double>> expected_us;
};

}  // namespace hillock::simulator
