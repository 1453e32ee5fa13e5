#include "models/report.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <utility>

#include "core/errors/errors.hpp"

namespace hillock::models {

void check_fits_float(const ReportLayout& layout, std::uint64_t row,
                      std::span<const double> values) {
  for (std::size_t column = 0; column < values.size(); ++column) {
    const double value = values[column];
    if (!std::isfinite(value) || std::isfinite(static_cast<float>(value))) continue;
    const auto& pointers = layout.index_pointers;
    const auto after = std::upper_bound(pointers.begin(), pointers.end(), column);
    const auto node = static_cast<std::size_t>(after - pointers.begin()) - 1;
    NumericalFailure::Where where;
    where.time_ms = layout.start_ms + static_cast<double>(row) * layout.every_ms;
    where.population = layout.population;
    where.cell = layout.node_ids[node];
    where.compartment =
        fmt::format("branch {}({:.6g})", layout.element_ids[column], layout.element_pos[column]);
    throw NumericalFailure(
        std::move(where),
        fmt::format("record '{}': {:.6g}{}{} does not fit into float32 (write type: float64)",
                    layout.name, value, layout.units.empty() ? "" : " ", layout.units));
  }
}

}  // namespace hillock::models
