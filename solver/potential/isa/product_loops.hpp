// The product for the instruction set HILLOCK_ISA. Included once by each of the files beside it,
// and by nothing else.

#include "core/simd/exact_sum.hpp"
#include "core/simd/pack.hpp"
#include "solver/potential/products.hpp"

namespace hillock::solver::inline HILLOCK_ISA {

namespace {

using Contacts = Lanes<double, contacts_at_once>;
constexpr std::size_t numbers_a_line = 64 / sizeof(double);  ///< of a cache

/// Adds to the parts of one sample's sums at a block of contacts.
inline void add_to(double* sums, const Contacts& potentials) {
  ExactSum::add(potentials, [&](std::size_t part, const Contacts& some) {
    double* const sum = sums + part * contacts_at_once;
    store(sum, load<Contacts>(sum) + some);
  });
}

/// Some sources of a cell.
struct Part {
  const double* map = nullptr;  ///< of the first block
  std::size_t of_block = 0;     ///< from one block to the next
  std::size_t sources = 0;
  const double* currents = nullptr;  ///< [sample][sources_at_once]
  std::size_t samples = 0;           ///< a multiple of samples_at_once
  double* chains = nullptr;          ///< [block][sample][contact of the block]
};

/// `samples` samples from `first` on, at `blocks` blocks of contacts: as many potentials as
/// registers hold.
template <std::size_t samples, std::size_t blocks>
inline void add_some(const Part& part, std::size_t first, std::size_t block) {
  Contacts potentials[blocks][samples];
  const auto chain = [&](std::size_t b, std::size_t s) {
    return part.chains + ((block + b) * part.samples + first + s) * contacts_at_once;
  };
  for (std::size_t b = 0; b < blocks; ++b)
    for (std::size_t s = 0; s < samples; ++s) potentials[b][s] = load<Contacts>(chain(b, s));
  const double* map = part.map + block * part.of_block;
  const double* currents = part.currents + first * sources_at_once;
  for (std::size_t source = 0; source < part.sources; ++source) {
    for (std::size_t b = 0; b < blocks; ++b) {
      const auto row = load<Contacts>(map + b * part.of_block);
      __builtin_prefetch(map + (b + blocks) * part.of_block);
      for (std::size_t s = 0; s < samples; ++s)  // less 0 a number is itself, in all lanes
        potentials[b][s] = fma(row, currents[s * sources_at_once] - Contacts{}, potentials[b][s]);
    }
    map += contacts_at_once;
    ++currents;
  }
  for (std::size_t b = 0; b < blocks; ++b)
    for (std::size_t s = 0; s < samples; ++s) store(chain(b, s), potentials[b][s]);
}

/// All samples at some blocks of contacts.
template <std::size_t blocks>
inline void add_all(const Part& part, std::size_t block) {
  constexpr std::size_t samples = register_bytes == 64 ? samples_at_once : samples_at_once / 2;
  for (std::size_t first = 0; first < part.samples; first += samples)
    add_some<samples, blocks>(part, first, block);
}

}  // namespace

HILLOCK_KERNEL void add_potentials_of(const CellCurrents& cell) {
  const std::size_t samples = samples_in_work(cell.samples);
  double* const currents = cell.work;
  double* const chains = currents + samples * sources_at_once;
  for (std::size_t k = 0; k < cell.blocks * samples; ++k)
    store(chains + k * contacts_at_once, Contacts{});
  for (std::size_t source = 0; source < cell.sources; source += sources_at_once) {
    const std::size_t left = cell.sources - source;
    const Part part{cell.map + source * contacts_at_once,
                    cell.sources * contacts_at_once,
                    left < sources_at_once ? left : sources_at_once,
                    currents,
                    samples,
                    chains};
    for (std::size_t sample = 0; sample < cell.samples; ++sample) {
      const double* const from = cell.currents[sample] + cell.first + source;
      double* const to = currents + sample * sources_at_once;
      for (std::size_t s = 0; s < part.sources; ++s) to[s] = from[s];
      for (std::size_t s = 0; s < sources_at_once; s += numbers_a_line)
        __builtin_prefetch(from + sources_at_once + s);
    }
    std::size_t block = 0;
    if constexpr (register_bytes == 64)
      for (; block + 2 <= cell.blocks; block += 2) add_all<2>(part, block);
    for (; block < cell.blocks; ++block) add_all<1>(part, block);
  }
  constexpr std::size_t sums_of_block = ExactSum::parts * contacts_at_once;
  for (std::size_t sample = 0; sample < cell.samples; ++sample)
    for (std::size_t block = 0; block < cell.blocks; ++block)
      add_to(cell.sums + (sample * cell.blocks + block) * sums_of_block,
             load<Contacts>(chains + (block * samples + sample) * contacts_at_once));
}

}  // namespace hillock::solver::inline HILLOCK_ISA
