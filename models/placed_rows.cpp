#include "models/placed_rows.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

namespace hillock::models {

std::optional<double> PlacedRows::at(const PieceOfBranch& compartment) const {
  const auto where = [&](const PlacedRow& row) {
    const int piece = static_cast<int>(row.position * compartment.pieces);
    return std::pair<std::size_t, int>(row.branch, std::min(piece, compartment.pieces - 1));
  };
  const auto here =
      std::ranges::equal_range(rows, std::pair(compartment.branch, compartment.piece), {}, where);
  if (here.empty()) return std::nullopt;
  const double centre = (compartment.piece + 0.5) / compartment.pieces;
  return std::ranges::min_element(
             here, {}, [&](const PlacedRow& row) { return std::abs(row.position - centre); })
      ->value;
}

}  // namespace hillock::models
