#pragma once
// The kernel that integrates cells for an epoch, one team of threads a cell. A row belongs to one
// thread of its cell's team, which does everything that happens there, in the CPU's order; threads
// of a team meet only where the tree is solved, where states spread along it and where samples are
// taken. So all but the solve is the CPU's arithmetic, number for number.
//
// A program, which the host writes for the mechanisms of some cells, has
//   using Real = ...;                       numbers of the cable on the chip: double or float
//   static constexpr int team, stride;      threads a cell; of element k of a cell (views.hpp)
//   static constexpr int solver_team;       so many of them solve the tree
//   static constexpr bool contracts;        whether by contraction, else branch by branch
//   static constexpr bool is_double;        whether nothing computes with floats
//   static constexpr int tasks_of_thread;   of a contraction, at most; at least 1
//   static constexpr bool on_chip;          whether what it works in fits into shared memory
//   static constexpr bool tables_on_chip, ions_on_chip;
//   static constexpr int tables[], table_count;   by RowTable: its number, or -1: one for all
//   static constexpr bool one_row;          whether every cell has a single row
//   using Blocks = ...                      blocks of mechanisms (BlockList)
//   static constexpr int ions, points;      how many; blocks of point processes
//   static constexpr bool all_change;       the first block is everywhere, and no pivot is constant
//   static constexpr bool sends, watches;   whether some mechanism sends events, has WATCH
//   static constexpr bool diffuses;         or states that spread along the cable
//   static constexpr bool follows_gaps;     or states that go on in a kernel of their own

#include "mechanisms/settling.hpp"
#include "simulator/backends/cuda/device/branch_sweep.hpp"
#include "simulator/backends/cuda/device/cell_samples.hpp"
#include "simulator/backends/cuda/device/contraction.hpp"

namespace hillock::simulator::cuda {

template <class Program>
class CellEpoch : public CellSamples<Program> {
  using Context = CellContext<Program>;
  using Real = typename Program::Real;
  using Context::a_;
  using Context::all_;
  using Context::cell_;
  using Context::d;
  using Context::entry_;
  using Context::instant;
  using Context::owns;
  using Context::row_of;
  using Context::rows_;
  using Context::team_;
  using Context::team_size;
  using Context::v;
  using Context::x;

 public:
  using CellSamples<Program>::CellSamples;

  __device__ __forceinline__ void run(long long first, long long last, const EpochEvents& events) {
    load_cell();
    solver::contraction::HeldTasks<Real, Program::tasks_of_thread> tasks;
    if constexpr (Program::contracts) {
      SolvedCell cell(*this);
      cell.begin(team_);
      tasks.load(team_, cell.tables(), cell);
      team_.sync();
    }
    this->begin_events(events);
    const unsigned played_begin = a_.played_begin ? a_.played_begin[cell_] : 0;
    const unsigned played_end = a_.played_begin ? a_.played_begin[cell_ + 1] : 0;
    const bool has_samples =
        a_.sampled_begin && a_.sampled_begin[cell_] < a_.sampled_begin[cell_ + 1];
    long long next_sample = has_samples ? this->sampled_from(first + 1) : this->never;
    bool above = a_.above[cell_];
    bool is_searching = false;  // for the row that spoiled the last solve
    for (long long step = first; step < last; ++step) {
      if (!is_searching) this->deliver(step, static_cast<unsigned>(step - first));
      const double middle_ms = (static_cast<double>(step) + 0.5) * all_.run.dt_ms;
      if (played_begin < played_end) this->play(played_begin, played_end, middle_ms);
      const bool sampled = step + 1 == next_sample;
      assemble(middle_ms, sampled);
      team_.sync();
      if (is_searching) return tell_what_spoils(step);
      if (has_spoiled(tasks)) {  // once more: voltages and states still are those before the solve
        this->load_pivots();
        is_searching = true;
        --step;
        continue;
      }
      if (sampled && a_.membrane_nA) store_membrane_currents(middle_ms);
      if (all_.run.extrapolates) {
        take_ion_currents(middle_ms);
#pragma unroll 1
        for (int r = team_.rank(); r < rows_; r += team_size) x(r) = 2 * x(r) - v(r);
      }
      detect(step + 1, above);
      const bool settles = (step + 1) % mechanisms::settling_interval == 0;
#pragma unroll 1
      for (int r = team_.rank(); r < rows_; r += team_size) {
        const Real now = x(r);
        v(r) = settles ? static_cast<Real>(mechanisms::settled(now)) : now;
      }
      if (settles) settle();
      const double end_ms = static_cast<double>(step + 1) * all_.run.dt_ms;
      advance(end_ms);
      if constexpr (Program::diffuses && !Program::one_row) diffuse();
      if (sampled) {
        if constexpr (!Program::follows_gaps) this->sample(step + 1);
        next_sample = this->sampled_from(step + 2);
      }
    }
#pragma unroll 1
    for (int r = team_.rank(); r < rows_; r += team_size) a_.v_mV[row_of(r)] = v(r);
    if (entry_.detector_row >= 0 && owns(entry_.detector_row)) a_.above[cell_] = above;
    this->store_chip();
  }

