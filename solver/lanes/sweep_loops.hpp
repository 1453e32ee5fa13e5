#pragma once
// The loops behind solver/lanes/sweep.hpp, for one instruction set.

#include "core/simd/pack.hpp"
#include "solver/lanes/layer_sweep_loops.hpp"
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

/// As many rows of one lane as fill a register.
using Rows = PackOf<register_bytes / 8>::type;

/// Calls body<V>(k) for every V in numbers [begin, end), which are whole rows: several rows of one
/// lane together.
template <class V, class Body>
inline void for_numbers(std::size_t begin, std::size_t end, const Body& body) {
  constexpr std::size_t lanes = lanes_of<V>, wide = lanes == 1 ? lanes_of<Rows> : lanes;
  std::size_t k = begin;
  if constexpr (wide > lanes)
    for (; k + wide <= end; k += wide) body.template operator()<Rows>(k);
  for (; k < end; k += lanes) body.template operator()<V>(k);
}

template <class V>
HILLOCK_KERNEL void assemble(const LaneRows& all, const double* v) {
  const LaneRows rows = all;  // a copy: no store can change it
  constexpr std::size_t lanes = lanes_of<V>;
  for_numbers<V>(rows.first * lanes, rows.count * lanes, [&]<class P>(std::size_t k) {
    store<P>(rows.rhs + k,
             fma(load<P>(rows.capacity + k), load<P>(v + k), load<P>(rows.source + k)));
  });
  for (std::size_t r = 0; r < rows.run_count; ++r) {
    const RowRun run = rows.runs[r];
    if (run.kind != RowRun::Kind::changing) continue;
    const double* constant = rows.constant_diagonal + run.kept * lanes;
    double* diagonal = rows.diagonal + run.begin * lanes;
    for_numbers<V>(0, (run.end - run.begin) * lanes,
                   [&]<class P>(std::size_t k) { store<P>(diagonal + k, load<P>(constant + k)); });
  }
}

