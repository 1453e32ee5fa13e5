#pragma once
// Reads a cell's `morphology:`: a file, a list of branches, compartments, or a random tree.

#include <cstdint>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "io/model/context/read_context.hpp"

namespace hillock::io {

using AnyMorphology = std::variant<models::Morphology, models::RandomTree>;

std::optional<AnyMorphology> read_morphology(ReadContext& context, const Item& item);

/// A list of branches; parents are moved before their children.
std::optional<models::Morphology> read_branches(const Item& item);

/// The branches of a cell and the numbers of its compartments, in an HDF5 file.
std::optional<models::Morphology> read_compartments(ReadContext& context, const Item& item);

inline constexpr std::size_t most_branches = 1'000'000;
inline constexpr int most_compartments_by_hand = 32767;  ///< of a branch
inline constexpr double most_compartments_a_cell = 1e7;

/// What is wrong with the name of a branch; empty for nothing.
std::string branch_name_problem(const std::string& name);

/// What is wrong with names of regions: a branch called like a region of others would make every
/// place on either ambiguous. where: which branch. Empty for nothing.
std::string region_names_problem(const std::vector<models::Branch>& branches, std::size_t& where);

/// Reads `discretization:`.
std::optional<models::Discretization> read_discretization(const Item& item);

/// About how many compartments a cell has. Reports more than are possible.
double check_compartments(const models::CableCell& cell, const Item& item);

}  // namespace hillock::io
