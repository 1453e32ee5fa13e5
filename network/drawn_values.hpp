#pragma once
// The weights and delays of connections that distributions draw, a block of connections at a time.

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>

#include "core/expressions/block_kernels.hpp"
#include "core/random/pair_draws.hpp"
#include "models/network.hpp"

namespace hillock::network {

/// Where one of the two values is a distribution's: its shape, the key of its draws, and which one
/// of a pair of draws makes it.
struct DrawnValue {
  DrawShape shape;
  std::uint64_t key = 0;
  bool is_second = false;
};

/// A draw is a function of seed, projection, source, target and k. Weight and delay share a pair of
/// draws where both want uniform ones, or both normal ones. Several threads may ask at once.
class DrawnValues {
 public:
  DrawnValues(std::uint64_t seed, std::size_t number, const models::Projection& projection);

  const std::optional<DrawnValue>& weight() const { return values_[0]; }
  const std::optional<DrawnValue>& delay() const { return values_[1]; }

  /// Those of connections onto one cell, [connection]; what no distribution makes stays as it is.
  /// k: empty where it is 0 for all. Throws Error when a truncated distribution gives nothing.
  void draw(std::uint32_t target, std::span<const std::uint32_t> sources,
            std::span<const std::uint32_t> k, double* weights, double* delays_ms) const;

 private:
  void draw_block(DrawCounters counters, std::size_t n, double* weights, double* delays_ms) const;
  void draw_again(const DrawnValue& value, DrawCounters counters, double* to, std::size_t n) const;

  const BlockKernels& kernels_;
  std::array<std::optional<DrawnValue>, 2> values_;
};

}  // namespace hillock::network
