#pragma once
// The kernel that integrates cells for an epoch, one team of threads a cell. A row belongs to one
// thread of its cell's team, which does everything that happens there, in the CPU's order, but for
// the states of mechanisms that are dealt to squads of threads; threads of a team meet only there,
// where the tree is solved, where states spread along it and where samples are taken. So all but
// the solve is the CPU's arithmetic, number for number.
//
// A program, which the host writes for the mechanisms of some cells, has
//   using Real = ...;                       numbers of the cable on the chip: double or float
//   static constexpr int team, stride;      threads a cell; of element k of a cell (views.hpp)
//   static constexpr int solver_team;       so many of them solve the tree
//   static constexpr int squads, squad_ranks;   that mechanisms are dealt to; threads of a cell
//   static constexpr bool contracts;        whether by contraction, else branch by branch
//   static constexpr bool is_quick;         then dividing without IEEE's last bit
//   static constexpr bool shares_block;     each block has `stride` cells, with a team each
//   static constexpr bool has_all_pivots;   whether these keep a pivot for every row
//   static constexpr bool most_change, none_constant;   of pivots where cells share a block
//   static constexpr int layers;            extracellular ones
//   static constexpr bool is_double;        whether nothing computes with floats
//   static constexpr int tasks_of_thread;   of a contraction, at most; at least 1
//   static constexpr bool on_chip;          whether what it works in fits into shared memory
//   static constexpr bool tables_on_chip, ions_on_chip;
//   static constexpr int tables[], table_count;   by RowTable: its number, or -1: one for all
//   static constexpr bool one_row;          whether every cell has a single row
//   using Integrator = ...;                 one of step/integrators
//   using Blocks = ...                      blocks of mechanisms (BlockList)
//   static constexpr int ions, points;      how many; blocks of point processes
//   static constexpr bool all_change;       the first block is everywhere, and no pivot is constant
//   static constexpr bool sends, watches;   whether some mechanism sends events, has WATCH
//   static constexpr bool diffuses;         or states that spread along the cable
//   static constexpr bool follows_gaps;     or states that go on in a kernel of their own
//   static constexpr bool begins;           whether states and the next step's currents go together
//   static constexpr bool keeps_assigned, records_moved;   but where a sample looks in between
//   static constexpr bool has_few_states;   to advance, so that code for it may be there twice

#include "simulator/backends/device/kernels/branch_sweep.hpp"
#include "simulator/backends/device/kernels/cell_mechanisms.hpp"
#include "simulator/backends/device/kernels/contraction.hpp"
#include "simulator/backends/device/kernels/layered_sweep.hpp"
#include "simulator/step/cell_step.hpp"
#include "simulator/step/detector.hpp"

namespace hillock::simulator::on_device {

template <class Program>
class CellEpoch : public CellMechanisms<Program> {
  using Context = CellContext<Program>;
  using Context::a_;
  using Context::all_;
  using Context::cell_;
  using Context::d;
  using Context::entry_;
  using Context::in_place;
  using Context::instant;
  using Context::layers;
  using Context::owns;
  using Context::row_of;
  using Context::rows_;
  using Context::team_;
  using Context::team_size;

 public:
  using Real = typename Program::Real;
  using Context::v;
  using Context::x;
  using CellMechanisms<Program>::CellMechanisms;

  __device__ __forceinline__ void run(long long first, long long last, const EpochEvents& events) {
    load_cell();
    if constexpr (Program::contracts) {
      SolvedCell cell(*this);
      cell.begin(team_);
      tasks_.load(team_, cell.tables(), cell);
      team_.sync();
    }
    this->begin_events(events, first);
    this->begin_clock(first);
    above_ = a_.above[cell_];
    this->last_ = last;
#pragma unroll 1
    for (long long step = first; step < last; ++step)
      if (!step::take_step<typename Program::Integrator>(*this, step)) return;
    if constexpr (!in_place) this->for_rows([&](int r) { a_.v_mV[row_of(r)] = v(r); });
    if constexpr (layers > 0)
      this->for_rows([&](int r) {
        for (int l = 0; l < layers; ++l) a_.layers_mV[l][row_of(r)] = this->potential(l, r);
      });
    if (entry_.detector_row >= 0 && owns(entry_.detector_row)) a_.above[cell_] = above_;
    this->store_chip();
  }

