#pragma once
// What mechanisms do on a cell in a step: their currents into the rows, and their states. A thread
// does so at its rows, in the CPU's order, but for the states of mechanisms that are dealt to
// squads of threads.

#include "simulator/backends/device/kernels/cell_ions.hpp"
#include "simulator/step/cell_step.hpp"

namespace hillock::simulator::on_device {

template <class Program>
class CellMechanisms : public CellIons<Program> {
  using Context = CellContext<Program>;

 protected:
  using Context::a_;
  using Context::all_;
  using Context::cell_;
  using Context::d;
  using Context::in_place;
  using Context::layers;
  using Context::rows_;
  using Context::team_;
  using Context::team_size;

 public:
  using Real = typename Program::Real;
  using Context::v;
  using Context::x;
  using CellIons<Program>::CellIons;

  // As step/cell_step.hpp asks for, of the rows and instances that this thread owns.
  __device__ __forceinline__ bool has_begun() const { return Program::begins && has_begun_; }
  __device__ __forceinline__ void begin_rows(double time_ms, bool keeps) const {
    begin_with<false>({time_ms, keeps});
  }
  template <step::Turn turn>
  __device__ __forceinline__ void add_currents(double time_ms, bool keeps) const {
    add_with<turn, false>({time_ms, keeps});
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
        const Pass pass{all_.run.middle_ms(next), false, Program::has_few_states || has_begun_,
                        end_ms};
        begin_with<true>(pass);
        add_with<turn, true>(pass);
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

 protected:
  long long last_ = 0;      ///< the epoch's last boundary
  bool has_begun_ = false;  ///< the step that follows, with densities' part of it

 private:
  /// What is added up at a row in a step.
  struct Membrane {
    Real rhs, diagonal;
  };

  /// A pass over the rows of a step. at_ms, keeps: add_currents' time and what it keeps.
  struct Pass {
    double at_ms;
    bool keeps;
    bool flows = true;  ///< else it adds up nothing
    double end_ms = 0;  ///< where states go on first: when that is
  };

  /// advances: the states of blocks that are not dealt go on first.
  template <bool advances>
  __device__ __forceinline__ void begin_with(const Pass& pass) const {
    if (advances && !Program::all_change && !pass.flows) return;
    if constexpr (in_place && !Program::all_change) {
      this->for_rows_ahead(
          [&](int r) {
            return mechanisms::fma(this->template constant_of<RowTable::capacity_uS>(r), x(r),
                                   this->template constant_of<RowTable::source_nA>(r));
          },
          [&](int r, Real rhs) { x(r) = rhs; });
      if constexpr (Context::begins_diagonals)
        this->for_rows_ahead(
            [&](int r) { return this->template constant_of<RowTable::constant>(r); },
            [&](int r, Real constant) { d(r) = constant; });
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
  __device__ __forceinline__ void add_with(const Pass& pass) const {
    all_.blocks.each_group(
        [](auto block) {
          using B = decltype(block);
          return step::turn_of_current(B::facts) == turn && !B::is_leading;
        },
        [&](auto first, const auto& its, const auto& each) {
          using E = typename decltype(first)::E;
          this->template for_own<decltype(first)>(
              its,
              [&](const InstanceSlot& own) {
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
              },
              [&](const InstanceSlot& next) {
                if constexpr (Context::in_place) {
                  ask_for(&this->v(next.r));
                  each([&](auto block, const auto& arrays) {
                    ask_for_variables<decltype(block)>(
                        arrays, this->slot_of(arrays, next.instance, next.r));
                  });
                }
              });
        });
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
            // Where rows have begun, what lies in place is no longer the voltage.
            const Real v_mV = in_place && !has_begun() ? this->v_between(own.r)
                                                       : this->template seen_by<Seer>(own.r);
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

    const CellMechanisms& cell;
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
};

}  // namespace hillock::simulator::on_device
