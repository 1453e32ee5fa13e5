#pragma once
// Reads a cell's `morphology:`: a file, a list of branches, or a random tree.

#include <cstdint>
#include <optional>
#include <variant>

#include "io/model/context/read_context.hpp"

namespace hillock::io {

using AnyMorphology = std::variant<models::Morphology, models::RandomTree>;

std::optional<AnyMorphology> read_morphology(ReadContext& context, const Item& item);

/// A list of branches; parents are moved before their children.
std::optional<models::Morphology> read_branches(const Item& item);

/// Reads `discretization:`.
std::optional<models::Discretization> read_discretization(const Item& item);

/// About how many compartments a cell has. Reports more than are possible.
double check_compartments(const models::CableCell& cell, const Item& item);

}  // namespace hillock::io