/// A row, or rows that are apart: adds them to their parents; rhs becomes rhs / pivot.
template <class V, RowRun::Kind kind>
inline void go_up(const LaneRows& rows, std::size_t at, std::size_t parent) {
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

template <class V>
inline void go_down(const LaneRows& rows, std::size_t at, std::size_t parent) {
  store<V>(rows.rhs + at,
           fma(load<V>(rows.factor + at), load<V>(rows.rhs + parent), load<V>(rows.rhs + at)));
}

/// Rows of one kind, last to first.
template <class V, RowRun::Kind kind>
inline void sweep_up(const LaneRows& rows, const RowRun& piece) {
  constexpr std::size_t lanes = lanes_of<V>;
  const std::size_t begin = piece.begin > rows.roots ? piece.begin : rows.roots;
  std::size_t i = piece.end;
  if constexpr (lanes == 1)
    if (piece.are_apart)
      for (constexpr std::size_t wide = lanes_of<Rows>; i >= begin + wide;) {
        i -= wide;
        go_up<Rows, kind>(rows, i, parent_at<V>(rows, i));
      }
  while (i-- > begin) go_up<V, kind>(rows, i * lanes, parent_at<V>(rows, i));
}

template <class V>
inline void sweep_up(const LaneRows& rows) {
  for (std::size_t p = 0; p < rows.piece_count; ++p) {
    const RowRun& piece = rows.pieces[p];
    if (piece.kind == RowRun::Kind::changing)
      sweep_up<V, RowRun::Kind::changing>(rows, piece);
    else if (piece.kind == RowRun::Kind::border)
      sweep_up<V, RowRun::Kind::border>(rows, piece);
    else
      sweep_up<V, RowRun::Kind::constant>(rows, piece);
  }
}

template <class V>
inline void sweep_down(const LaneRows& rows) {
  constexpr std::size_t lanes = lanes_of<V>;
  for (std::size_t p = rows.piece_count; p-- > 0;) {
    const RowRun& piece = rows.pieces[p];
    std::size_t i = piece.begin > rows.roots ? piece.begin : rows.roots;
    if constexpr (lanes == 1)
      if (piece.are_apart)
        for (constexpr std::size_t wide = lanes_of<Rows>; i + wide <= piece.end; i += wide)
          go_down<Rows>(rows, i, parent_at<V>(rows, i));
    for (; i < piece.end; ++i) go_down<V>(rows, i * lanes, parent_at<V>(rows, i));
  }
}

template <class V>
HILLOCK_KERNEL void solve(const LaneRows& all) {
  const LaneRows rows = all;  // a copy: no store can change it
  constexpr std::size_t lanes = lanes_of<V>;
  sweep_up<V>(rows);
  for (std::size_t at = 0; at < rows.roots * lanes; at += lanes)
    store<V>(rows.rhs + at, load<V>(rows.rhs + at) / load<V>(rows.diagonal + at));
  sweep_down<V>(rows);
}

template <class V>
HILLOCK_KERNEL void eliminate_part(const LaneRows& all) {
  const LaneRows rows = all;  // a copy: no store can change it
  sweep_up<V>(rows);
}
template <class V>
HILLOCK_KERNEL void substitute_part(const LaneRows& all) {
  const LaneRows rows = all;  // a copy: no store can change it
  sweep_down<V>(rows);
}

template <class V>
inline void undo_coupling(const LaneRows& rows, const LaneDerivatives& by, std::size_t at,
                          std::size_t parent) {
  const V rhs = load<V>(rows.rhs + at) - load<V>(rows.rhs + parent);
  const V along = load<V>(by.solved + at) - load<V>(by.solved + parent);
  store<V>(by.by_coupling + at, load<V>(by.by_coupling + at) - rhs * along);
}

template <class V>
HILLOCK_KERNEL void undo(const LaneRows& all, const LaneDerivatives& derivatives) {
  const LaneRows rows = all;  // copies: no store can change them
  const LaneDerivatives by = derivatives;
  constexpr std::size_t lanes = lanes_of<V>;
  for_numbers<V>(0, rows.count * lanes, [&]<class P>(std::size_t k) {
    const P rhs = load<P>(rows.rhs + k), past = load<P>(by.v + k) - load<P>(by.solved + k);
    const P same =
        load<P>(rows.capacity + k) + load<P>(by.diagonal + k) - load<P>(rows.constant_diagonal + k);
    store<P>(by.past + k, past);
    store<P>(by.by_capacity + k, load<P>(by.by_capacity + k) + rhs * past);
    store<P>(by.by_v + k, load<P>(by.by_v + k) + rhs * same);
  });
  for (std::size_t p = 0; p < rows.piece_count; ++p) {
    const RowRun& piece = rows.pieces[p];
    std::size_t i = piece.begin > rows.roots ? piece.begin : rows.roots;
    if constexpr (lanes == 1)
      if (piece.are_apart)
        for (constexpr std::size_t wide = lanes_of<Rows>; i + wide <= piece.end; i += wide)
          undo_coupling<Rows>(rows, by, i, parent_at<V>(rows, i));
    for (; i < piece.end; ++i) undo_coupling<V>(rows, by, i * lanes, parent_at<V>(rows, i));
  }
}

template <class V>
HILLOCK_KERNEL void take_axial(const LaneRows& all, double* to, bool adds) {
  const LaneRows rows = all;  // a copy: no store can change it
  constexpr std::size_t lanes = lanes_of<V>;
  if (!adds)
    for (std::size_t at = 0; at < rows.roots * lanes; at += lanes) store<V>(to + at, V{});
  for (std::size_t i = rows.roots; i < rows.count; ++i) {
    const std::size_t at = i * lanes, parent = parent_at<V>(rows, i);
    const V flow =
        load<V>(rows.coupling + at) * (load<V>(rows.rhs + parent) - load<V>(rows.rhs + at));
    store<V>(to + at, (adds ? load<V>(to + at) : V{}) + flow);  // its children come later
    store<V>(to + parent, load<V>(to + parent) - flow);
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
  return {sweep::prepare<V>,        sweep::assemble<V>,         sweep::solve<V>,
          sweep::eliminate_part<V>, sweep::substitute_part<V>,  sweep::undo<V>,
          sweep::take_axial<V>,     sweep::are_roots_finite<V>, sweep::find_above<V>,
          sweep::diffuse<V>,        layer_sweep::solve<V>};
}

/// For 1, 4 and 8 lanes.
const SweepKernels* sweep_tables();

}  // namespace hillock::solver::inline HILLOCK_ISA
