// The product for the instruction set HILLOCK_ISA. Included once by each of the files beside it,
// and by nothing else.

#include <algorithm>

#include "core/exact_sum.hpp"
#include "core/simd/pack.hpp"
#include "solver/potential/products.hpp"

namespace hillock::solver::inline HILLOCK_ISA {

namespace {

using Contacts = Lanes<double, contacts_at_once>;

/// Of `samples` samples from `first` on, at a block of contacts: as many sums as registers hold.
template <std::size_t samples>
inline void add_block(const CellCurrents& cell, std::size_t first, std::size_t block) {
  Contacts sums[samples] = {};
  const double* map = cell.map + block * cell.sources * contacts_at_once;
  const double* const currents = cell.currents + first * cell.stride;
  for (std::size_t source = 0; source < cell.sources; ++source, map += contacts_at_once) {
    const auto row = load<Contacts>(map);
    for (std::size_t s = 0; s < samples; ++s)
      sums[s] = fma(row, Contacts{} + currents[s * cell.stride + source], sums[s]);
  }
  constexpr std::size_t of_block = ExactSum::parts * contacts_at_once;
  for (std::size_t s = 0; s < samples; ++s) {
    double* const to = cell.sums + ((first + s) * cell.blocks + block) * of_block;
    ExactSum::add(sums[s], [&](std::size_t part, const Contacts& some) {
      double* const sum = to + part * contacts_at_once;
      store(sum, load<Contacts>(sum) + some);
    });
  }
}

}  // namespace

HILLOCK_KERNEL void add_potentials_of(const CellCurrents& cell) {
  constexpr std::size_t at_once = register_bytes == 64 ? 8 : 4;
  for (std::size_t block = 0; block < cell.blocks; ++block) {
    std::size_t sample = 0;
    for (; sample + at_once <= cell.samples; sample += at_once)
      add_block<at_once>(cell, sample, block);
    for (; sample < cell.samples; ++sample) add_block<1>(cell, sample, block);
  }
}

}  // namespace hillock::solver::inline HILLOCK_ISA