  /// Takes the samples of a step from where the cell is.
  __device__ __forceinline__ void sample_only(long long step) {
    if (!this->has_samples()) return;
    load_cell();
    this->sample_all(step);
  }

  /// Goes on where the values of gap junctions were awaited.
  __device__ __forceinline__ void follow_gaps(long long step) {
    load_cell();
    this->begin_clock(step - 1);
    team_.sync();
    step::follow_gaps(*this, step);
    this->store_chip();
  }

  // As step/cell_step.hpp asks for, of the rows and instances that this thread owns.
  __device__ __forceinline__ double dt_ms() const {
    return all_.run.dt_ms;
  }
  __device__ __forceinline__ double time_ms(long long step) const {
    return all_.run.boundary_ms(step);
  }
  __device__ __forceinline__ double middle_ms(long long step) const {
    return all_.run.middle_ms(step);
  }
  __device__ static constexpr bool follows_gaps() {
    return Program::follows_gaps;
  }

  __device__ __forceinline__ void add_fields(double time_ms, bool) const {
    if constexpr (layers > 0) {
      this->each_field(time_ms, a_.field_nA, [&](int r, double nA) {
        this->electrode_nA_of(r) += static_cast<Real>(nA);
      });
      this->each_field(time_ms, a_.field_ground_nA,
                       [&](int r, double nA) { this->ground_nA_of(r) += static_cast<Real>(nA); });
    } else {
      this->each_field(time_ms, a_.field_nA,
                       [&](int r, double nA) { this->x(r) += static_cast<Real>(nA); });
    }
  }
  /// Begins and ends with the team in step.
  __device__ __forceinline__ bool solve_rows() {
    team_.sync();
    if constexpr (Program::one_row) {
      x(0) = x(0) / d(0);
      return is_finite(x(0));
    } else if constexpr (Program::contracts) {
      SolvedCell cell(*this);
      tasks_.solve(team_, cell);
      return !team_.any(tasks_.has_last() && !is_finite(x(rows_ - 1)));
    } else if constexpr (layers > 0) {
      if (team_.rank() < Program::solver_team) LayeredSweep<Context, SolverTeam>(*this).solve();
      team_.sync();
      this->for_rows([&](int r) { finish_row(r); });
      return root_is_finite();
    } else {
      if (team_.rank() < Program::solver_team) {
        using Sweep = BranchSweep<Context, SolverTeam, !Context::begins_diagonals>;
        Sweep(*this).solve();
      }
      return root_is_finite();
    }
  }
  __device__ __forceinline__ void begin_again() {
    this->has_begun_ = false;
    this->load_pivots();
    if constexpr (in_place) this->for_rows([&](int r) { x(r) = static_cast<Real>(v(r)); });
  }
  __device__ __forceinline__ void tell_what_spoils(long long step) const {
    team_.sync();
    if (team_.rank() != 0) return;
    if constexpr (Program::shares_block)
      if (!spoils_) return;
    // Rows whose diagonal never changes always have one that is finite and above 0, and rows that
    // no step computes a pivot for may hold anything.
    int row = rows_;
    const auto look = [&](int begin, int end) {
      for (int r = begin; r < end && r < row; ++r)
        if (!is_finite(x(r)) || !is_finite(d(r)) || d(r) <= 0) row = r;
    };
    if constexpr (Program::one_row || Program::contracts) {
      look(0, rows_);
    } else {
      for (int b = 0; b < this->branch_of_level(this->levels()); ++b) {
        const Branch branch = this->branch(b);
        look(branch.first,
             branch.constant_from <= branch.last ? branch.constant_from : branch.last + 1);
      }
    }
    this->fail({Failure::Kind::not_finite, a_.program, cell_, 0, row < rows_ ? row : 0, 0, step});
  }

