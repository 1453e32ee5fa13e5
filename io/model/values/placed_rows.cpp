#include "io/model/values/placed_rows.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>
#include <utility>

#include "io/model/values/row_places.hpp"

namespace hillock::io {

std::optional<PlaceColumns> place_columns(const CsvTable& table) {
  const auto branch = table.find("branch");
  const auto position = table.find("position");
  if (!branch || !position) return std::nullopt;
  return PlaceColumns{*branch, *position};
}

std::optional<models::Value> read_placed_rows(const ReadContext& context, const Item& item,
                                              const CsvTable& table, const PlaceColumns& places,
                                              models::Column column) {
  const std::vector<double>& branches = table.columns[places.branch];
  const std::vector<double>& positions = table.columns[places.position];
  for (std::size_t row = 0; row < table.rows(); ++row) {
    std::string problem = branch_problem(branches[row], context.shape);
    if (!problem.empty()) {
      item.error_at(table.place(row, places.branch), problem);
      return std::nullopt;
    }
    problem = position_problem(positions[row]);
    if (!problem.empty()) {
      item.error_at(table.place(row, places.position), problem);
      return std::nullopt;
    }
  }
  std::vector<std::size_t> order(table.rows());
  std::iota(order.begin(), order.end(), std::size_t{0});
  const auto where = [&](std::size_t row) { return std::pair(branches[row], positions[row]); };
  std::ranges::stable_sort(order, {}, where);
  const auto twice = std::ranges::adjacent_find(order, {}, where);
  if (twice != order.end()) {
    item.error_at(table.place(twice[1]),
                  fmt::format("branch {:.0f} has this position in line {}, too", branches[twice[1]],
                              table.lines[twice[0]]));
    return std::nullopt;
  }
  models::PlacedRows rows;
  rows.file = std::move(column.file);
  rows.name = std::move(column.name);
  for (const std::size_t row : order)
    rows.rows.push_back(
        {static_cast<std::uint32_t>(branches[row]), positions[row], column.values[row]});
  return models::Value(std::move(rows), item.place());
}

}  // namespace hillock::io
