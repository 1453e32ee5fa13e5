#pragma once
// Values of batches of tridiagonal systems, cables of random couplings: a hash of a row's place in
// the batch, the same function on host and device.

#include <cstddef>
#include <cstdint>

#ifdef __CUDACC__
#define HILLOCK_BENCH_THOMAS __host__ __device__ inline
#else
#define HILLOCK_BENCH_THOMAS inline
#endif

namespace hillock::bench {

inline constexpr double thomas_kappa = 10;  ///< couplings over the diagonal's excess

HILLOCK_BENCH_THOMAS double thomas_uniform(std::uint64_t x) {  // a hash, in [0, 1)
  x += 0x9e3779b97f4a7c15ull;
  x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9ull;
  x = (x ^ (x >> 27)) * 0x94d049bb133111ebull;
  return static_cast<double>((x ^ (x >> 31)) >> 11) * 0x1p-53;
}

/// Writes row i of n, which lies at values[at] and field_stride further for each field.
template <class Real>
HILLOCK_BENCH_THOMAS void draw_thomas_row(Real* values, std::size_t field_stride, std::size_t at,
                                          std::uint32_t i, std::uint32_t n) {
  const auto link = [](std::size_t p) { return thomas_kappa * (0.5 + thomas_uniform(p * 4)); };
  const double a = i == 0 ? 0 : link(at), c = i + 1 == n ? 0 : link(at + 1);
  values[at] = static_cast<Real>(-a);
  values[at + field_stride] = static_cast<Real>(1 + thomas_uniform(at * 4 + 1) + a + c);
  values[at + 2 * field_stride] = static_cast<Real>(-c);
  values[at + 3 * field_stride] = static_cast<Real>(thomas_uniform(at * 4 + 2) - 0.5);
}

}  // namespace hillock::bench