  // As step/membrane.hpp asks for.
  __device__ __forceinline__ bool keeps_membrane_currents() const {
    return a_.membrane_nA != nullptr;
  }
  __device__ __forceinline__ bool has_electrodes() const {
    bool has = a_.fields_begin;
    all_.blocks.each(
        [&](auto block, const auto&) { has |= decltype(block)::E::info.is_electrode; });
    return has;
  }
  /// A row's pivot, which is no longer needed, is what electrodes conduct.
  __device__ __forceinline__ void gather_electrodes(double time_ms) const {
    if (!has_electrodes()) return;
    this->for_rows([&](int r) {
      membrane_nA(r) = 0;
      d(r) = 0;
    });
    all_.blocks.each([&](auto block, const auto& arrays) {
      using B = decltype(block);
      using E = typename B::E;
      if constexpr (step::turn_of_current(B::facts) == step::Turn::point && E::info.is_electrode)
        this->template for_own<B>(arrays, [&](const InstanceSlot& at) {
          typename B::Variables y;
          const double before = this->inside_before(at.r);
          load<Program, B>(arrays, at, before, y);
          const auto flow = E::current(y, this->template instant<typename B::V>(before, time_ms));
          const double i = -flow.i, g = -flow.g;
          this->a_.membrane_nA[at.row] += mechanisms::fma(g, before, -i);
          this->d(at.r) += static_cast<Real>(g);
        });
    });
    this->each_field(time_ms, a_.field_nA, [&](int r, double nA) { this->membrane_nA(r) += nA; });
  }
  __device__ __forceinline__ double electrode_nA(int r) const {
    return has_electrodes() ? membrane_nA(r) : 0;
  }
  __device__ __forceinline__ Real electrode_uS(int r) const {
    return has_electrodes() ? d(r) : 0;
  }
  __device__ __forceinline__ Real inside(int r) const {
    if constexpr (layers > 0)
      return x(r) + this->next_potential(0, r);
    else
      return x(r);
  }
  using CellSamples<Program>::membrane_nA;
  __device__ __forceinline__ double& membrane_nA(int r) const {
    return a_.membrane_nA[row_of(r)];
  }
  __device__ __forceinline__ void forget_electrodes() const {
    if (has_electrodes()) this->load_pivots();
  }
  template <class Start>
  __device__ __forceinline__ void keep_axial(const Start& start) const {
    team_.sync();
    double* const sample = this->membrane_sample();
    const auto column_of = [&](int r) {
      return sample ? a_.membrane_columns[row_of(r)] : no_column;
    };
    const auto keep = [&](int r, unsigned column, double nA) {
      membrane_nA(r) = nA;
      if (column != no_column) sample[column] = 0.0 + nA;
    };
    if constexpr (Program::one_row) {
      this->for_rows([&](int r) { keep(r, column_of(r), start(r)); });
      team_.sync();
      return;
    }
    const int* const integers = this->tail_integers();
    const auto* const links = reinterpret_cast<const RowLinks*>(integers + this->image_.links);
    const int* const more_children = integers + this->image_.more_children;
    const auto flow = [&](int from, int to, int coupled) {
      return coupling(coupled) * (inside(from) - inside(to));
    };
    constexpr int at_once = 4;  // what each asks for is far away
#pragma unroll 1
    for (int first = team_.rank(); first < rows_; first += at_once * team_size) {
      RowLinks of[at_once];
      unsigned column[at_once];
#pragma unroll
      for (int i = 0; i < at_once; ++i) {
        const int r = first + i * team_size < rows_ ? first + i * team_size : first;
        of[i] = links[r];
        column[i] = column_of(r);
      }
#pragma unroll
      for (int i = 0; i < at_once; ++i) {
        const int r = first + i * team_size;
        if (r >= rows_) continue;
        double sum = start(r);
        if (of[i].parent >= 0) sum += flow(of[i].parent, r, r);
        if (of[i].child >= 0) sum -= flow(r, of[i].child, of[i].child);
        for (int k = of[i].more_begin; k < of[i].more_end; ++k)
          sum -= flow(r, more_children[k], more_children[k]);
        keep(r, column[i], sum);
      }
    }
    team_.sync();
  }

