#pragma once
// Random numbers of stimuli that draw afresh in every step: a function of seed, stimulus, cell and
// step, the same on host and device. Philox4x32-10 (core/random/philox.hpp), key: the seed,
// counter: a pair of cells, stimulus and step. A block of four words serves two cells, so far apart
// that who draws for neighbours does so in packs and stores them side by side.

#include "core/random/normal_pair.hpp"
#include "core/random/philox.hpp"
#include "mechanisms/runtime/runtime.hpp"

namespace hillock::mechanisms::inline HILLOCK_ISA {

using hillock::normal_pair;
using hillock::PairOf;
using hillock::squared_radius;

inline constexpr int cells_apart = 16;

/// The block that a cell has in common with another one: which one, and whether the cell is the
/// second.
HILLOCK_FUNCTION unsigned long long pair_of(unsigned long long cell) {
  return cell / (2 * cells_apart) * cells_apart + cell % cells_apart;
}
HILLOCK_FUNCTION bool is_second(unsigned long long cell) {
  return cell / cells_apart % 2 != 0;
}

/// pair: below 2^48; stimulus: below 2^16.
HILLOCK_FUNCTION WordPair step_words(unsigned long long seed, unsigned stimulus,
                                     unsigned long long pair, unsigned long long step) {
  return word_pair(
      {{static_cast<unsigned>(pair), static_cast<unsigned>(pair >> 32) | stimulus << 16,
        static_cast<unsigned>(step), static_cast<unsigned>(step >> 32)}},
      seed);
}

/// In the open interval (0, 1).
HILLOCK_FUNCTION double step_uniform(unsigned long long seed, unsigned stimulus,
                                     unsigned long long cell, unsigned long long step) {
  const WordPair words = step_words(seed, stimulus, pair_of(cell), step);
  return hillock::unit_interval(is_second(cell) ? words.second : words.first);
}

/// A draw of mean 0 and standard deviation 1.
HILLOCK_FUNCTION double step_normal(unsigned long long seed, unsigned stimulus,
                                    unsigned long long cell, unsigned long long step) {
  const WordPair words = step_words(seed, stimulus, pair_of(cell), step);
  const PairOf<double> draws =
      normal_pair<double>(hillock::unit_interval(words.first), hillock::unit_interval(words.second),
                          static_cast<long long>(words.second));
  return is_second(cell) ? draws.second : draws.first;
}

/// From one number of events to the next, where `mean` are expected.
struct PoissonSteps {
  double mean;
  double probability;  ///< of so many; begins with exp(-mean), the probability that none comes
  double below;        ///< of so many or fewer
  double count;

  HILLOCK_FUNCTION bool is_last() const { return count >= mean && probability <= 0x1p-60; }
  HILLOCK_FUNCTION void next() {
    count += 1;
    probability *= mean / count;
    below += probability;
  }
};

/// How many events of a Poisson process come where `mean` are expected, as the uniform number u
/// says: so many that the probability of fewer is not above u. mean: at most 600. Ends where the
/// probabilities beyond the mean no longer count, some nine standard deviations above it.
/// none: exp(-mean), the probability that none comes.
HILLOCK_FUNCTION double poisson_quantile(double mean, double none, double u) {
  PoissonSteps steps{mean, none, none, 0};
  while (u >= steps.below && !steps.is_last()) steps.next();
  return steps.count;
}
HILLOCK_FUNCTION double poisson_quantile(double mean, double u) {
  return poisson_quantile(mean, exp<double>(-mean), u);
}

}  // namespace hillock::mechanisms::inline HILLOCK_ISA