  /// Takes the samples of a step from where the cell is.
  __device__ __forceinline__ void sample_only(long long step) {
    if (!a_.sampled_begin || a_.sampled_begin[cell_] == a_.sampled_begin[cell_ + 1]) return;
    load_cell();
    this->sample(step);
  }

  /// Takes the states that depend on the values of gap junctions at a step's end there, where the
  /// cell is; and the step's samples.
  __device__ __forceinline__ void follow_gaps(long long step) {
    load_cell();
    team_.sync();
    advance_those([](auto block) { return decltype(block)::follows_gaps; },
                  static_cast<double>(step) * all_.run.dt_ms);
    const bool has_samples =
        a_.sampled_begin && a_.sampled_begin[cell_] < a_.sampled_begin[cell_ + 1];
    if (has_samples && this->sampled_from(step) == step) this->sample(step);
    this->store_chip();
  }

 private:
  __device__ __forceinline__ void load_cell() {
#pragma unroll 1
    for (int r = team_.rank(); r < rows_; r += team_size)
      v(r) = static_cast<Real>(a_.v_mV[row_of(r)]);
    this->load_chip();
  }

  /// Ions begin a step without current; reversal potentials follow the concentrations.
  __device__ __forceinline__ void begin_ions() {
#pragma unroll
    for (int k = 0; k < Program::ions; ++k) {
      const IonArrays& ion = all_.ions[k];
#pragma unroll 1
      for (int r = team_.rank(); r < rows_; r += team_size) {
        ion_at(k, 0, r) = 0;
        if (ion.nernst_mV) {
          const double factor_mV = ion.nernst_mV[row_of(r)];
          if (factor_mV != 0)
            ion_at(k, 1, r) = static_cast<Real>(
                factor_mV * mechanisms::log<double>(ion_at(k, 3, r) / ion_at(k, 2, r)));
        }
      }
    }
  }
  /// quantity: 0 current, 1 reversal, 2 inside, 3 outside
  __device__ __forceinline__ auto& ion_at(int ion, int quantity, int r) const {
    if constexpr (Program::ions_on_chip) {
      return reinterpret_cast<Real*>(this->chip_ +
                                     a_.first_ion)[(4 * ion + quantity) * this->most_rows_ + r];
    } else {
      const IonArrays& arrays = all_.ions[ion];
      double* const array = quantity == 0   ? arrays.current
                            : quantity == 1 ? arrays.reversal
                            : quantity == 2 ? arrays.inside
                                            : arrays.outside;
      return array[row_of(r)];
    }
  }

  /// What is added up at a row in a step.
  struct Membrane {
    Real rhs, diagonal;
  };

