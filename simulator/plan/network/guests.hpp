#pragma once
// Mechanisms that the process computes that has the run: points of a model stand for them.

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "network/spikes.hpp"

namespace hillock::simulator {

/// A point whose mechanism has a PARAMETER `guest_row` has that row of `numbers`. What is told
/// there is v, then of each ion its current, and its concentrations inside and outside, NaN where
/// they do not change; what is answered becomes the mechanism's states of these names: `guest_b`,
/// `guest_g`, and of each ion, with its name behind, `guest_j_`, `guest_i_` and `guest_o_`.
struct Guests {
  double* numbers = nullptr;
  std::size_t rows = 0;
  std::vector<std::string> ions;
  void* host = nullptr;
  /// What has spiked since the last step.
  void (*hear)(void* host, const network::CellSpike* spikes, std::size_t count) = nullptr;
  /// These return 0 where they have ended with an error. Before the currents of a step, at v and
  /// concentrations of its beginning.
  int (*begin)(void* host, std::int64_t step) = nullptr;
  /// Behind its solve, before all other states, at what v becomes and the currents of ions: for
  /// states that set concentrations.
  int (*solve)(void* host, std::int64_t step) = nullptr;
  /// When the step is done, at v and concentrations of its end: for other states.
  int (*end)(void* host, std::int64_t step) = nullptr;

  std::size_t told() const { return 1 + 3 * ions.size(); }
  std::size_t width() const { return told() + 2 + 3 * ions.size(); }
  std::span<double> row(double number) const {
    return {numbers + static_cast<std::size_t>(number) * width(), width()};
  }
};

}  // namespace hillock::simulator
