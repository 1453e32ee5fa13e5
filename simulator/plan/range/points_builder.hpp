#pragma once
// Puts the points of lists on the cells of a range.

#include <cstdint>
#include <span>
#include <vector>

#include "simulator/plan/range/range_draft.hpp"

namespace hillock::simulator {

class PointsBuilder {
 public:
  /// numbers: the lists of the range's population. The draft must outlive this.
  PointsBuilder(RangeDraft& draft, std::span<const std::uint32_t> numbers);

  /// Those of the draft's current cell. Throws InvalidModel.
  void add_to_cell();
  /// The instance that a point of the current cell is.
  std::uint32_t instance_of(std::size_t list, std::uint32_t point) const;

 private:
  struct List {
    std::size_t number;
    const models::PointList* model;
    const mechanisms::Mechanism* mechanism;
    std::uint32_t set;
    std::vector<std::size_t> variables;     ///< [column] in the signature
    std::span<const std::uint32_t> points;  ///< on the current cell
    std::vector<std::uint32_t> instances;   ///< [of these]
  };

  RangeDraft& draft_;
  std::vector<List> lists_;
};

}  // namespace hillock::simulator
