#pragma once
// Parts of a state: those that threads or ranks have of their cells, joined to one; and the cells
// that a rank takes out of it.

#include <map>
#include <string>
#include <vector>

#include "core/state/state.hpp"

namespace hillock {

/// One state of the cells of all parts, each population's in the order of their indices, whichever
/// part had them in which order. What is of the run is the same in all parts that have it. Beside
/// the parts it takes the room of one column and 24 bytes a cell at most: parts go as they are
/// joined. Throws StateMismatch where a cell is in two parts, or parts are of two runs or steps.
State joined(std::vector<State> parts);

/// Takes cells out of a state, as often as there are ranks: each time costs what is taken.
class StateCutter {
 public:
  /// whole: must outlive this.
  explicit StateCutter(const State& whole);
  /// Some cells by population, rising, and what is of the run. Throws StateMismatch where one is
  /// not there. Its bytes are those of a state that was saved of these cells alone.
  State cut(const std::map<std::string, CellIndices>& cells);

 private:
  const State& whole_;
  std::map<std::string, std::map<std::string, CellOffsets>> offsets_;  ///< [population][column]
};

}  // namespace hillock
