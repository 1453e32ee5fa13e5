#include "models/compartment_rows.hpp"

#include <cmath>

namespace hillock::models {

std::optional<double> CompartmentRows::at(const PieceOfBranch& compartment, double cell) const {
  const std::size_t row = is_of_cells() ? static_cast<std::size_t>(cell) : 0;
  if (row >= rows()) return std::nullopt;
  const double value = values[row * compartments() + (*first)[compartment.branch] +
                              static_cast<std::size_t>(compartment.piece)];
  return std::isnan(value) ? std::nullopt : std::optional(value);
}

}  // namespace hillock::models
