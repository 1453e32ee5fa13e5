#pragma once
// The kernel that integrates cells for an epoch, one team of threads a cell. A row belongs to one
// thread of its cell's team, which does everything that happens there, in the CPU's order; threads
// of a team meet only where the tree is solved and where samples are taken. So all but the solve is
// the CPU's arithmetic, number for number.
//
// A program, which the host writes for the mechanisms of some cells, has
//   static constexpr int team, stride;      threads a cell; of element k of a cell (views.hpp)
//   static constexpr bool on_chip;          whether rows fit into shared memory
//   static constexpr bool one_row;          whether every cell has a single row
//   using Blocks = ...                      blocks of mechanisms (BlockList)
//   static constexpr int ions;
//   static constexpr bool sends, watches;   whether some mechanism sends events, has WATCH

#include "mechanisms/settling.hpp"
#include "simulator/backends/cuda/device/cell_events.hpp"

namespace hillock::simulator::cuda {

template <class Program>
class CellEpoch : public CellEvents<Program> {
  using Context = CellContext<Program>;
  using Context::a_;
  using Context::all_;
  using Context::cell_;
  using Context::entry_;
  using Context::image_;
  using Context::instant;
  using Context::owns;
  using Context::row_of;
  using Context::rows_;
  using Context::team_;
  using Context::team_size;
  using Context::v;
  using Context::work_;

 public:
  using CellEvents<Program>::CellEvents;

  __device__ void run(long long first, long long last) {
    for (int r = team_.rank(); r < rows_; r += team_size) v(r) = a_.v_mV[row_of(r)];
    this->begin_events();
    bool is_searching = false;  // for the row that spoiled the last solve
    for (long long step = first; step < last; ++step) {
      this->deliver(step, static_cast<unsigned>(step - first));
      const double middle_ms = (static_cast<double>(step) + 0.5) * all_.run.dt_ms;
      play(middle_ms);
      const bool sampled = is_sampled(step + 1);
      assemble(middle_ms, sampled);
      team_.sync();
      if (is_searching) return tell_what_spoils(step);
      solve();
      team_.sync();
      if (is_spoiled()) {  // once more: voltages and states still are those before the solve
        is_searching = true;
        --step;
        continue;
      }
      if (sampled && a_.membrane_nA) store_membrane_currents(middle_ms);
      if (all_.run.extrapolates) {
        take_ion_currents(middle_ms);
        for (int r = team_.rank(); r < rows_; r += team_size)
          work_.at(work_.x, r) = 2 * work_.at(work_.x, r) - v(r);
      }
      detect(step + 1);
      const bool settles = (step + 1) % mechanisms::settling_interval == 0;
      for (int r = team_.rank(); r < rows_; r += team_size) {
        const double now = work_.at(work_.x, r);
        v(r) = settles ? mechanisms::settled(now) : now;
      }
      if (settles) settle();
      const double end_ms = static_cast<double>(step + 1) * all_.run.dt_ms;
      advance(end_ms);
      if (sampled) sample(step + 1);
    }
    for (int r = team_.rank(); r < rows_; r += team_size) a_.v_mV[row_of(r)] = v(r);
  }

  /// Takes the samples of a step from where the cell is.
  __device__ void sample_only(long long step) {
    for (int r = team_.rank(); r < rows_; r += team_size) v(r) = a_.v_mV[row_of(r)];
    sample(step);
  }

 private:
  __device__ __forceinline__ void play(double time_ms) {
    if (!a_.played_begin) return;
    const unsigned begin = a_.played_begin[cell_], end = a_.played_begin[cell_ + 1];
    if (begin == end) return;
    if (team_.rank() == 0)
      for (unsigned k = begin; k < end; ++k) {
        const PlayedNumber& played = a_.played[k];
        *played.target = value_at(played, time_ms);
      }
    team_.sync();
  }

