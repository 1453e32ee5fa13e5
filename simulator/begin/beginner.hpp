#pragma once
// Who begins cells for engines that have no code of their own for INITIAL.

#include <cstddef>
#include <memory>
#include <span>
#include <vector>

#include "network/spikes.hpp"
#include "simulator/begin/begun_cell.hpp"
#include "simulator/begin/begun_points.hpp"
#include "solver/row_order.hpp"

namespace hillock::simulator::begin {

/// Begins the cells of one range, on one thread.
class CellBeginner {
 public:
  virtual ~CellBeginner() = default;

  /// gap_values: as the rank has them before t = 0, [GapValues::size()]. spikes: gets those of
  /// t = 0. Throws InvalidModel when a value lies outside its limits.
  virtual BegunCell begin(std::size_t cell, std::span<const double> gap_values,
                          std::vector<network::CellSpike>& spikes) = 0;
  /// Puts what the cell's ends of gap junctions give before INITIAL among the values.
  virtual void publish_gap_values(std::size_t cell, std::span<double> gap_values) = 0;
};

class Beginner {
 public:
  virtual ~Beginner() = default;

  /// plan, run: must outlive what is returned.
  virtual std::unique_ptr<CellBeginner> of_cells(const RangePlan& plan, const RunConstants& run,
                                                 solver::RowOrder order) const = 0;
  /// Of the plan what is then known is forgotten. Throws InvalidModel.
  virtual BegunPoints points(RangePlan& plan, const RunConstants& run) const = 0;
};

}  // namespace hillock::simulator::begin
