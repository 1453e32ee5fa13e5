#include "models/placed_rows.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

namespace hillock::models {

namespace {

template <class Rows>
double nearest_to_centre(const Rows& rows, const PieceOfBranch& compartment) {
  const double centre = (compartment.piece + 0.5) / compartment.pieces;
  const auto nearest = std::ranges::min_element(
      rows, {}, [&](const PlacedRow& row) { return std::abs(row.position - centre); });
  return nearest->value;
}

}  // namespace

std::optional<double> PlacedRows::at(const PieceOfBranch& compartment) const {
  const auto where = [&](const PlacedRow& row) {
    const int piece = static_cast<int>(row.position * compartment.pieces);
    return std::pair<std::size_t, int>(row.branch, std::min(piece, compartment.pieces - 1));
  };
  const auto here =
      std::ranges::equal_range(rows, std::pair(compartment.branch, compartment.piece), {}, where);
  if (here.empty()) return std::nullopt;
  return nearest_to_centre(here, compartment);
}

double PlacedRows::nearest(const PieceOfBranch& compartment) const {
  const auto branch = static_cast<std::uint32_t>(compartment.branch);
  return nearest_to_centre(std::ranges::equal_range(rows, branch, {}, &PlacedRow::branch),
                           compartment);
}

}  // namespace hillock::models
