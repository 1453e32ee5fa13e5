// The product for the instruction set HILLOCK_ISA. Included once by each of the files beside it,
// and by nothing else.

#include "core/exact_sum.hpp"
#include "core/simd/pack.hpp"
#include "solver/potential/products.hpp"

namespace hillock::solver::inline HILLOCK_ISA {

namespace {

using Contacts = Lanes<double, contacts_at_once>;

/// Adds to the parts of one sample's sums at a block of contacts.
inline void add_to(double* sums, const Contacts& potentials) {
  ExactSum::add(potentials, [&](std::size_t part, const Contacts& some) {
    double* const sum = sums + part * contacts_at_once;
    store(sum, load<Contacts>(sum) + some);
  });
}

/// `samples` samples from `first` on, at `blocks` blocks of contacts: as many potentials as
/// registers hold.
template <std::size_t samples, std::size_t blocks>
inline void add_some(const CellCurrents& cell, std::size_t first, std::size_t block) {
  Contacts potentials[blocks][samples] = {};
  const std::size_t of_block = cell.sources * contacts_at_once;
  const double* map = cell.map + block * of_block;
  const double* currents = cell.currents + first;
  for (std::size_t source = 0; source < cell.sources; ++source) {
    for (std::size_t b = 0; b < blocks; ++b) {
      const auto row = load<Contacts>(map + b * of_block);
      for (std::size_t s = 0; s < samples; ++s)
        potentials[b][s] = fma(row, Contacts{} + currents[s], potentials[b][s]);
    }
    map += contacts_at_once;
    currents += cell.stride;
  }
  constexpr std::size_t sums_of_block = ExactSum::parts * contacts_at_once;
  for (std::size_t s = 0; s < samples && first + s < cell.samples; ++s)
    for (std::size_t b = 0; b < blocks; ++b)
      add_to(cell.sums + ((first + s) * cell.blocks + block + b) * sums_of_block, potentials[b][s]);
}

/// All samples at some blocks of contacts.
template <std::size_t blocks>
inline void add_all(const CellCurrents& cell, std::size_t block) {
  constexpr std::size_t samples = register_bytes == 64 ? samples_at_once : samples_at_once / 2;
  for (std::size_t first = 0; first < cell.samples; first += samples)
    add_some<samples, blocks>(cell, first, block);
}

}  // namespace

HILLOCK_KERNEL void add_potentials_of(const CellCurrents& cell) {
  std::size_t block = 0;
  if constexpr (register_bytes == 64)
    for (; block + 2 <= cell.blocks; block += 2) add_all<2>(cell, block);
  for (; block < cell.blocks; ++block) add_all<1>(cell, block);
}

}  // namespace hillock::solver::inline HILLOCK_ISA
