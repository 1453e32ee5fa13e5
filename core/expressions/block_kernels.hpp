#pragma once
// Loops over blocks of numbers: the operations of expressions, uniform draws, distances. Compiled
// once for each instruction set (core/simd/isa.hpp); every number is what a plain double would
// give.

#include <cstddef>
#include <cstdint>

#include "core/expressions/operation.hpp"
#include "core/simd/isa.hpp"

namespace hillock {

/// Numbers in a block; a column of that many lies on cache-line borders (LaneArray). Loops may go
/// on to the next multiple of 8, those that draw pairs of 16.
inline constexpr std::size_t block_size = 128;

struct DrawShape;

/// Counters of pair draws (core/random/pair_draws.hpp): {a[i], b, c[i], attempt}.
struct DrawCounters {
  std::uint64_t key = 0;
  const std::uint32_t* a = nullptr;
  std::uint32_t b = 0;
  const std::uint32_t* c = nullptr;  ///< null: 0 for all
  std::uint32_t attempt = 0;
};

struct BlockKernels {
  /// to[i] = operation of a[i], b[i] and c[i], as many as it takes; `to` is none of these.
  using Apply = void(const double* a, const double* b, const double* c, double* to, std::size_t n);
  Apply* of[operation_count] = {};  ///< null: constant, variable

  /// to[i] = from[i] · factor.
  void (*scale)(const double* from, double factor, double* to, std::size_t n) = nullptr;
  /// to[i] = end - begin[i].
  void (*displacements)(double end, const double* begin, double* to, std::size_t n) = nullptr;
  /// to[i] = the length of (x[i], y[i], z[i]), scaled by its greatest part against overflow.
  void (*lengths)(const double* x, const double* y, const double* z, double* to,
                  std::size_t n) = nullptr;
  /// The uniform draws of a stream from its number 4·block on: n of them, a multiple of 8.
  /// key: RandomKey.
  void (*uniforms)(std::uint64_t seed, std::uint64_t purpose, const std::uint64_t* key,
                   std::uint64_t block, double* to, std::size_t n) = nullptr;
  /// The two draws of each counter: normal ones, or uniform.
  void (*draw_pairs)(const DrawCounters& counters, bool normal, double* first, double* second,
                     std::size_t n) = nullptr;
  /// to[i] = what a distribution makes of draws[i]; they may be one array.
  void (*shape)(const DrawShape& shape, const double* draws, double* to, std::size_t n) = nullptr;
  /// Writes every i with draws[i] < p[i], rising, to `to`, which has room for n. How many.
  std::size_t (*pick)(const double* draws, const double* p, std::uint32_t* to,
                      std::size_t n) = nullptr;
  /// The least and the greatest number, NaN left out; both as they were where there is none
  /// beyond.
  void (*extend)(const double* values, std::size_t n, double* least, double* greatest) = nullptr;
  /// Whether all numbers are finite, at least `minimum` and at most `maximum`.
  bool (*are_within)(const double* values, double minimum, double maximum, std::size_t n) = nullptr;
};

const BlockKernels& block_kernels(Isa isa = active_isa());

}  // namespace hillock
