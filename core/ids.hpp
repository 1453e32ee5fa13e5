#pragma once
// Typed indices, so that two integers that mean different things cannot be swapped.

#include <compare>
#include <cstddef>
#include <cstdint>
#include <functional>

namespace hillock {

/// An index that only compares with indices of the same kind. `Tag` is never defined.
template <class Tag, class Integer>
struct Id {
  Integer value = 0;

  constexpr Id() = default;
  constexpr explicit Id(Integer v) : value(v) {}
  constexpr auto operator<=>(const Id&) const = default;
};

/// A cell of the whole network: populations in the file's order, cells in order within each.
using CellId = Id<struct CellTag, std::uint64_t>;
/// A population's place in models::Network::populations.
using PopulationId = Id<struct PopulationTag, std::uint32_t>;
/// A node of a discretised cell: a compartment's centre or a zero-area node.
using NodeId = Id<struct NodeTag, std::int32_t>;

}  // namespace hillock

template <class Tag, class Integer>
struct std::hash<hillock::Id<Tag, Integer>> {
  std::size_t operator()(hillock::Id<Tag, Integer> id) const noexcept {
    return std::hash<Integer>{}(id.value);
  }
};
