#include "solver/batches/hines_batch/cpu.hpp"

#include <omp.h>

#include <cstring>

#include "solver/batches/hines_batch/elimination.hpp"

namespace hillock::solver {
namespace {

using namespace hines;

template <class T>
void solve_system(const Forest& shape, BatchValues<T>& values, std::size_t system) {
  const std::size_t first = shape.first()[system];
  const int* parent = shape.parent(static_cast<std::size_t>(shape.tree_of(system))).data();
  solve_by_parents(values.diagonal.data() + first, values.coupling.data() + first, 1,
                   values.rhs.data() + first, 1, shape.size(system),
                   [parent](int i) { return parent[i]; });
}

template <class T>
struct LanesOf;
template <>
struct LanesOf<double> {
  typedef double type __attribute__((vector_size(64)));
};
template <>
struct LanesOf<float> {
  typedef float type __attribute__((vector_size(64)));
};

// The loop of solve_by_parents with a cache line of systems in place of a number.
template <class T>
[[gnu::always_inline]] inline void solve_group(T* diagonal, const T* coupling, T* rhs,
                                               const int* parent, int rows) {
  using V = typename LanesOf<T>::type;
  constexpr std::size_t lanes = 64 / sizeof(T);
  const auto get = [](const T* from, int row) __attribute__((always_inline)) {
    V value;
    std::memcpy(&value, from + static_cast<std::size_t>(row) * lanes, sizeof(V));
    return value;
  };
  const auto put = [](T * to, int row, const V& value) __attribute__((always_inline)) {
    std::memcpy(to + static_cast<std::size_t>(row) * lanes, &value, sizeof(V));
  };
  for (int i = rows - 1; i > 0; --i) {
    const int p = parent[i];
    const V a = get(coupling, i);
    const V factor = a / get(diagonal, i);
    put(diagonal, p, get(diagonal, p) - factor * a);
    put(rhs, p, get(rhs, p) + factor * get(rhs, i));
  }
  put(rhs, 0, get(rhs, 0) / get(diagonal, 0));
  for (int i = 1; i < rows; ++i)
    put(rhs, i, (get(rhs, i) + get(coupling, i) * get(rhs, parent[i])) / get(diagonal, i));
}

// One body for every instruction set. No contraction to fused multiply-add: same bits in each.
#if defined(__x86_64__) && defined(__gnu_linux__) && !defined(__SANITIZE_ADDRESS__)
#define HILLOCK_CLONES [[gnu::target_clones("avx512f", "avx2", "default")]]
#else
#define HILLOCK_CLONES
#endif

HILLOCK_CLONES void solve_lane_group(double* d, const double* u, double* b, const int* parent,
                                     int rows) {
  solve_group(d, u, b, parent, rows);
}
HILLOCK_CLONES void solve_lane_group(float* d, const float* u, float* b, const int* parent,
                                     int rows) {
  solve_group(d, u, b, parent, rows);
}

bool has_one_tree(const HinesSchedule& schedule, std::size_t group) {
  const std::size_t width = static_cast<std::size_t>(schedule.width);
  for (std::size_t slot = group * width; slot < (group + 1) * width; ++slot)
    if (schedule.system_of_slot[slot] >= 0 &&
        schedule.tree_of_slot[slot] != schedule.tree_of_slot[group * width])
      return false;
  return true;
}

}  // namespace

template <class T>
void solve_serial(const Forest& shape, BatchValues<T>& values) {
  check_values(shape, values);
  for (std::size_t s = 0; s < shape.n_systems(); ++s) solve_system(shape, values, s);
}

template <class T>
void solve_openmp(const Forest& shape, BatchValues<T>& values, int threads) {
  check_values(shape, values);
  if (threads <= 0) threads = omp_get_max_threads();
  const auto n = static_cast<std::ptrdiff_t>(shape.n_systems());
#pragma omp parallel for schedule(static) num_threads(threads)
  for (std::ptrdiff_t s = 0; s < n; ++s) solve_system(shape, values, static_cast<std::size_t>(s));
}

template <class T>
void solve_lanes(const HinesSchedule& schedule, HinesValues<T>& values, int threads) {
  if (schedule.width != simd_lanes<T>().width ||
      schedule.arrangement.walk != HinesArrangement::Walk::parents)
    throw UsageError("Hines batch: the schedule is not one of SIMD lanes");
  if (threads <= 0) threads = omp_get_max_threads();
  const auto groups = static_cast<std::ptrdiff_t>(schedule.n_groups());
#pragma omp parallel for schedule(static) num_threads(threads)
  for (std::ptrdiff_t g = 0; g < groups; ++g) {
    const auto group = static_cast<std::size_t>(g);
    const std::size_t slot = group * static_cast<std::size_t>(schedule.width);
    const std::size_t base = schedule.group_first[group];
    T* d = values.diagonal.data() + base;
    T* b = values.rhs.data() + base;
    const T* u = values.coupling.data() + base;
    if (has_one_tree(schedule, group)) {
      const auto tree = static_cast<std::size_t>(schedule.tree_of_slot[slot]);
      solve_lane_group(d, u, b, schedule.parent_of_row.data() + schedule.tree_first[tree],
                       schedule.rows(group));
      continue;
    }
    for (std::size_t l = 0; l < static_cast<std::size_t>(schedule.width); ++l) {
      const auto tree = static_cast<std::size_t>(schedule.tree_of_slot[slot + l]);
      const int* parent = schedule.parent_of_row.data() + schedule.tree_first[tree];
      const auto width = static_cast<std::size_t>(schedule.width);
      solve_by_parents(d + l, u + l, width, b + l, width, schedule.size_of_slot[slot + l],
                       [parent](int i) { return parent[i]; });
    }
  }
}

template void solve_serial(const Forest&, BatchValues<float>&);
template void solve_serial(const Forest&, BatchValues<double>&);
template void solve_openmp(const Forest&, BatchValues<float>&, int);
template void solve_openmp(const Forest&, BatchValues<double>&, int);
template void solve_lanes(const HinesSchedule&, HinesValues<float>&, int);
template void solve_lanes(const HinesSchedule&, HinesValues<double>&, int);

}  // namespace hillock::solver