  __device__ static double value_at(const PlayedNumber& played, double time_ms) {
    int after = 0, end = played.points;  // the first point after the time
    while (after < end) {
      const int middle = (after + end) / 2;
      if (time_ms < played.times_ms[middle])
        end = middle;
      else
        after = middle + 1;
    }
    if (after == 0 || after == played.points) return 0;
    const double t0 = played.times_ms[after - 1], t1 = played.times_ms[after];
    const double y0 = played.values[after - 1], y1 = played.values[after];
    const double fraction = (time_ms - t0) / (t1 - t0);
    return y0 + fraction * (y1 - y0);
  }

  __device__ __forceinline__ bool is_sampled(long long step) const {
    if (!a_.sampled_begin || a_.sampled_begin[cell_] == a_.sampled_begin[cell_ + 1]) return false;
    for (unsigned k = 0; k < a_.recording_count; ++k)
      if (a_.recordings[k].sample_at(step) >= 0) return true;
    return false;
  }

  /// Ions begin a step without current; reversal potentials follow the concentrations.
  __device__ __forceinline__ void begin_ions() {
#pragma unroll
    for (int k = 0; k < Program::ions; ++k) {
      const IonArrays& ion = all_.ions[k];
      for (int r = team_.rank(); r < rows_; r += team_size) {
        const unsigned long long at = row_of(r);
        ion.current[at] = 0;
        if (ion.nernst_mV && ion.nernst_mV[at] != 0)
          ion.reversal[at] =
              ion.nernst_mV[at] * mechanisms::log<double>(ion.outside[at] / ion.inside[at]);
      }
    }
  }

  /// (C/dt + G) v' = C/dt v + g v - i
  __device__ void assemble(double time_ms, bool is_recorded) {
    for (int r = team_.rank(); r < rows_; r += team_size) {
      const unsigned at = image_.first_row + r;
      work_.at(work_.x, r) = mechanisms::fma(a_.capacity_uS[at], v(r), a_.source_nA[at]);
      work_.at(work_.d, r) = a_.constant[at];
      if (!Program::one_row) work_.at(work_.factor, r) = a_.factor[at];
    }
    begin_ions();
    all_.blocks.each([&](auto block, const auto& arrays) {
      using B = decltype(block);
      if constexpr (B::phase == Phase::density) add_current<B>(arrays, time_ms, is_recorded);
    });
    all_.blocks.each([&](auto block, const auto& arrays) {
      using B = decltype(block);
      if constexpr (B::phase == Phase::point) add_current<B>(arrays, time_ms, is_recorded);
    });
    if (is_recorded)
      all_.blocks.each([&](auto block, const auto& arrays) {
        using B = decltype(block);
        using E = typename B::E;
        if constexpr (B::phase == Phase::constant && B::keeps_assigned)
          this->template for_own<B>(arrays, [&](int r, InstanceSlot at) {
            Variables<E> x;
            load<E>(arrays, at, v(r), x);
            E::template current<double>(x, instant(v(r), time_ms));
            store<E>(arrays, at, x, E::info.first_assigned(), E::info.first_state());
          });
      });
  }

  template <class B>
  __device__ __forceinline__ void add_current(const BlockArrays<typename B::E>& block,
                                              double time_ms, bool is_recorded) {
    using E = typename B::E;
    const bool stores = (is_recorded && B::keeps_assigned) || B::is_pointed_at;
    this->template for_own<B>(block, [&](int r, InstanceSlot at) {
      Variables<E> x;
      load<E>(block, at, v(r), x);
      const double v_here = v(r);
      mechanisms::Current<double> flow = E::template current<double>(x, instant(v_here, time_ms));
      if constexpr (E::info.changes_in_current) {
        store<E>(block, at, x, E::info.changes_parameters ? 0 : E::info.first_assigned(),
                 E::info.count());
        store_outside<E>(block, at, x);
      }
      if constexpr (Program::ions > 0)
        for_ion_currents<E>(block, at, x,
                            [&](double current, double* sums) { sums[at.row] += current; });
      if (stores) store<E>(block, at, x, E::info.first_assigned(), E::info.first_state());
      add_flow<E>(flow, r, v_here, work_.x, work_.d);
    });
  }

