#pragma once
// One implicit step of the cells of lane trees: rows from v, elimination, substitution. The loops
// are in sweep_loops.hpp, compiled once for each instruction set (core/simd/isa.hpp).
//
//   diagonal[i]·x[i] - coupling[i]·x[parent[i]] - Σ_children coupling[c]·x[c] = rhs[i]
//
// Where nothing below a row changes in time, its pivot never changes: the row is `constant`, and
// what a step would compute for it again is kept. A constant row does the same arithmetic as one
// that is not, less what is known beforehand, so that a cell's numbers do not depend on which rows
// of its group are constant.

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "core/simd/isa.hpp"
#include "solver/diffusion.hpp"
#include "solver/lanes/layer_sweep.hpp"

namespace hillock::solver {

/// Rows [begin, end) of one kind.
struct RowRun {
  enum class Kind {
    changing,  ///< the pivot is computed in every step
    border,    ///< the pivot is constant, the parent's is not
    constant,  ///< both are constant
  };
  std::size_t begin = 0;
  std::size_t end = 0;
  Kind kind = Kind::changing;
  std::size_t kept = 0;  ///< changing: the row of LaneRows::constant_diagonal that is row `begin`
  /// One after the other like their parents, which are none of them: they can be done together.
  bool are_apart = false;
};

/// The runs in pieces, for LaneRows::pieces: of one tree in one lane those whose rows are apart are
/// pieces of their own. parent: [row]; runs: from the last row to the first.
std::vector<RowRun> pieces_of(std::span<const RowRun> runs, std::span<const int> parent);

/// Everything is [row][lane] unless said otherwise.
struct LaneRows {
  std::size_t count = 0;
  std::size_t roots = 1;                      ///< trees, whose roots are the first rows
  const int* parent = nullptr;                ///< [row], a parent precedes its children
  const double* coupling = nullptr;           ///< uS
  const double* capacity = nullptr;           ///< C/dt, uS
  const double* source = nullptr;             ///< what never changes of the right-hand side, nA
  const double* constant_diagonal = nullptr;  ///< of changing rows: what never changes of it, uS
  const RowRun* runs = nullptr;               ///< from the last row to the first; roots are apart
  std::size_t run_count = 0;
  const RowRun* pieces = nullptr;  ///< the runs, or of one tree in one lane pieces of them
  std::size_t piece_count = 0;
  double* factor = nullptr;    ///< coupling over pivot; at changing rows of this step
  double* diagonal = nullptr;  ///< uS; at rows that do not change 1 / pivot
  double* rhs = nullptr;
  /// Of threads that share the rows of one tree (shared_rows.hpp) each has `runs` and `pieces` of
  /// its own, and assembles from here to `count`.
  std::size_t first = 0;
};

/// A step, backwards, by row: what it began with and solved for, with that diagonal; and what a
/// number is derived by.
struct LaneDerivatives {
  const double *v = nullptr, *solved = nullptr, *diagonal = nullptr;
  double* past = nullptr;                                                  ///< gets v - solved
  double *by_v = nullptr, *by_capacity = nullptr, *by_coupling = nullptr;  ///< added to
};

/// A state that diffuses along the cables of cells, one a lane.
struct LaneDiffusion {
  const DiffusionLink* links = nullptr;  ///< of all lanes
  int count = 0;
  double dt_ms = 0;
  /// The number of an instance is at instance·stride; amounts of an ion at row·stride.
  std::size_t stride = 1;
  bool is_by_row = false;  ///< amounts
  double *amounts = nullptr, *coefficients = nullptr, *volumes = nullptr, *pivots = nullptr;
};

struct SweepKernels {
  /// diagonal: in, what never changes of it in all rows. Eliminates that alone and keeps factors
  /// and, in the diagonal's place, reciprocals of the pivots of all rows but the roots.
  void (*prepare)(const LaneRows&) = nullptr;
  /// diagonal and rhs of a step as far as they do not depend on mechanisms that change.
  void (*assemble)(const LaneRows&, const double* v) = nullptr;
  /// rhs: in, the solution out. A pivot of 0 gives values that are not finite.
  /// Cost O(count); one division a changing row. Deterministic. Source: Hines 1984.
  void (*solve)(const LaneRows&) = nullptr;
  /// The same in two parts, before and after the rows above are solved: of pieces that have no
  /// root, what flows into the rows above, and what comes back.
  void (*eliminate)(const LaneRows&) = nullptr;
  void (*substitute)(const LaneRows&) = nullptr;
  /// rhs: what the number is derived by, by right-hand sides, in all rows that change. Adds what
  /// follows by capacities, couplings and the v that right-hand sides have.
  void (*undo)(const LaneRows&, const LaneDerivatives&) = nullptr;
  /// What flows into each row along the cable by the solution, nA, first from above, then from each
  /// row below; adds: to what is there.
  void (*take_axial)(const LaneRows&, double* to, bool adds) = nullptr;
  /// Whether the roots' solutions are finite numbers.
  bool (*are_roots_finite)(const LaneRows&) = nullptr;
  /// bits[k]: in which lanes of row rows[k] v is above the threshold, bit l of lane l.
  void (*find_above)(const double* v, std::span<const std::uint32_t> rows, double threshold,
                     std::uint8_t* bits) = nullptr;
  /// A step of solver/diffusion.hpp in all lanes.
  void (*diffuse)(const LaneDiffusion&) = nullptr;
  /// Instead of solve(), of rows that have layers. Cost O(count), layers + 1 divisions a row.
  void (*solve_layers)(const LayerRows&) = nullptr;
};

/// For 1, 4 or 8 lanes.
const SweepKernels& sweep_kernels(int lanes, Isa isa = active_isa());

}  // namespace hillock::solver
