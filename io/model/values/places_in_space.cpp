#include "io/model/values/places_in_space.hpp"

#include <fmt/format.h>

#include <string>

namespace hillock::io {

std::optional<PlacesInSpace> read_triples(const Item& item, const Slot& slot, const char* what) {
  const auto entries = item.list(what);
  if (!entries) return std::nullopt;
  PlacesInSpace points;
  for (const auto& entry : *entries) {
    const auto three = read_constants(entry, slot, 3);
    if (!three) return std::nullopt;
    points.push_back({(*three)[0], (*three)[1], (*three)[2]});
  }
  return points;
}

std::optional<PlacesInSpace> read_places(const Item& item) {
  return read_triples(item, Slot::of("um").at_least(-farthest_um).at_most(farthest_um),
                      "a list of places [x, y, z]");
}

std::optional<PlacesInSpace> read_place_table(ReadContext& context, const Item& item) {
  const auto file = read_named_file(context, item);
  if (!file) return std::nullopt;
  const auto table = read_csv_table(context, *file);
  if (!table) return std::nullopt;
  std::array<std::size_t, 3> columns{0, 1, 2};
  if (!table->header.empty()) {
    for (std::size_t axis = 0; axis < 3; ++axis) {
      const std::string name(1, "xyz"[axis]);
      const auto found = table->find(name);
      if (!found) {
        item.error(
            fmt::format("{} has no column '{}' (x, y and z are needed, in um)", file->shown, name));
        return std::nullopt;
      }
      columns[axis] = *found;
    }
  } else if (table->columns.size() != 3) {
    item.error(fmt::format("{} has {} columns (x, y and z are needed, in um)", file->shown,
                           table->columns.size()));
    return std::nullopt;
  }
  PlacesInSpace points(table->rows());
  const Slot slot = Slot::of("um").at_least(-farthest_um).at_most(farthest_um);
  for (std::size_t row = 0; row < points.size(); ++row)
    for (std::size_t axis = 0; axis < 3; ++axis) {
      const double value = table->columns[columns[axis]][row];
      if (!slot.contain(value)) {
        item.error_at(table->place(row, columns[axis]),
                      limit_problem(slot, value, show(value, "um")));
        return std::nullopt;
      }
      points[row][axis] = value;
    }
  return points;
}

std::optional<PlacesInSpace> read_places_or_table(ReadContext& context, const Item& item,
                                                  const char* what) {
  constexpr std::size_t most = 1'000'000;
  auto places = item.is_scalar() ? read_place_table(context, item) : read_places(item);
  if (!places || (!places->empty() && places->size() <= most)) return places;
  item.error(places->empty() ? fmt::format("has no {}", what)
                             : fmt::format("{} {}; there may be {}", places->size(), what, most));
  return std::nullopt;
}

}  // namespace hillock::io