  template <class E>
  __device__ __forceinline__ void add_flow(mechanisms::Current<double> flow, int r, double v_mV,
                                           double* rhs, double* diagonal) const {
    if constexpr (E::info.is_electrode) flow = {-flow.i, -flow.g};
    double g = flow.g;
    double source = mechanisms::fma(flow.g, v_mV, -flow.i);
    if constexpr (!E::info.is_point_process) {
      const double area = a_.area_factors[image_.first_row + r];
      g = g * area;
      source = source * area;
    }
    work_.at(diagonal, r) += g;
    work_.at(rhs, r) += source;
  }

  /// Elimination from the deepest level up, each parent taking in its children in the order in
  /// which a plain sweep from the last row to the first would; then substitution down.
  __device__ __forceinline__ void solve() {
    if constexpr (Program::one_row) {
      work_.at(work_.x, 0) = work_.at(work_.x, 0) / work_.at(work_.d, 0);
      return;
    } else {
      const int* begin = a_.level_begin + image_.first_level;
      for (int level = image_.levels; level-- > 0;) {
        for (int r = begin[level] + team_.rank(); r < begin[level + 1]; r += team_size)
          eliminate(r);
        team_.sync();
      }
      if (team_.rank() == 0) work_.at(work_.x, 0) = work_.at(work_.x, 0) / work_.at(work_.d, 0);
      team_.sync();
      for (int level = 1; level < image_.levels; ++level) {
        for (int r = begin[level] + team_.rank(); r < begin[level + 1]; r += team_size) {
          const int parent = a_.links[image_.first_row + r].parent;
          work_.at(work_.x, r) =
              mechanisms::fma(work_.at(work_.factor, r), work_.at(work_.x, parent),
                              work_.at(work_.x, r) * work_.at(work_.d, r));
        }
        team_.sync();
      }
    }
  }

  __device__ __forceinline__ void eliminate(int r) {
    const unsigned first = image_.first_row;
    const RowLinks links = a_.links[first + r];
    const bool changes = links.kind == 0;
    double d = work_.at(work_.d, r), x = work_.at(work_.x, r);
    for (int c = links.children_end; c-- > links.children_begin;) {
      const double factor = work_.at(work_.factor, c);
      if (changes) d = mechanisms::fma(-factor, a_.coupling_uS[first + c], d);
      x = mechanisms::fma(factor, work_.at(work_.x, c), x);
    }
    work_.at(work_.x, r) = x;
    if (r == 0) {
      work_.at(work_.d, r) = d;
    } else if (changes) {
      const double reciprocal = 1.0 / d;
      work_.at(work_.d, r) = reciprocal;
      work_.at(work_.factor, r) = a_.coupling_uS[first + r] * reciprocal;
    }
  }

  /// The root's voltage takes in every row of its tree, so it alone tells whether all are finite.
  __device__ __forceinline__ bool is_spoiled() const {
    return !is_finite(work_.at(work_.x, 0));
  }
  __device__ static bool is_finite(double number) {
    return number - number == 0;
  }

  /// Names the first row that the solve would spoil.
  __device__ void tell_what_spoils(long long step) {
    if (team_.rank() != 0) return;
    const auto spoils = [&](int r) {
      const double d = work_.at(work_.d, r);
      return a_.links[image_.first_row + r].kind == 0 &&
             (!is_finite(work_.at(work_.x, r)) || !is_finite(d) || d <= 0);
    };
    int row = 0;
    while (row < rows_ && !spoils(row)) ++row;
    this->fail({Failure::Kind::not_finite, a_.program, cell_, 0, row < rows_ ? row : 0, 0, step});
  }

