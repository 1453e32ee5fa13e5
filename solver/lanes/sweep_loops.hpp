#pragma once
// The loops behind solver/lanes/sweep.hpp, for one instruction set.

#include "core/simd/pack.hpp"
#include "solver/lanes/sweep.hpp"

namespace hillock::solver::inline HILLOCK_ISA {

namespace sweep {

/// Takes row i out of its parent's diagonal. Returns 1 / pivot.
template <class V>
inline V eliminate(const LaneRows& rows, std::size_t at, std::size_t parent) {
  const V coupling = load<V>(rows.coupling + at);
  const V reciprocal = 1.0 / load<V>(rows.diagonal + at);
  const V factor = coupling * reciprocal;
  store<V>(rows.factor + at, factor);
  store<V>(rows.diagonal + parent, fma(-factor, coupling, load<V>(rows.diagonal + parent)));
  return reciprocal;
}

template <class V>
inline std::size_t parent_at(const LaneRows& rows, std::size_t i) {
  return static_cast<std::size_t>(rows.parent[i]) * lanes_of<V>;
}

template <class V>
HILLOCK_KERNEL void prepare(const LaneRows& all) {
  const LaneRows rows = all;  // a copy: no store can change it
  constexpr std::size_t lanes = lanes_of<V>;
  for (std::size_t i = rows.count; i-- > rows.roots;)
    store(rows.diagonal + i * lanes, eliminate<V>(rows, i * lanes, parent_at<V>(rows, i)));
}

template <class V>
HILLOCK_KERNEL void assemble(const LaneRows& all, const double* v) {
  const LaneRows rows = all;  // a copy: no store can change it
  constexpr std::size_t lanes = lanes_of<V>;
  for (std::size_t k = 0; k < rows.count * lanes; k += lanes)
    store<V>(rows.rhs + k,
             fma(load<V>(rows.capacity + k), load<V>(v + k), load<V>(rows.source + k)));
  for (std::size_t r = 0; r < rows.run_count; ++r) {
    const RowRun run = rows.runs[r];
    if (run.kind != RowRun::Kind::changing) continue;
    const double* constant = rows.constant_diagonal + run.kept * lanes;
    double* diagonal = rows.diagonal + run.begin * lanes;
    for (std::size_t k = 0; k < (run.end - run.begin) * lanes; k += lanes)
      store<V>(diagonal + k, load<V>(constant + k));
  }
}

/// Rows of one kind, last to first: adds them to their parents; rhs becomes rhs / pivot.
template <class V, RowRun::Kind kind>
inline void sweep_up(const LaneRows& rows, std::size_t begin, std::size_t end) {
  constexpr std::size_t lanes = lanes_of<V>;
  for (std::size_t i = end; i-- > begin;) {
    const std::size_t at = i * lanes, parent = parent_at<V>(rows, i);
    V reciprocal;
    if constexpr (kind == RowRun::Kind::changing) {
      reciprocal = eliminate<V>(rows, at, parent);
    } else {
      reciprocal = load<V>(rows.diagonal + at);
    }
    const V factor = load<V>(rows.factor + at);
    if constexpr (kind == RowRun::Kind::border)
      store<V>(rows.diagonal + parent,
               fma(-factor, load<V>(rows.coupling + at), load<V>(rows.diagonal + parent)));
    const V rhs = load<V>(rows.rhs + at);
    store<V>(rows.rhs + parent, fma(factor, rhs, load<V>(rows.rhs + parent)));
    store<V>(rows.rhs + at, rhs * reciprocal);
  }
}

template <class V>
HILLOCK_KERNEL void solve(const LaneRows& all) {
  const LaneRows rows = all;  // a copy: no store can change it
  constexpr std::size_t lanes = lanes_of<V>;
  for (std::size_t r = 0; r < rows.run_count; ++r) {
    const RowRun& run = rows.runs[r];
    const std::size_t begin = run.begin > rows.roots ? run.begin : rows.roots;
    if (run.kind == RowRun::Kind::changing)
      sweep_up<V, RowRun::Kind::changing>(rows, begin, run.end);
    else if (run.kind == RowRun::Kind::border)
      sweep_up<V, RowRun::Kind::border>(rows, begin, run.end);
    else
      sweep_up<V, RowRun::Kind::constant>(rows, begin, run.end);
  }
  for (std::size_t at = 0; at < rows.roots * lanes; at += lanes)
    store<V>(rows.rhs + at, load<V>(rows.rhs + at) / load<V>(rows.diagonal + at));
  for (std::size_t i = rows.roots; i < rows.count; ++i) {
    const std::size_t at = i * lanes;
    store<V>(rows.rhs + at, fma(load<V>(rows.factor + at),
                                load<V>(rows.rhs + parent_at<V>(rows, i)), load<V>(rows.rhs + at)));
  }
}

template <class V>
HILLOCK_KERNEL bool are_roots_finite(const LaneRows& all) {
  const LaneRows rows = all;
  constexpr std::size_t lanes = lanes_of<V>;
  V sum{};  // of zeros
  for (std::size_t at = 0; at < rows.roots * lanes; at += lanes) {
    const V x = load<V>(rows.rhs + at);
    sum = sum + (x - x);
  }
  return true_lanes(sum != 0.0) == 0;
}

template <class V>
HILLOCK_KERNEL void find_above(const double* v, std::span<const std::uint32_t> rows,
                               double threshold, std::uint8_t* bits) {
  for (std::size_t k = 0; k < rows.size(); ++k)
    bits[k] = static_cast<std::uint8_t>(
        true_lanes(load<V>(v + std::size_t{rows[k]} * lanes_of<V>) > threshold));
}

/// Where the numbers of a diffusing state are.
template <class V>
struct DiffusingLanes {
  LaneDiffusion all;

  template <Diffusing which>
  double* place(const DiffusionLink& link) const {
    double* const numbers = which == Diffusing::amount        ? all.amounts
                            : which == Diffusing::coefficient ? all.coefficients
                            : which == Diffusing::volume      ? all.volumes
                                                              : all.pivots;
    const int index = which == Diffusing::amount && all.is_by_row ? link.row : link.instance;
    return numbers + static_cast<std::size_t>(index) * all.stride;
  }
  template <Diffusing which>
  V get(const DiffusionLink& link) const {
    return load<V>(place<which>(link));
  }
  template <Diffusing which>
  void set(const DiffusionLink& link, const V& value) const {
    store<V>(place<which>(link), value);
  }
};

template <class V>
HILLOCK_KERNEL void diffuse(const LaneDiffusion& all) {
  solver::diffuse<V>(all.links, all.count, all.dt_ms, DiffusingLanes<V>{all});
}

}  // namespace sweep

template <class V>
constexpr SweepKernels sweep_kernels_of() {
  return {sweep::prepare<V>,          sweep::assemble<V>,   sweep::solve<V>,
          sweep::are_roots_finite<V>, sweep::find_above<V>, sweep::diffuse<V>};
}

/// For 1, 4 and 8 lanes.
const SweepKernels* sweep_tables();

}  // namespace hillock::solver::inline HILLOCK_ISA
