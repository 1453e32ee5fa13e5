// Reads values by compartment of a cell that is given in compartments.

#include <fmt/format.h>

#include <cmath>

#include "core/errors/errors.hpp"
#include "io/model/values/read_column.hpp"
#include "io/model/values/usual.hpp"

namespace hillock::io {

namespace {

/// The numbers of a dataset of one row or one for each cell. Throws InputOutputError.
std::optional<std::vector<double>> read_rows_of(DataFile& file, const std::string& dataset,
                                                std::size_t compartments, const Item& item) {
  const auto extent = file.extent(dataset);
  if (!extent) {
    item.error(fmt::format("{} has no dataset of numbers {}", file.path().string(), dataset));
    return std::nullopt;
  }
  const auto [rows, columns] = *extent;
  if (!rows_of(*extent, compartments)) {
    item.error(fmt::format("{} of {} has {} {}, and the cell has {} compartments", dataset,
                           file.path().string(), columns == 1 ? rows : columns,
                           columns == 1 ? "numbers" : "columns", compartments));
    return std::nullopt;
  }
  if (rows > most_numbers_by_cell / columns) {
    item.error(fmt::format("{} has more than {} numbers", dataset, most_numbers_by_cell));
    return std::nullopt;
  }
  return file.numbers(dataset, {0, 0}, *extent);
}

/// To the slot's unit; false where a number is not one it may be.
bool convert_rows(std::vector<double>& values, const std::string& dataset, const Unit& unit,
                  const Slot& slot, const Item& item) {
  for (std::size_t i = 0; i < values.size(); ++i) {
    const double as_written = values[i];
    if (std::isnan(as_written)) continue;
    values[i] = convert(as_written, unit, slot.unit);
    if (slot.contain(values[i])) continue;
    item.error(fmt::format(
        "{}, number {}: {}", dataset, i,
        limit_problem(slot, values[i], show(as_written, unit == slot.unit ? slot.unit_text : ""))));
    return false;
  }
  return true;
}

}  // namespace

std::optional<models::Value> read_compartment_rows(ReadContext& context, const Item& item,
                                                   const Slot& slot) {
  MapReader map(item, "values by compartment");
  const auto file_item = map.require("hdf5");
  const auto dataset_item = map.require("compartments");
  const auto unit_item = map.find("unit");
  if (!map.finish()) return std::nullopt;
  if (slot.takes_places && context.shape && !context.shape->known)
    return std::nullopt;  // there is an error at the morphology, or at whom a field is for
  if (!slot.takes_places || !context.shape || !context.shape->is_given()) {
    item.error(
        "values by compartment can stand only in regions of a cell whose morphology is "
        "`compartments`, and in a field on such cells");
    return std::nullopt;
  }
  const auto unit = read_column_unit(unit_item, item, slot);
  const auto dataset = dataset_item->text("the path of a dataset");
  DataFile* const file = unit && dataset ? read_hdf5_file(context, *file_item) : nullptr;
  if (!file) return std::nullopt;
  models::CompartmentRows rows{
      file->path().string(), *dataset, {}, context.shape->first_compartments};
  try {
    auto values = read_rows_of(*file, *dataset, rows.compartments(), *dataset_item);
    if (!values || !convert_rows(*values, *dataset, *unit, slot, *dataset_item))
      return std::nullopt;
    warn_of_unusual(*dataset_item, slot, *values, "number");
    rows.values = std::move(*values);
  } catch (const InputOutputError& error) {
    file_item->error(error.what());
    return std::nullopt;
  }
  if (rows.is_of_cells())
    context.columns.push_back({item.place(), item.path(),
                               fmt::format("{} of {}", rows.name, rows.file), "row", rows.rows(),
                               std::nullopt});
  return models::Value(std::move(rows), item.place());
}

}  // namespace hillock::io
