#pragma once
// Potentials of currents: one product for many samples, summed exactly over cells.

#include <cstddef>

#include "core/simd/exact_sum.hpp"
#include "core/simd/isa.hpp"
#include "core/simd/lane_array.hpp"

namespace hillock::solver {

/// Numbers on cache-line borders.
using PotentialArray = LaneArray;

/// Contacts are taken so many at a time.
inline constexpr std::size_t contacts_at_once = 8;
/// And samples.
inline constexpr std::size_t samples_at_once = 8;
/// And sources: their currents, and what two blocks of contacts have of them, fit into the first
/// cache.
inline constexpr std::size_t sources_at_once = 32;

constexpr std::size_t contact_blocks(std::size_t contacts) {
  return (contacts + contacts_at_once - 1) / contacts_at_once;
}

/// A cell's map, [block of contacts][source][contact of the block] mV/nA: numbers, and where one
/// is.
constexpr std::size_t map_size(std::size_t sources, std::size_t contacts) {
  return contact_blocks(contacts) * sources * contacts_at_once;
}
constexpr std::size_t place_in_map(std::size_t source, std::size_t contact, std::size_t sources) {
  return (contact / contacts_at_once * sources + source) * contacts_at_once +
         contact % contacts_at_once;
}

/// The sums of one sample, [block of contacts][part of an ExactSum][contact of the block] mV.
constexpr std::size_t sums_size(std::size_t contacts) {
  return contact_blocks(contacts) * ExactSum::parts * contacts_at_once;
}
constexpr std::size_t place_in_sums(std::size_t part, std::size_t contact) {
  return (contact / contacts_at_once * ExactSum::parts + part) * contacts_at_once +
         contact % contacts_at_once;
}

/// What a product works on, numbers: the currents of some sources, and all chains.
constexpr std::size_t samples_in_work(std::size_t samples) {
  return (samples + samples_at_once - 1) / samples_at_once * samples_at_once;
}
constexpr std::size_t work_size(std::size_t samples, std::size_t blocks) {
  return samples_in_work(samples) * (sources_at_once + blocks * contacts_at_once);
}

/// The currents of one cell's sources at some samples, and where their potentials go. The map, the
/// work and the sums lie on cache-line borders.
struct CellCurrents {
  const double* map = nullptr;
  std::size_t sources = 0;
  std::size_t blocks = 0;                   ///< of contacts
  const double* const* currents = nullptr;  ///< [sample] nA, the cell's from `first` on
  std::size_t first = 0;
  std::size_t samples = 0;
  double* work = nullptr;  ///< work_size()
  double* sums = nullptr;  ///< [sample]
};

/// Adds a cell's potentials to sums. A potential is one chain of fused multiply-adds over the
/// sources in their order, whatever the instruction set.
using AddPotentials = void(const CellCurrents& cell);

AddPotentials* add_potentials(Isa isa = active_isa());

}  // namespace hillock::solver