  /// (C/dt + G) v' = C/dt v + g v - i
  __device__ __forceinline__ void assemble(double time_ms, bool is_recorded) {
    begin_ions();
#pragma unroll 1
    for (int r = team_.rank(); r < rows_; r += team_size) {
      constexpr bool sets_diagonal = Program::all_change || Program::one_row;
      const Real v_mV = v(r);
      Membrane row{mechanisms::fma(this->template constant_of<RowTable::capacity_uS>(r), v_mV,
                                   this->template constant_of<RowTable::source_nA>(r)),
                   0};
      if constexpr (sets_diagonal) row.diagonal = this->template constant_of<RowTable::constant>(r);
      all_.blocks.each([&](auto block, const auto& arrays) {
        using B = decltype(block);
        if constexpr (B::is_leading)
          add_current<B>(arrays, this->slot_of(arrays, static_cast<unsigned>(r), r), v_mV, time_ms,
                         is_recorded, row);
      });
      x(r) = row.rhs;
      if constexpr (sets_diagonal) d(r) = row.diagonal;
    }
    all_.blocks.each([&](auto block, const auto& arrays) {
      using B = decltype(block);
      if constexpr (B::phase == Phase::density && !B::is_leading)
        add_currents<B>(arrays, time_ms, is_recorded);
    });
    all_.blocks.each([&](auto block, const auto& arrays) {
      using B = decltype(block);
      if constexpr (B::phase == Phase::point) add_currents<B>(arrays, time_ms, is_recorded);
    });
    if (is_recorded)
      all_.blocks.each([&](auto block, const auto& arrays) {
        using B = decltype(block);
        using E = typename B::E;
        if constexpr (B::phase == Phase::constant && B::keeps_assigned)
          this->template for_own<B>(arrays, [&](const InstanceSlot& at) {
            typename B::Variables y;
            load<Program, B>(arrays, at, this->v(at.r), y);
            E::current(y, this->template instant<typename B::V>(this->v(at.r), time_ms));
            store<B, E::info.first_assigned(), E::info.first_state()>(arrays, at, y);
          });
      });
  }

  template <class B>
  __device__ __forceinline__ void add_currents(const BlockArrays<typename B::E>& block,
                                               double time_ms, bool is_recorded) {
    this->template for_own<B>(block, [&](const InstanceSlot& at) {
      Membrane row{x(at.r), d(at.r)};
      add_current<B>(block, at, v(at.r), time_ms, is_recorded, row);
      x(at.r) = row.rhs;
      d(at.r) = row.diagonal;
    });
  }

  template <class B>
  __device__ __forceinline__ void add_current(const BlockArrays<typename B::E>& block,
                                              const InstanceSlot& at, Real v_mV, double time_ms,
                                              bool is_recorded, Membrane& row) {
    using E = typename B::E;
    using V = typename B::V;
    typename B::Variables y;
    load<Program, B>(block, at, v_mV, y);
    const V its_mV = v_mV;
    mechanisms::Current<V> flow = E::current(y, this->template instant<V>(its_mV, time_ms));
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
      if (is_recorded || B::is_pointed_at)
        store<B, E::info.first_assigned(), E::info.first_state()>(block, at, y);
    if constexpr (E::info.is_electrode) flow = {-flow.i, -flow.g};
    using mechanisms::fma;
    V g = flow.g;
    V source = fma(flow.g, its_mV, -flow.i);
    if constexpr (!E::info.is_point_process) {
      const V area = this->template constant_of<RowTable::area_factor>(at.r);
      g = g * area;
      source = source * area;
    }
    row.diagonal += g;
    row.rhs += source;
  }

  using SolvedCell = ContractionCell<Context, !Program::all_change>;

  /// Solves for the voltages at the step's end; whether some are not finite. Begins and ends with
  /// the team in step.
  template <class Tasks>
  __device__ __forceinline__ bool has_spoiled(Tasks& tasks) {
    if constexpr (Program::one_row) {
      x(0) = x(0) / d(0);
      return !is_finite(x(0));
    } else if constexpr (Program::contracts) {
      SolvedCell cell(*this);
      tasks.solve(team_, cell);
      return team_.any(tasks.has_last() && !is_finite(x(rows_ - 1)));
    } else {
      if (team_.rank() < Program::solver_team) {
        using Sweep = BranchSweep<Context, CellTeam<Program::solver_team>, !Program::all_change>;
        Sweep(*this).solve();
      }
      // The root is the first thread's, and its voltage takes in every row of its tree.
      return team_.any(team_.rank() == 0 && !is_finite(x(0)));
    }
  }
  __device__ static bool is_finite(double number) {
    return number - number == 0;
  }

