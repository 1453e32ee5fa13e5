#pragma once
// What stimuli give to point neurons in every step.

#include <algorithm>
#include <cstdint>
#include <span>
#include <variant>
#include <vector>

#include "core/containers/one_or_many.hpp"
#include "mechanisms/draws/step_draw_loops.hpp"
#include "mechanisms/runtime/electrode.hpp"
#include "models/network.hpp"
#include "network/propagation/input_ring.hpp"
#include "network/propagation/sum_grid.hpp"

namespace hillock::simulator {

/// The cells of a range that a stimulus reaches, and how it draws for them.
struct DrivenNeurons {
  std::uint64_t seed = 0;
  std::uint32_t stimulus = 0;        ///< of the model
  std::vector<std::uint32_t> cells;  ///< of the range, rising
  std::vector<std::uint64_t> ids;    ///< [cell of `cells`] in the whole network

  static constexpr std::size_t most_at_once = 256;

  /// Calls body(i, draws) for pieces of those of `cells` that lie in [first, first + count): for
  /// whom to draw, of which the first one is cell i of `cells`.
  template <class Body>
  void each_piece(std::int64_t step, std::size_t first, std::size_t count, const Body& body) const {
    const std::size_t end = place_of(first + count);
    for (std::size_t i = place_of(first); i < end; i += most_at_once)
      body(i, mechanisms::StepDraws{seed, stimulus, static_cast<std::uint64_t>(step), &ids[i],
                                    std::min(most_at_once, end - i)});
  }
  /// Where in `cells` the first one is that is not before `cell`.
  std::size_t place_of(std::size_t cell) const;
};

/// The steps [first, last) of each of them in which a stimulus is there.
struct StepPeriod {
  OneOrManyOf<std::int64_t> first, last;

  bool is_one() const { return first.is_one() && last.is_one(); }
  bool has(std::int64_t step, std::size_t cell) const {
    return step >= first[cell] && step < last[cell];
  }
  /// Whether none of them has it in a step.
  bool is_over(std::int64_t step) const { return is_one() && !has(step, 0); }
};

/// A fresh normal draw for every neuron and step, which is added to its injected current.
struct GaussianNoise {
  DrivenNeurons neurons;
  OneOrMany mean, sd;  ///< [cell], in the unit of the injected current
  StepPeriod period;

  /// Adds those of cells first, first + 1, … of the range.
  void add(std::int64_t step, std::size_t first, std::span<double> injected) const;
};

/// Events of independent Poisson processes, as many as come between two steps.
struct EventCounts {
  DrivenNeurons neurons;
  OneOrMany expected, weight;  ///< [cell], events a step
  StepPeriod period;           ///< they come before these steps

  double largest_weight() const;
  /// Adds those of `count` cells from `first_cell` on to what arrives before the step.
  void add(std::int64_t step, std::size_t first_cell, std::size_t count, network::InputRing& inputs,
           const network::SumGrid& grid) const;
};

double value_at(const models::Waveform& waveform, double time_ms);

/// The current of an electrode, which is added to the injected one.
struct InjectedCurrent {
  DrivenNeurons neurons;
  // [cell]; of one of the two there are none.
  std::vector<mechanisms::ElectrodePulses> pulses;
  std::vector<const models::Waveform*> waveforms;  ///< the model's

  double at(double time_ms, std::size_t cell) const;
  /// Adds that of cells first, first + 1, … of the range.
  void add(double time_ms, std::size_t first, std::span<double> injected) const;
};

using StepInput = std::variant<GaussianNoise, EventCounts, InjectedCurrent>;

}  // namespace hillock::simulator
