#pragma once
// `tables:` of a .mod file in a model: the numbers of its FUNCTION_TABLEs.

#include "core/mechanism/function_table.hpp"
#include "io/model/context/read_context.hpp"

namespace hillock::io {

/// Numbers are in the units that the .mod file gives the table and its arguments; whether it has
/// such tables is not known here. Nothing after an error.
std::optional<GivenTables> read_tables(ReadContext& context, const Item& item);

}  // namespace hillock::io
