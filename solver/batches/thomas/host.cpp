#include "solver/batches/thomas/host.hpp"

#include <omp.h>

#include <algorithm>
#include <type_traits>

#include "solver/batches/thomas/partition.hpp"
#include "solver/batches/thomas/sweep.hpp"

namespace hillock::solver {
namespace {

using namespace thomas;

void require_size(const ThomasArrangement& a, std::size_t size) {
  if (size != a.storage)
    throw InvalidBatch(a.systems, a.rows * a.systems, "storage of the wrong size");
}

void require_size(const ThomasVariableArrangement& a, std::size_t size) {
  if (size != a.storage)
    throw InvalidBatch(a.system.size(), a.rows_in_all, "storage of the wrong size");
}

int threads_or_all(int threads) {
  return threads > 0 ? threads : omp_get_max_threads();
}

/// One system of consecutive rows, as a warp solves it.
template <class Real, int m>
void split_system(int lanes, Real* values, std::size_t rows, std::size_t field_stride) {
  std::vector<Chunk<Real, m>> chunk(static_cast<std::size_t>(lanes));
  std::vector<Link<Real>> link(chunk.size()), next(chunk.size());
  const std::size_t n = chunk.size();
  for (std::size_t k = 0; k < n; ++k) {
    chunk[k].eliminate_down([&](int i, Real& a, Real& d, Real& c, Real& b) {
      const std::size_t row = k * m + static_cast<std::size_t>(i);
      const bool in = row < rows;
      a = in && row > 0 ? values[row] : Real(0);
      d = in ? values[row + field_stride] : Real(1);
      c = in && row + 1 < rows ? values[row + 2 * field_stride] : Real(0);
      b = in ? values[row + 3 * field_stride] : Real(0);
    });
    chunk[k].eliminate_up();
  }
  for (std::size_t k = 0; k < n; ++k)
    link[k] = chunk[k].between_last_rows(k + 1 < n ? chunk[k + 1].first() : no_link<Real>());
  for (std::size_t h = 1; h < n; h *= 2) {
    for (std::size_t k = 0; k < n; ++k)
      next[k] = reduce(link[k], k >= h ? link[k - h] : no_link<Real>(),
                       k + h < n ? link[k + h] : no_link<Real>());
    link.swap(next);
  }
  for (std::size_t k = 0; k < n; ++k) {
    const Real before = k > 0 ? link[k - 1].value : Real(0);
    for (int i = 0; i < m; ++i) {
      const std::size_t row = k * m + static_cast<std::size_t>(i);
      if (row >= rows) break;
      values[row + 3 * field_stride] =
          i < m - 1 ? chunk[k].solution(i, before, link[k].value) : link[k].value;
    }
  }
}

template <class Real>
void split_system(ThomasSplit split, Real* values, std::size_t rows, std::size_t field_stride) {
  const auto run = [&](auto m) {
    split_system<Real, decltype(m)::value>(split.lanes, values, rows, field_stride);
  };
  switch (split.rows_a_lane) {
    case 3:
      return run(std::integral_constant<int, 3>{});
    case 5:
      return run(std::integral_constant<int, 5>{});
    case 9:
      return run(std::integral_constant<int, 9>{});
    case 13:
      return run(std::integral_constant<int, 13>{});
    case 17:
      return run(std::integral_constant<int, 17>{});
    case 25:
      return run(std::integral_constant<int, 25>{});
    case 33:
      return run(std::integral_constant<int, 33>{});
    default:
      throw UsageError("tridiagonal systems: no kernel has so many rows a lane");
  }
}

}  // namespace

template <class Real>
void solve_serial(const ThomasArrangement& a, std::span<Real> values) {
  require_size(a, values.size());
  for (std::size_t s = 0; s < a.systems; ++s)
    sweep(values.data() + a.start(s), a.rows, a.row_stride, a.field_stride);
}

template <class Real>
void solve_serial(const ThomasVariableArrangement& a, std::span<Real> values) {
  require_size(a, values.size());
  for (std::size_t slot = 0; slot < a.size.size(); ++slot)
    sweep(values.data() + a.start[slot], a.size[slot], a.row_stride, a.field_stride);
}

template <class Real>
void solve_openmp(const ThomasArrangement& a, std::span<Real> values, int threads) {
  require_size(a, values.size());
#pragma omp parallel for schedule(static) num_threads(threads_or_all(threads))
  for (std::size_t s = 0; s < a.systems; ++s)
    sweep(values.data() + a.start(s), a.rows, a.row_stride, a.field_stride);
}

template <class Real>
void solve_openmp(const ThomasVariableArrangement& a, std::span<Real> values, int threads) {
  require_size(a, values.size());
#pragma omp parallel for schedule(dynamic, 64) num_threads(threads_or_all(threads))
  for (std::size_t slot = 0; slot < a.size.size(); ++slot)
    sweep(values.data() + a.start[slot], a.size[slot], a.row_stride, a.field_stride);
}

template <class Real>
void solve_simd(const ThomasArrangement& a, std::span<Real> values, int threads) {
  require_size(a, values.size());
  constexpr std::size_t width = 8;
  if (a.lanes < width) return solve_openmp(a, values, threads);
  const std::size_t pieces = (a.lanes + width - 1) / width;  // of a group
  const std::size_t groups = (a.systems + a.lanes - 1) / a.lanes;
#pragma omp parallel for schedule(static) num_threads(threads_or_all(threads))
  for (std::size_t piece = 0; piece < groups * pieces; ++piece) {
    const std::size_t lane = piece % pieces * width;
    const std::size_t first = piece / pieces * a.lanes + lane;
    const std::size_t last =
        std::min({first + width, piece / pieces * a.lanes + a.lanes, a.systems});
    if (first >= last) continue;
    if (last - first == width) {
      sweep_lanes<Real, width>(values.data() + a.start(first), a.rows, a.row_stride,
                               a.field_stride);
    } else {
      for (std::size_t s = first; s < last; ++s)
        sweep(values.data() + a.start(s), a.rows, a.row_stride, a.field_stride);
    }
  }
}

template <class Real>
void solve_split(const ThomasArrangement& a, ThomasSplit split, std::span<Real> values) {
  require_size(a, values.size());
  if (a.layout != ThomasLayout::flat)
    throw UsageError("tridiagonal systems: lanes need the flat layout");
  if (a.rows > split.most_rows())
    throw UsageError("tridiagonal systems: more rows than the lanes hold");
  for (std::size_t s = 0; s < a.systems; ++s)
    split_system(split, values.data() + a.start(s), a.rows, a.field_stride);
}

template <class Real>
void solve_split(const ThomasVariableArrangement& a, std::span<Real> values) {
  require_size(a, values.size());
  if (a.layout != ThomasVariableLayout::compact)
    throw UsageError("tridiagonal systems: lanes need the compact layout");
  for (std::size_t slot = 0; slot < a.size.size(); ++slot)
    split_system(choose_split(a.size[slot], 1), values.data() + a.start[slot], a.size[slot],
                 a.field_stride);
}

#define HILLOCK_INSTANTIATE(Real)                                                           \
  template void solve_serial<Real>(const ThomasArrangement&, std::span<Real>);              \
  template void solve_serial<Real>(const ThomasVariableArrangement&, std::span<Real>);      \
  template void solve_openmp<Real>(const ThomasArrangement&, std::span<Real>, int);         \
  template void solve_openmp<Real>(const ThomasVariableArrangement&, std::span<Real>, int); \
  template void solve_simd<Real>(const ThomasArrangement&, std::span<Real>, int);           \
  template void solve_split<Real>(const ThomasArrangement&, ThomasSplit, std::span<Real>);  \
  template void solve_split<Real>(const ThomasVariableArrangement&, std::span<Real>);
HILLOCK_INSTANTIATE(float)
HILLOCK_INSTANTIATE(double)
#undef HILLOCK_INSTANTIATE

}  // namespace hillock::solver