  /// Names the first row that the solve would spoil.
  __device__ __forceinline__ void tell_what_spoils(long long step) {
    if (team_.rank() != 0) return;
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

  /// What crosses the membrane at each row, outward, nA: what flows in along the cable and from
  /// electrodes.
  __device__ __forceinline__ void store_membrane_currents(double time_ms) {
#pragma unroll 1
    for (int r = team_.rank(); r < rows_; r += team_size) {
      a_.membrane_nA[row_of(r)] = 0;
      d(r) = 0;  // of electrodes: its pivot is no longer needed
    }
    all_.blocks.each([&](auto block, const auto& arrays) {
      using B = decltype(block);
      using E = typename B::E;
      if constexpr (B::phase == Phase::point && E::info.is_electrode)
        this->template for_own<B>(arrays, [&](const InstanceSlot& at) {
          typename B::Variables y;
          load<Program, B>(arrays, at, this->v(at.r), y);
          const double before = this->v(at.r);
          const auto flow = E::current(y, this->template instant<typename B::V>(before, time_ms));
          const double i = -flow.i, g = -flow.g;
          this->a_.membrane_nA[at.row] += mechanisms::fma(g, before, -i);
          this->d(at.r) += static_cast<Real>(g);
        });
    });
    team_.sync();
    if constexpr (Program::one_row) {
      a_.membrane_nA[row_of(0)] -= d(0) * x(0);
    } else {
      const int* const all = this->tail_integers();
#pragma unroll 1
      for (int r = team_.rank(); r < rows_; r += team_size) {
        double sum = a_.membrane_nA[row_of(r)] - d(r) * x(r);
        const int parent = all[this->image_.parents + r];
        if (parent >= 0) sum += coupling(r) * (x(parent) - x(r));
        const int* const begin = all + this->image_.child_begin + r;
        for (int k = begin[0]; k < begin[1]; ++k) {
          const int child = all[this->image_.row_children + k];
          sum -= coupling(child) * (x(r) - x(child));
        }
        a_.membrane_nA[row_of(r)] = sum;
      }
    }
    team_.sync();
    this->load_pivots();
  }
  __device__ __forceinline__ Real coupling(int r) const {
    return this->template constant_of<RowTable::coupling_uS>(r);
  }

  /// crank_nicolson: what gathers an ion's current does so with that of the step's middle, whose
  /// voltages x holds: moved there from the step's beginning along its slope.
  __device__ __forceinline__ void take_ion_currents(double middle_ms) {
    if constexpr (Program::ions > 0) {
      constexpr Real secant_mV = Program::is_double ? 1e-3 : 0.125;  // of floats
      // One ion after the other: a row has one number to spare, its pivot.
#pragma unroll 1
      for (int ion = 0; ion < Program::ions; ++ion) {
#pragma unroll 1
        for (int r = team_.rank(); r < rows_; r += team_size) {
          d(r) = ion_at(ion, 0, r);
          ion_at(ion, 0, r) = 0;
        }
        all_.blocks.each([&](auto block, const auto& instances) {
          using B = decltype(block);
          using E = typename B::E;
          if constexpr (E::info.coupling_count > 0)
            this->template for_own<B>(instances, [&](const InstanceSlot& at) {
              using V = typename B::V;
              typename B::Variables y;
              load<Program, B>(instances, at, this->v(at.r), y);
              E::current(y, this->template instant<V>(this->v(at.r) + secant_mV, middle_ms));
              for_ion_currents<B>(instances, at, y, [&](V current, unsigned long long sums) {
                auto& sum = *ion_number<Program>(sums, at);
                if (&sum == &this->ion_at(ion, 0, at.r)) sum += current;
              });
            });
        });
#pragma unroll 1
        for (int r = team_.rank(); r < rows_; r += team_size) {
          const Real v_begun = v(r), beside = v_begun + secant_mV;
          const Real before = d(r);
          auto& current = ion_at(ion, 0, r);
          current = before + (current - before) / (beside - v_begun) * (x(r) - v_begun);
        }
      }
      this->load_pivots();
    }
  }

  /// An upward crossing of the threshold in the step that ends at `step`.
  __device__ __forceinline__ void detect(long long step, bool& was_above) {
    const int r = entry_.detector_row;
    if (!all_.run.detects || r < 0 || !owns(r)) return;
    const double threshold_mV = all_.run.threshold_mV;
    const double now = x(r), before = v(r);
    const bool above = now > threshold_mV;
    if (above == was_above) return;
    was_above = above;
    if (!above) return;
    double steps = static_cast<double>(step);
    if (all_.run.interpolates)
      steps = static_cast<double>(step - 1) + (threshold_mV - before) / (now - before);
    this->add_spike(steps * all_.run.dt_ms, step);
  }

  /// Sets to 0 what has become negligible of states.
  __device__ __forceinline__ void settle() {
    all_.blocks.each([&](auto block, const auto& arrays) {
      using B = decltype(block);
      using E = typename B::E;
      constexpr int first = mechanisms::first_settled(E::info);
      if constexpr (first < E::info.count())
        this->template for_own<B>(arrays, [&](const InstanceSlot& at) {
          for_constants<first, E::info.count()>([&](auto number) {
            constexpr int c = decltype(number)::value;
            if constexpr (B::homes[c] != one_for_all) {
              auto& value = variable<B, c>(arrays, at);
              value = mechanisms::settled(value);
            }
          });
        });
    });
  }

  __device__ __forceinline__ void advance(double end_ms) {
    advance_those([](auto block) { return decltype(block)::prepares_ions; }, end_ms);
    advance_those(
        [](auto block) {
          return !decltype(block)::prepares_ions && !decltype(block)::E::info.is_point_process;
        },
        end_ms);
    advance_those(
        [](auto block) {
          return !decltype(block)::prepares_ions && !decltype(block)::follows_gaps &&
                 decltype(block)::E::info.is_point_process;
        },
        end_ms);
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

  /// Spreads states along the cable, a thread a state.
  __device__ __forceinline__ void diffuse() {
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

  template <class Which>
  __device__ __forceinline__ void advance_those(const Which&, double end_ms) {
    all_.blocks.each([&](auto block, const auto& arrays) {
      using B = decltype(block);
      using E = typename B::E;
      constexpr bool wanted = Which{}(B{});
      if constexpr (wanted && B::phase != Phase::constant && advances<E>())
        this->template for_own<B>(arrays, [&](const InstanceSlot& at) {
          typename B::Variables y;
          load<Program, B>(arrays, at, this->v(at.r), y);
          E::advance(y, this->template instant<typename B::V>(this->v(at.r), end_ms));
          store<B, first_changed<E>, E::info.count()>(arrays, at, y);
          store_outside<Program, B>(arrays, at, y);
        });
    });
  }
};

/// Calls body(CellEpoch) for the cell of this thread, if it has one.
template <class Program, class Body>
__device__ __forceinline__ void with_cell(const Arrays<Program>& arrays, const Body& body) {
  const unsigned cell = (blockIdx.x * blockDim.x + threadIdx.x) / Program::team;
  if (cell >= arrays.cells.cells) return;
  if constexpr (Program::one_row) {
    typename Program::Real work[row_arrays(false)];
    CellEpoch<Program> epoch(arrays, cell, work, nullptr);
    body(epoch);
  } else if constexpr (Program::on_chip) {
    extern __shared__ __align__(16) double shared[];
    CellEpoch<Program> epoch(arrays, cell, reinterpret_cast<typename Program::Real*>(shared),
                             shared + arrays.cells.work_words);
    body(epoch);
  } else {
    double* const work =
        arrays.cells.scratch + static_cast<unsigned long long>(cell) * arrays.cells.work_words;
    CellEpoch<Program> epoch(arrays, cell, reinterpret_cast<typename Program::Real*>(work),
                             nullptr);
    body(epoch);
  }
}

}  // namespace hillock::simulator::cuda