  __device__ __forceinline__ void detect(long long step) {
    const int r = entry_.detector_row;
    if (!all_.run.detects || r < 0 || !owns(r)) return;
    const double threshold_mV = all_.run.threshold_mV;
    const double now = x(r);
    const bool above = now > threshold_mV;
    if (above == above_) return;
    above_ = above;
    if (above)
      this->add_spike(step::spike_ms(step, all_.run.spike_boundary_ms(step), threshold_mV, v(r),
                                     now, all_.run.interpolates, all_.run.dt_ms),
                      step);
  }
  __device__ __forceinline__ void take_voltages(bool settles) const {
    if constexpr (in_place) {
      this->for_rows_ahead([&](int r) { return x(r); },
                           [&](int r, Real found) {
                             if (settles)
                               x(r) = found = static_cast<Real>(mechanisms::settled(found));
                             v(r) = found;
                           });
      return;
    }
    this->for_rows([&](int r) {
      const Real found = x(r);
      const Real now = settles ? static_cast<Real>(mechanisms::settled(found)) : found;
      v(r) = now;
      for (int l = 0; l < layers; ++l) {
        const Real next = this->next_potential(l, r);
        this->potential(l, r) = settles ? static_cast<Real>(mechanisms::settled(next)) : next;
      }
    });
  }
  template <class Body>
  __device__ __forceinline__ void for_unknowns(const Body& body) const {
    this->for_rows([&](int r) {
      body(r);
      for (int l = 0; l < layers; ++l) body(array_of_layer(l) * this->most_rows_ + r);
    });
  }

 private:
  using SolvedCell = ContractionCell<Context, !Context::begins_diagonals>;
  using SolverTeam = CellTeam<Program::solver_team, Program::stride>;

  /// The root is the first thread's, and its voltage takes in every row of its tree.
  __device__ __forceinline__ bool root_is_finite() {
    spoils_ = team_.rank() == 0 && !is_finite(x(0));
    return !team_.any(spoils_);
  }

  __device__ __forceinline__ void load_cell() {
    this->for_rows([&](int r) {
      this->v_between(r) = static_cast<Real>(a_.v_mV[row_of(r)]);
      for (int l = 0; l < layers; ++l)
        this->potential(l, r) = static_cast<Real>(a_.layers_mV[l][row_of(r)]);
    });
    this->load_chip();
  }
  __device__ static bool is_finite(double number) {
    return number - number == 0;
  }
  /// Of potentials inside and in layers makes the voltage across the membrane.
  __device__ __forceinline__ void finish_row(int r) const {
    const Real has = this->template constant_of<RowTable::has_layers>(r);
    const Real found[2] = {x(r), this->next_potential(0, r)};
    x(r) = solver::voltage_of<Real, 2>(found, has);
    for (int l = 0; l < layers; ++l) this->next_potential(l, r) = this->next_potential(l, r) * has;
    if constexpr (!Program::all_change) d(r) = this->template constant_of<RowTable::constant>(r);
  }
  __device__ __forceinline__ Real coupling(int r) const {
    return this->coupling_uS(r);
  }

  /// Of a contraction: what each thread holds in registers.
  solver::contraction::HeldTasks<Real, Program::tasks_of_thread> tasks_;
  bool above_ = false;   ///< the threshold
  bool spoils_ = false;  ///< the cell's last solve was not finite
};

/// Calls body(CellEpoch) for the cell of this thread, if it has one.
template <class Program, class Body>
__device__ __forceinline__ void with_cell(const Arrays<Program>& arrays, const Body& body) {
  constexpr unsigned side_by_side = Program::stride;
  const unsigned cell = Program::team == 1 ? blockIdx.x * blockDim.x + threadIdx.x
                                           : blockIdx.x * side_by_side + threadIdx.x % side_by_side;
  if (cell >= arrays.cells.cells) return;
  if constexpr (Program::one_row) {
    typename Program::Real work[row_arrays(false)];
    CellEpoch<Program> epoch(arrays, cell, work, nullptr);
    body(epoch);
  } else if constexpr (Program::on_chip) {
    extern __shared__ __align__(16) double shared[];
    CellEpoch<Program> epoch(
        arrays, cell, reinterpret_cast<typename Program::Real*>(shared) + cell % side_by_side,
        shared + side_by_side * arrays.cells.work_words);
    body(epoch);
  } else {
    double* const work =
        arrays.cells.scratch + static_cast<unsigned long long>(cell / side_by_side) * side_by_side *
                                   arrays.cells.work_words;
    CellEpoch<Program> epoch(arrays, cell,
                             reinterpret_cast<typename Program::Real*>(work) + cell % side_by_side,
                             nullptr);
    body(epoch);
  }
}

}  // namespace hillock::simulator::on_device
