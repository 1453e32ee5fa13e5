#pragma once
// Values of which each cell of a population has its own: a column of a CSV file, or a list; or, in
// regions, each compartment of a cell.

#include <optional>

#include "io/model/context/read_context.hpp"
#include "io/model/values/slot.hpp"

namespace hillock::io {

/// `{csv: variants.csv, column: gbar, unit: mS/cm2, row: "floor(index / 13)"}`
std::optional<models::Value> read_column(ReadContext& context, const Item& item, const Slot& slot);

/// `{list: [0.1 nA, 0.2 nA], row: "mod(index, 2)"}`
std::optional<models::Value> read_list_of_cells(ReadContext& context, const Item& item,
                                                const Slot& slot);

/// `{hdf5: values.h5, compartments: /hh/gnabar, unit: mS/cm2}`: a number for each compartment of a
/// cell that is given in compartments, in one row for all cells or in a row for each.
std::optional<models::Value> read_compartment_rows(ReadContext& context, const Item& item,
                                                   const Slot& slot);

/// The unit of a file's numbers: the slot's where there is no item; nothing after an error.
std::optional<Unit> read_column_unit(const std::optional<Item>& item, const Item& value,
                                     const Slot& slot);

/// `row: "floor(index / 13)"`: which of several a cell has. False after an error.
bool read_row(const std::optional<Item>& item, std::optional<Expression>& to);

}  // namespace hillock::io
