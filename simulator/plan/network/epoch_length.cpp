#include "simulator/plan/network/epoch_length.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

namespace hillock::simulator {

namespace {

constexpr std::int64_t most_steps = 400;

std::int64_t whole_steps(double delay_ms, double dt_ms, double most) {
  return static_cast<std::int64_t>(std::floor(std::min(most, delay_ms / dt_ms + 1e-9)));
}

/// Whether late spikes arrive after the epoch in which they are made, or after the next one. Steps
/// of point neurons end at multiples of their length and epochs at multiples of theirs: between the
/// two lie as many steps as an epoch has, less their greatest common divisor, at most.
bool come_in_time(const EpochBounds& bounds, std::int64_t steps, bool after_the_next) {
  return std::ranges::all_of(bounds.late, [&](const LateSpikes& late) {
    const std::int64_t left =
        whole_steps(late.shortest_delay_ms, bounds.dt_ms, 1e15) - late.run_steps;
    return (after_the_next ? steps : 0) + steps - std::gcd(steps, late.run_steps) <= left;
  });
}

/// Whether spikes travel while the next epoch runs. It takes twice as many epochs, so not where
/// these are short; and who waits for voltages at every step gains nothing by not waiting for
/// spikes.
bool overlaps(const EpochBounds& bounds, std::int64_t delay_steps) {
  constexpr std::int64_t short_epoch = 8;
  if (!bounds.has_ranks || bounds.has_gap_junctions || delay_steps < 2) return false;
  if (!come_in_time(bounds, 1, true)) return false;
  if (bounds.overlap != Overlap::automatic) return bounds.overlap == Overlap::yes;
  return delay_steps / 2 >= short_epoch;
}

}  // namespace

std::int64_t whole_delay_steps(double shortest_ms, double dt_ms, bool has_clock) {
  constexpr std::int64_t most = 2 * most_steps;
  if (shortest_ms <= 0) return most;
  const double steps = shortest_ms / dt_ms + (has_clock ? -1e-6 : 1e-9);
  return static_cast<std::int64_t>(std::floor(std::min<double>(most, steps)));
}

EpochLength epoch_length(const EpochBounds& bounds) {
  const std::int64_t bound =
      std::max(whole_delay_steps(bounds.shortest_delay_ms, bounds.dt_ms, bounds.has_clock),
               bounds.free_steps);
  EpochLength length;
  length.steps = std::clamp<std::int64_t>(std::min(bound, bounds.most_steps), 1, most_steps);
  if (bounds.has_gap_junctions) length.steps = 1;
  length.overlaps = overlaps(bounds, bound);
  if (length.overlaps) length.steps = std::min(length.steps, bound / 2);
  while (length.steps > 1 && static_cast<double>(length.steps) * bounds.samples_a_step > 1)
    length.steps /= 2;
  while (length.steps > 1 && !come_in_time(bounds, length.steps, length.overlaps)) --length.steps;
  return length;
}

}  // namespace hillock::simulator
