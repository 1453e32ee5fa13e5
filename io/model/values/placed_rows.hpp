#pragma once
// Values by place on a cell: a column of a CSV file that has the columns branch and position, too.

#include <optional>

#include "io/model/context/read_context.hpp"
#include "io/model/values/slot.hpp"

namespace hillock::io {

/// The columns of a table that say where its rows belong.
struct PlaceColumns {
  std::size_t branch = 0;
  std::size_t position = 0;
};
/// Nothing for a table of something else.
std::optional<PlaceColumns> place_columns(const CsvTable& table);

/// The rows of a column whose values are known, [row] in the slot's unit, to stand at `item`. Rows
/// that are nowhere on the cell, and two of one place, are errors.
std::optional<models::Value> read_placed_rows(const ReadContext& context, const Item& item,
                                              const CsvTable& table, const PlaceColumns& places,
                                              models::Column column);

}  // namespace hillock::io
