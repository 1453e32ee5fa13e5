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
//   each static constexpr bool contracts;        whether by contraction, else branch by branch
//   static constexpr bool shares_block;     each block has `stride` cells, with a team each
//   static constexpr bool has_all_pivots;   whether these keep a pivot for every row
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
#include "simulator/backends/device/kernels/cell_ions.hpp"
#include "simulator/backends/device/kernels/contraction.hpp"
#include "simulator/backends/device/kernels/layered_sweep.hpp"
#include "simulator/step/cell_step.hpp"
#include "simulator/step/detector.hpp"

namespace hillock::simulator::on_device {

template <class Program>
class CellEpoch : public CellIons<Program> {
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
  using CellIons<Program>::CellIons;

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
    last_ = last;
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
  __device__ __forceinline__ bool has_begun() const {
    return Program::begins && has_begun_;
  }
  __device__ static constexpr bool follows_gaps() {
    return Program::follows_gaps;
  }

  __device__ __forceinline__ void begin_rows(double time_ms, bool keeps) const {
    begin_rows<false>({time_ms, keeps});
  }
  template <step::Turn turn>
  __device__ __forceinline__ void add_currents(double time_ms, bool keeps) const {
    add_currents<turn, false>({time_ms, keeps});
  }
  /// A pass over the rows of a step. at_ms, keeps: add_currents' time and what it keeps.
  struct Pass {
    double at_ms;
    bool keeps;
    bool flows = true;  ///< else it adds up nothing
    double end_ms = 0;  ///< where states go on first: when that is
  };
  template <bool advances>
  __device__ __forceinline__ void begin_rows(const Pass& pass) const {
    if (advances && !Program::all_change && !pass.flows) return;
    if constexpr (in_place && !Program::all_change) {
      this->for_rows_ahead(
          [&](int r) {
            return mechanisms::fma(this->template constant_of<RowTable::capacity_uS>(r), x(r),
                                   this->template constant_of<RowTable::source_nA>(r));
          },
          [&](int r, Real rhs) { x(r) = rhs; });
      return;
    }
#pragma unroll 1
    for (int r = team_.rank(); r < rows_; r += team_size) {
      constexpr bool sets_diagonal = Context::begins_diagonals;
      const Real v_mV = this->v_between(r);
      Membrane row{mechanisms::fma(this->template constant_of<RowTable::capacity_uS>(r), v_mV,
                                   this->template constant_of<RowTable::source_nA>(r)),
                   0};
      if constexpr (sets_diagonal) row.diagonal = this->template constant_of<RowTable::constant>(r);
      all_.blocks.each([&](auto block, const auto& arrays) {
        using B = decltype(block);
        if constexpr (B::is_leading)
          add_current<B, advances>(arrays, this->slot_of(arrays, static_cast<unsigned>(r), r), v_mV,
                                   pass, row);
      });
      if (advances && !pass.flows) continue;
      x(r) = row.rhs;
      if constexpr (sets_diagonal) d(r) = row.diagonal;
      if constexpr (layers > 0)
        this->electrode_uS_of(r) = this->electrode_nA_of(r) = this->ground_nA_of(r) = 0;
    }
  }
  template <step::Turn turn, bool advances>
  __device__ __forceinline__ void add_currents(const Pass& pass) const {
    all_.blocks.each_group(
        [](auto block) {
          using B = decltype(block);
          return step::turn_of_current(B::facts) == turn && !B::is_leading;
        },
        [&](auto first, const auto& its, const auto& each) {
          using E = typename decltype(first)::E;
          this->template for_own<decltype(first)>(its, [&](const InstanceSlot& own) {
            constexpr bool passes = passes_layers<E>;
            Real& rhs = passes ? this->electrode_nA_of(own.r) : this->x(own.r);
            Real& diagonal = passes ? this->electrode_uS_of(own.r) : this->d(own.r);
            Membrane row{rhs, diagonal};
            const Real v_mV = this->template seen_by<E>(own.r);
            each([&](auto block, const auto& arrays) {
              this->template add_current<decltype(block), advances>(
                  arrays, this->slot_of(arrays, own.instance, own.r), v_mV, pass, row);
            });
            if (advances && !pass.flows) return;
            rhs = row.rhs;
            diagonal = row.diagonal;
          });
        });
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
  __device__ __forceinline__ void keep_constant(double time_ms) const {
    all_.blocks.each([&](auto block, const auto& arrays) {
      using B = decltype(block);
      using E = typename B::E;
      if constexpr (B::facts.is_constant && B::keeps_assigned)
        this->template for_own<B>(arrays, [&](const InstanceSlot& at) {
          typename B::Variables y;
          load<Program, B>(arrays, at, this->v(at.r), y);
          E::current(y, this->template instant<typename B::V>(this->v(at.r), time_ms));
          store<B, E::info.first_assigned(), E::info.first_state()>(arrays, at, y);
        });
    });
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
        using Sweep = BranchSweep<Context, SolverTeam, !Program::all_change>;
        Sweep(*this).solve();
      }
      return root_is_finite();
    }
  }
  __device__ __forceinline__ void begin_again() {
    has_begun_ = false;
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
  __device__ __forceinline__ void settle() const {
    all_.blocks.each([&](auto block, const auto& arrays) {
      using B = decltype(block);
      using E = typename B::E;
      constexpr int first = mechanisms::first_settled(E::info);
      if constexpr (first < E::info.count())
        this->template for_own<B>(arrays, [&](const InstanceSlot& at) {
          for_variables<E, first, E::info.count()>(
              [&](auto number) {
                constexpr int c = decltype(number)::value;
                if constexpr (B::homes[c] != one_for_all) {
                  auto& value = variable<B, c>(arrays, at);
                  value = mechanisms::settled(value);
                }
              },
              [&](int begin, int end) {
#pragma unroll 1
                for (int c = begin; c < end; ++c) {
                  double& value = arrays.columns[c].data[at.element];
                  value = mechanisms::settled(value);
                }
              });
        });
    });
  }

  template <step::Turn turn>
  __device__ __forceinline__ void advance(double end_ms, long long next) {
    if constexpr (turn == step::Turn::density && Program::squads > 1) {
      team_.sync();  // what others made of rows, ions and states is there
      advance_some<turn, true>(end_ms);
      team_.sync();
    }
    if constexpr (turn == step::Turn::density && Program::begins) {
      has_begun_ = may_begin(next);
      // Of few states there are two passes in the kernel, with flows and without.
      if (has_begun_ || !Program::has_few_states) {
        if (has_begun_) this->begin_ions();
        const Pass pass{this->middle_ms(next), false, Program::has_few_states || has_begun_,
                        end_ms};
        begin_rows<true>(pass);
        add_currents<turn, true>(pass);
        return;
      }
    }
    if constexpr (turn != step::Turn::density || !Program::begins || Program::has_few_states)
      advance_some<turn, false>(end_ms);
  }
  /// Spreads states along the cable, a thread a state.
  __device__ __forceinline__ void diffuse() const {
    if constexpr (!Program::diffuses || Program::one_row) return;
    team_.sync();
    int turn = 0;
    all_.blocks.each([&](auto block, const auto& arrays) {
      using B = decltype(block);
      for_constants<0, B::E::info.diffusion_count>([&](auto number) {
        if (turn++ % team_size != team_.rank() || !arrays.links) return;
        const DiffusingState<B, decltype(number)::value> state{*this, arrays};
        const unsigned first = arrays.links_begin[cell_];
        solver::diffuse<typename B::Value>(arrays.links + first,
                                           static_cast<int>(arrays.links_begin[cell_ + 1] - first),
                                           all_.run.dt_ms, state);
      });
    });
    team_.sync();
  }

 private:
  /// Whether the step from `next` on may begin before what happens at that boundary.
  __device__ __forceinline__ bool may_begin(long long next) {
    if (next == last_) return false;
    if (Program::records_moved && this->is_sampled(next)) return false;
    return !(Program::keeps_assigned && this->is_sampled(next + 1));
  }
  /// Blocks whose states go on in a turn, and that are dealt or are not.
  template <step::Turn turn, bool dealt>
  __device__ __forceinline__ void advance_some(double end_ms) const {
    all_.blocks.each_group(
        [](auto block) {
          using B = decltype(block);
          return step::turn_of_states(B::facts) == turn && advances<typename B::E> &&
                 (B::squad >= 0) == dealt;
        },
        [&](auto first, const auto& its, const auto& each) {
          using First = decltype(first);
          this->template for_advanced<First>(its, [&](const InstanceSlot& own) {
            using Seer = typename First::E;
            const Real v_mV =
                in_place ? this->v_between(own.r) : this->template seen_by<Seer>(own.r);
            each([&](auto block, const auto& arrays) {
              using B = decltype(block);
              if (dealt && B::squad != this->squad()) return;
              const InstanceSlot at = this->slot_of(arrays, own.instance, own.r);
              typename B::Variables y;
              load<Program, B>(arrays, at, v_mV, y);
              advance_one<B>(arrays, at, v_mV, end_ms, y);
            });
          });
        });
  }
  template <class B>
  __device__ __forceinline__ void advance_one(const BlockArrays<typename B::E>& block,
                                              const InstanceSlot& at, Real v_mV, double end_ms,
                                              typename B::Variables& y) const {
    using E = typename B::E;
    E::advance(y, this->template instant<typename B::V>(v_mV, end_ms));
    store<B, first_changed<E>, E::info.count()>(block, at, y);
    store_outside<Program, B>(block, at, y);
  }

  using SolvedCell = ContractionCell<Context, !Context::begins_diagonals>;
  using SolverTeam = CellTeam<Program::solver_team, Program::stride>;

  /// The root is the first thread's, and its voltage takes in every row of its tree.
  __device__ __forceinline__ bool root_is_finite() {
    spoils_ = team_.rank() == 0 && !is_finite(x(0));
    return !team_.any(spoils_);
  }

  /// What is added up at a row in a step.
  struct Membrane {
    Real rhs, diagonal;
  };

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
  /// Whether a mechanism's currents pass by the layers that are there: electrodes'.
  template <class E>
  static constexpr bool passes_layers = layers > 0 && E::info.is_electrode;
  /// The voltage that it sees: electrodes, as in NEURON, that of the inside.
  template <class E>
  __device__ __forceinline__ Real seen_by(int r) const {
    if constexpr (passes_layers<E>)
      return this->inside_before(r);
    else
      return v(r);
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

  template <class B, bool advances_first>
  __device__ __forceinline__ void add_current(const BlockArrays<typename B::E>& block,
                                              const InstanceSlot& at, Real v_mV, const Pass& pass,
                                              Membrane& row) const {
    using E = typename B::E;
    using V = typename B::V;
    typename B::Variables y;
    load<Program, B>(block, at, v_mV, y);
    if constexpr (advances_first && advances<E> && B::squad < 0 &&
                  step::turn_of_states(B::facts) == step::Turn::density)
      advance_one<B>(block, at, v_mV, pass.end_ms, y);
    if (advances_first && !pass.flows) return;
    const V its_mV = v_mV;
    const mechanisms::Current<V> flow =
        E::current(y, this->template instant<V>(its_mV, pass.at_ms));
    if constexpr (E::info.changes_in_current) {
      constexpr int first = E::info.changes_parameters ? 0 : E::info.first_assigned();
      store<B, first, E::info.count()>(block, at, y);
      store_outside<Program, B>(block, at, y);
    }
    if constexpr (Program::ions > 0)
      for_ion_currents<B>(block, at, y, [&](V current, unsigned long long sums) {
        *ion_number<Program>(sums, at) += current;
      });
    if constexpr (B::keeps_assigned || B::is_pointed_at)
      if (pass.keeps || B::is_pointed_at)
        store<B, E::info.first_assigned(), E::info.first_state()>(block, at, y);
    const auto its = mechanisms::row_flow<E>(flow, its_mV, [&]() -> V {
      return this->template constant_of<RowTable::area_factor>(at.r);
    });
    row.diagonal += its.g;
    row.rhs += its.source;
  }

  /// One diffusing state of a block on this cell.
  template <class B, int d>
  struct DiffusingState {
    using E = typename B::E;
    static constexpr mechanisms::Diffusion columns = E::diffusions[d];
    /// The coupling of a concentration that is an ion's, or -1.
    static constexpr int coupling = [] {
      for (int k = 0; k < E::info.coupling_count; ++k)
        if (E::couplings[k].column == columns.state && B::outside[k]) return k;
      return -1;
    }();

    const CellEpoch& cell;
    const BlockArrays<E>& block;

    template <solver::Diffusing which>
    __device__ __forceinline__ auto& number(const solver::DiffusionLink& link) const {
      const InstanceSlot at = cell.slot_of(block, static_cast<unsigned>(link.instance), link.row);
      if constexpr (which == solver::Diffusing::amount && coupling >= 0)
        return *ion_number<Program>(block.shared[coupling], at);
      else if constexpr (which == solver::Diffusing::amount)
        return variable<B, columns.state>(block, at);
      else if constexpr (which == solver::Diffusing::coefficient)
        return variable<B, columns.coefficient>(block, at);
      else if constexpr (which == solver::Diffusing::volume)
        return variable<B, columns.volume>(block, at);
      else
        return variable<B, columns.pivot>(block, at);
    }
    template <solver::Diffusing which>
    __device__ __forceinline__ typename B::Value get(const solver::DiffusionLink& link) const {
      return static_cast<typename B::Value>(number<which>(link));
    }
    template <solver::Diffusing which>
    __device__ __forceinline__ void set(const solver::DiffusionLink& link,
                                        typename B::Value value) const {
      number<which>(link) = value;
    }
  };

  /// Of a contraction: what each thread holds in registers.
  solver::contraction::HeldTasks<Real, Program::tasks_of_thread> tasks_;
  long long last_ = 0;      ///< boundary of the epoch
  bool has_begun_ = false;  ///< the step that follows, with densities' part of it
  bool above_ = false;      ///< the threshold
  bool spoils_ = false;     ///< the cell's last solve was not finite
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
