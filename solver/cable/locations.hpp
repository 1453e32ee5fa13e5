#pragma once
// Which nodes of a discretised cell a model's places are.

#include <vector>

#include "core/random/random.hpp"
#include "solver/cable/compartments.hpp"

namespace hillock::solver {

/// Draws compartments of a region, each with a probability proportional to its length.
class LocationsByLength {
 public:
  LocationsByLength(const Template& cell, const models::Region& region);
  bool empty() const { return runs_.empty(); }
  /// There must be one. Cost: the compartments before it.
  NodeId draw(RandomStream& stream) const;

 private:
  /// Compartments of one branch that stand side by side.
  struct Run {
    int first = 0;
    int count = 0;
    double length_um = 0;  ///< of each
  };
  std::vector<Run> runs_;
  double total_um_ = 0;
};

/// The nodes that `locations` names on a cell. `uniform` draws one compartment, by length; for
/// `listed`, whose nodes rows say, the middle of the first branch stands.
/// Throws InvalidModel when there is none.
std::vector<NodeId> resolve(const Template& cell, const models::Locations& locations,
                            RandomStream& stream);

}  // namespace hillock::solver