  /// What crosses the membrane at each row, outward, nA: what flows in along the cable and from
  /// electrodes.
  __device__ void store_membrane_currents(double time_ms) {
    for (int r = team_.rank(); r < rows_; r += team_size) {
      a_.membrane_nA[row_of(r)] = 0;
      work_.at(work_.d, r) = 0;  // of electrodes: its pivot is no longer needed
    }
    all_.blocks.each([&](auto block, const auto& arrays) {
      using B = decltype(block);
      using E = typename B::E;
      if constexpr (B::phase == Phase::point && E::info.is_electrode)
        this->template for_own<B>(arrays, [&](int r, InstanceSlot at) {
          Variables<E> x;
          load<E>(arrays, at, v(r), x);
          const double before = v(r);
          mechanisms::Current<double> flow =
              E::template current<double>(x, instant(before, time_ms));
          flow = {-flow.i, -flow.g};
          a_.membrane_nA[at.row] += mechanisms::fma(flow.g, before, -flow.i);
          work_.at(work_.d, r) += flow.g;
        });
    });
    for (int r = team_.rank(); r < rows_; r += team_size) {
      const RowLinks links = a_.links[image_.first_row + r];
      double sum = a_.membrane_nA[row_of(r)] - work_.at(work_.d, r) * work_.at(work_.x, r);
      if (r > 0)
        sum += a_.coupling_uS[image_.first_row + r] *
               (work_.at(work_.x, links.parent) - work_.at(work_.x, r));
      for (int c = links.children_begin; c < links.children_end; ++c)
        sum -= a_.coupling_uS[image_.first_row + c] * (work_.at(work_.x, r) - work_.at(work_.x, c));
      a_.membrane_nA[row_of(r)] = sum;
    }
    team_.sync();
  }

  /// crank_nicolson: what gathers an ion's current does so with that of the step's middle, whose
  /// voltages x holds: moved there from the step's beginning along its slope.
  __device__ void take_ion_currents(double middle_ms) {
    if constexpr (Program::ions > 0) {
      constexpr double secant_mV = 1e-3;
      double* const begun = work_.factor;  // no longer needed
      // One ion after the other: a row has one number to spare.
#pragma unroll 1
      for (int ion = 0; ion < Program::ions; ++ion) {
        const IonArrays& arrays = all_.ions[ion];
        for (int r = team_.rank(); r < rows_; r += team_size) {
          work_.at(begun, r) = arrays.current[row_of(r)];
          arrays.current[row_of(r)] = 0;
        }
        all_.blocks.each([&](auto block, const auto& instances) {
          using B = decltype(block);
          using E = typename B::E;
          if constexpr (E::info.coupling_count > 0)
            this->template for_own<B>(instances, [&](int r, InstanceSlot at) {
              Variables<E> x;
              load<E>(instances, at, v(r), x);
              E::template current<double>(x, instant(v(r) + secant_mV, middle_ms));
              for_ion_currents<E>(instances, at, x, [&](double current, double* sums) {
                if (sums == arrays.current) sums[at.row] += current;
              });
            });
        });
        for (int r = team_.rank(); r < rows_; r += team_size) {
          const double v_begun = v(r), beside = v_begun + secant_mV;
          const double before = work_.at(begun, r);
          double& current = arrays.current[row_of(r)];
          current =
              before + (current - before) / (beside - v_begun) * (work_.at(work_.x, r) - v_begun);
        }
      }
    }
  }

  /// An upward crossing of the threshold in the step that ends at `step`.
  __device__ __forceinline__ void detect(long long step) {
    if (!all_.run.detects || entry_.detector_row < 0) return;
    const int r = entry_.detector_row;
    if (!owns(r)) return;
    const double threshold_mV = all_.run.threshold_mV;
    const double now = work_.at(work_.x, r), before = v(r);
    const char above = now > threshold_mV;
    if (above == a_.above[cell_]) return;
    a_.above[cell_] = above;
    if (!above) return;
    double steps = static_cast<double>(step);
    if (all_.run.interpolates)
      steps = static_cast<double>(step - 1) + (threshold_mV - before) / (now - before);
    this->add_spike(steps * all_.run.dt_ms, step);
  }

