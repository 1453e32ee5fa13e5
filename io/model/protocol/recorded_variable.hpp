#pragma once
// What a recording's `variable:` means on a cell: v, i_membrane, hh.m, ina.

#include <optional>

#include "io/model/context/read_context.hpp"

namespace hillock::io {

/// Resolves the variable against the signatures and checks that it occurs on the population's cell.
std::optional<models::RecordedVariable> read_recorded_variable(ReadContext& context,
                                                               const Item& item,
                                                               PopulationId population);

/// The same of points of a list, of whose mechanism it is: "g" or "exp2syn.g".
std::optional<models::RecordedVariable> read_variable_of_points(ReadContext& context,
                                                                const Item& item,
                                                                const models::PointList& list);

}  // namespace hillock::io
