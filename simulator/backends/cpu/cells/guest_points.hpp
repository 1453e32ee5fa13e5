#pragma once
// The points of a group that stand for what the process computes.

#include <cstddef>
#include <utility>
#include <vector>

#include "simulator/backends/cpu/layout/group_layout.hpp"

namespace hillock::simulator::cpu {

class GuestPoints {
 public:
  /// group: must outlive this. guests: may be null.
  GuestPoints(GroupLayout& group, const Guests* guests);

  /// v: of all rows.
  void tell(const LaneArray& v) const;
  void hear();

 private:
  struct Point {
    double row = 0;
    std::size_t at = 0;  ///< row·lanes + lane
    /// Of `answered` where its numbers go, into the block's columns.
    std::size_t block = 0;
    std::vector<std::pair<std::size_t, std::size_t>> columns;
  };

  GroupLayout& group_;
  const Guests* guests_;
  std::vector<Point> points_;
  std::vector<IonBlock*> ions_;  ///< [ion of the guests], null where nothing of it changes
};

}  // namespace hillock::simulator::cpu