  /// Sets to 0 what has become negligible of states.
  __device__ void settle() {
    all_.blocks.each([&](auto block, const auto& arrays) {
      using B = decltype(block);
      using E = typename B::E;
      constexpr int first = mechanisms::first_settled(E::info);
      if constexpr (first < E::info.count())
        this->template for_own<B>(arrays, [&](int, InstanceSlot at) {
#pragma unroll
          for (int c = first; c < E::info.count(); ++c)
            if (arrays.columns[c].mask) {
              double& value = arrays.columns[c].data[at.element];
              value = mechanisms::settled(value);
            }
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
          return !decltype(block)::prepares_ions && decltype(block)::E::info.is_point_process;
        },
        end_ms);
  }
  template <class Which>
  __device__ __forceinline__ void advance_those(const Which&, double end_ms) {
    all_.blocks.each([&](auto block, const auto& arrays) {
      using B = decltype(block);
      using E = typename B::E;
      constexpr bool wanted = Which{}(B{});
      if constexpr (wanted && B::phase != Phase::constant && advances<E>())
        this->template for_own<B>(arrays, [&](int r, InstanceSlot at) {
          Variables<E> x;
          load<E>(arrays, at, v(r), x);
          E::template advance<double>(x, instant(v(r), end_ms));
          store<E>(arrays, at, x, first_changed<E>, E::info.count());
          store_outside<E>(arrays, at, x);
        });
    });
  }

  __device__ void sample(long long step) {
    team_.sync();
    const unsigned end = a_.sampled_begin[cell_ + 1];
    for (unsigned k = a_.sampled_begin[cell_] + team_.rank(); k < end; k += team_size) {
      const SampledColumn& column = a_.sampled[k];
      const Recording& recording = a_.recordings[column.recording];
      const long long sample = recording.sample_at(step);
      if (sample < 0) continue;
      double sum = 0;
      for (unsigned t = 0; t < column.terms; ++t) sum += value_of(a_.terms[column.first_term + t]);
      recording.rows[static_cast<unsigned long long>(sample - recording.first_sample) *
                         recording.columns +
                     column.column] = sum;
    }
    team_.sync();
  }
  __device__ double value_of(const SampledTerm& term) const {
    switch (term.kind) {
      case SampledTerm::Kind::constant:
        return term.factor;
      case SampledTerm::Kind::voltage:
        return work_.at(work_.v, term.row);
      case SampledTerm::Kind::membrane_current:
        return a_.membrane_nA[row_of(term.row)];
      default:
        return term.factor * *term.at;
    }
  }
};

/// Calls body(CellEpoch) for the cell of this thread, if it has one.
template <class Program, class Body>
__device__ __forceinline__ void with_cell(const Arrays<Program>& arrays, const Body& body) {
  const unsigned cell = (blockIdx.x * blockDim.x + threadIdx.x) / Program::team;
  if (cell >= arrays.cells.cells || (arrays.cells.halted && *arrays.cells.halted != 0)) return;
  if constexpr (Program::one_row) {
    double work[work_arrays];
    body(CellEpoch<Program>(arrays, cell, work, 1, 1));
  } else if constexpr (Program::on_chip) {
    extern __shared__ double shared[];
    const int most = arrays.cells.most_rows, number = static_cast<int>(threadIdx.x) / Program::team;
    body(CellEpoch<Program>(arrays, cell, shared + number * work_arrays * most, 1, most));
  } else {
    // An array of each, of all cells, after the other.
    const CellEntry& entry = arrays.cells.entries[cell];
    body(CellEpoch<Program>(arrays, cell, arrays.cells.scratch + entry.first_row, Program::stride,
                            arrays.cells.all_rows));
  }
}

}  // namespace hillock::simulator::cuda
