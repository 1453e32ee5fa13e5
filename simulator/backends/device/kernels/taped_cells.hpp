#pragma once
// Kernels of cells that keep what steps began with, to go back over them (taped_way_back.hpp,
// docs/gradients.md), as backends/taped does for one cell. A row belongs to one of its cell's
// threads, with all that is there; these meet where the tree is solved.
//
// A program, which the host writes, has
//   static constexpr int lanes, parts;   cells side by side in a block, and threads of each
//   static constexpr bool on_chip;       what a step works in lies in shared memory
//   static constexpr bool quick;         quotients of the solve need not be the CPU's
//   using Blocks = TapedList<...>;       TapedPair of a mechanism, its adjoint and Traits

#include "simulator/backends/device/kernels/failure.hpp"
#include "simulator/backends/device/kernels/instances.hpp"
#include "simulator/backends/device/kernels/quick.hpp"
#include "simulator/backends/device/kernels/taped_views.hpp"
#include "simulator/step/cell_step.hpp"
#include "simulator/step/detector.hpp"
#include "simulator/step/integrators/backward_euler.hpp"

namespace hillock::simulator::on_device {

/// Traits has
///   static constexpr step::TurnFacts facts;
///   static constexpr bool is_everywhere;   instance r is row r's
///   static constexpr bool is_whole;        its adjoint undoes states and the current behind them
///   static constexpr TapedHome homes[], back_homes[];   by variable, of the adjoint too
///   static constexpr int of_i, of_g, of_v;              variables of the adjoint
///   using V = ...;                                      what it computes with
template <class Evaluator, class Adjoint, class Traits>
struct TapedPair : Traits {
  using E = Evaluator;
  using A = Adjoint;
  using Variables = typename E::template Variables<typename Traits::V>;
  using BackVariables = typename A::template Variables<typename Traits::V>;
};

template <class... Some>
struct TapedList;
template <>
struct TapedList<> {
  static constexpr int count = 0;
  template <class Body>
  __device__ __forceinline__ static void each(const TapedBlock*, const Body&) {}
  template <class Body>
  __device__ __forceinline__ static void each_back(const TapedBlock*, const Body&) {}
};
template <class First, class... Rest>
struct TapedList<First, Rest...> {
  static constexpr int count = 1 + static_cast<int>(sizeof...(Rest));
  /// Calls body(First{}, its TapedBlock) and so on, or from the last to the first.
  template <class Body>
  __device__ __forceinline__ static void each(const TapedBlock* blocks, const Body& body) {
    body(First{}, *blocks);
    TapedList<Rest...>::each(blocks + 1, body);
  }
  template <class Body>
  __device__ __forceinline__ static void each_back(const TapedBlock* blocks, const Body& body) {
    TapedList<Rest...>::each_back(blocks + 1, body);
    body(First{}, *blocks);
  }
};

template <class Program>
using TapedArraysOf = TapedArrays<Program::Blocks::count>;

/// An executor of step/cell_step.hpp, of the rows and instances of one thread.
template <class Program>
class TapedCells {
 protected:
  static constexpr int lanes = Program::lanes, parts = Program::parts;
  using Blocks = typename Program::Blocks;

 public:
  using Real = double;

  __device__ TapedCells(const TapedArraysOf<Program>& arrays, unsigned group, double* chip)
      : h_(arrays.head),
        blocks_(arrays.of),
        group_(group),
        lane_(static_cast<int>(threadIdx.x) % lanes),
        part_(static_cast<int>(threadIdx.x) / lanes),
        cell_(group * lanes + static_cast<unsigned>(lane_)),
        is_there_(cell_ < h_.cells),
        v_(of_group(h_.live, h_.lasting)),
        states_(v_),
        next_(v_) {
    double* const work = Program::on_chip ? chip : h_.work + 2ull * h_.rows * lanes * blockIdx.x;
    x_ = work + lane_;
    d_ = x_ + h_.rows * lanes;
  }

  __device__ __forceinline__ void run(long long first, long long last) {
    const bool knows_above = h_.detector_row >= 0 && owns(h_.detector_row) && is_there_;
    if (knows_above) is_above_ = h_.above[cell_] != 0;
#pragma unroll 1
    for (long long step = first; step < last; ++step)
      step::take_step<step::BackwardEuler>(*this, step);
    if (knows_above) h_.above[cell_] = is_above_ ? 1 : 0;
  }
  /// As it is now, at that boundary.
  __device__ __forceinline__ void sample(long long step) {
    meet();
    if (!is_there_) return;
    for (unsigned k = h_.first_samples[cell_] + part_; k < h_.first_samples[cell_ + 1];
         k += parts) {
      const TapedSample& one = h_.samples[k];
      const TapedRecording& recording = h_.recordings[one.recording];
      const long long sample = recording.times.sample_at(step);
      if (sample < 0) continue;
      recording.rows[static_cast<unsigned long long>(sample - recording.first_sample) *
                         recording.columns +
                     one.column] = step::sum_of(*this, h_.terms + one.first_term, one.terms);
    }
  }

  // As step/cell_step.hpp asks for.
  __device__ __forceinline__ double dt_ms() const {
    return h_.dt_ms;
  }
  __device__ __forceinline__ double time_ms(long long step) const {
    return h_.boundary_ms[step];
  }
  __device__ __forceinline__ double middle_ms(long long step) const {
    return h_.middle_ms[step];
  }
  __device__ __forceinline__ double& v(int r) const {
    return v_[r * lanes];
  }
  __device__ __forceinline__ double& x(int r) const {
    return x_[r * lanes];
  }
  template <class Body>
  __device__ __forceinline__ void for_unknowns(const Body& body) const {
    for_rows(body);
  }
  __device__ __forceinline__ void deliver(long long step) {
    if (tape_) {
      states_ = v_ = record_of(step);
      next_ = v_ + record_size();
    } else if (step % h_.every == 0) {
      copy(v_, kept(step / h_.every));
    }
  }
  __device__ __forceinline__ void play(double) const {}
  __device__ __forceinline__ bool is_sampled(long long step) const {
    if (tape_) return false;
    for (int r = 0; r < h_.recording_count; ++r)
      if (h_.recordings[r].times.contains(step)) return true;
    return false;
  }
  __device__ __forceinline__ bool has_begun() const {
    return has_begun_;
  }
  __device__ __forceinline__ void begin_ions() const {}
  __device__ __forceinline__ void begin_rows(double, bool) const {
    const Numbers capacity = numbers(h_.capacity_uS, h_.rows);
    const Numbers constant = numbers(h_.constant_uS, h_.rows);
    struct Row {
      double diagonal, rhs;
    };
    for_rows_alone(
        [&](int r) {
          return Row{constant[r], capacity[r] * v(r)};
        },
        [&](int r, const Row& row) {
          d(r) = row.diagonal;
          x(r) = row.rhs;
        });
    add_currents<step::Turn::never>(0, false);
  }
  template <step::Turn turn>
  __device__ __forceinline__ void add_currents(double time_ms, bool) const {
    Blocks::each(blocks_, [&](auto pair, const TapedBlock& block) {
      using B = decltype(pair);
      if constexpr (step::turn_of_current(B::facts) == turn)
        for_own<B>(block, [&](const TapedInstance& at) {
          typename B::Variables y;
          this->template load<B>(block, at.instance, states_, y);
          this->template flow_at<B>(at, this->v(at.row),
                                    this->template area_of<B>(block, at.instance), y, time_ms);
        });
    });
  }
  __device__ __forceinline__ void add_fields(double, bool) const {}
  __device__ __forceinline__ void keep_constant(double) const {}
  __device__ __forceinline__ bool solve_rows() const {
    if (tape_)
      for_rows_alone([&](int r) { return d(r); },
                     [&](int r, double diagonal) { v_[(h_.lasting + r) * lanes] = diagonal; });
    solve();
    return true;  // threads of other cells go on
  }
  __device__ __forceinline__ void begin_again() const {}
  __device__ __forceinline__ void tell_what_spoils(long long) const {}
  __device__ __forceinline__ void detect(long long step) {
    if (tape_) return;
    if (owns(0) && !is_finite(x(0))) fail(step, -1);
    const int r = h_.detector_row;
    if (r < 0 || !owns(r) || !is_there_) return;
    const bool is_above = x(r) > h_.threshold_mV;
    if (is_above && !is_above_)
      h_.spikes[atomicAdd(h_.spike_count, 1u)] = {
          step::spike_ms(step, h_.threshold_mV, v(r), x(r), h_.interpolates, h_.dt_ms), cell_};
    is_above_ = is_above;
  }
  __device__ __forceinline__ void take_voltages(bool settles) {
    v_ = next_;
    for_rows_alone([&](int r) { return settles ? mechanisms::settled(x(r)) : x(r); },
                   [&](int r, double v_mV) { v(r) = v_mV; });
  }
  __device__ __forceinline__ void settle() const {}
  template <step::Turn turn>
  __device__ __forceinline__ void advance(double end_ms, long long next) {
    if constexpr (turn == step::Turn::density) {
      // States of this step and currents of the next see the same v.
      begin_rows(0, false);
      const double now_ms = middle_ms(next);
      Blocks::each(blocks_, [&](auto pair, const TapedBlock& block) {
        using B = decltype(pair);
        constexpr bool is_advanced =
            step::turn_of_states(B::facts) == turn && advances<typename B::E>;
        constexpr bool flows = step::turn_of_current(B::facts) == turn;
        if constexpr (is_advanced || flows)
          for_own<B>(block, [&](const TapedInstance& at) {
            typename B::Variables y;
            this->template load<B>(block, at.instance, is_advanced ? states_ : next_, y);
            const double v_mV = this->v(at.row),
                         area = this->template area_of<B>(block, at.instance);
            if constexpr (is_advanced) this->template advance_at<B>(block, at, v_mV, y, end_ms);
            if constexpr (flows) this->template flow_at<B>(at, v_mV, area, y, now_ms);
          });
      });
      has_begun_ = true;
    } else {
      Blocks::each(blocks_, [&](auto pair, const TapedBlock& block) {
        using B = decltype(pair);
        if constexpr (step::turn_of_states(B::facts) == turn && advances<typename B::E>)
          for_own<B>(block, [&](const TapedInstance& at) {
            typename B::Variables y;
            this->template load<B>(block, at.instance, states_, y);
            this->template advance_at<B>(block, at, this->v(at.row), y, end_ms);
          });
      });
    }
  }
  __device__ __forceinline__ void diffuse() const {}
  __device__ static constexpr bool follows_gaps() {
    return false;
  }

  // As step/membrane.hpp asks for, of nothing that they do.
  __device__ static constexpr bool keeps_membrane_currents() {
    return false;
  }
  __device__ __forceinline__ void gather_electrodes(double) const {}
  __device__ __forceinline__ double electrode_nA(int) const {
    return 0;
  }
  __device__ __forceinline__ double electrode_uS(int) const {
    return 0;
  }
  __device__ __forceinline__ double inside(int r) const {
    return x(r);
  }
  template <class Start>
  __device__ __forceinline__ void keep_axial(const Start&) const {}
  __device__ __forceinline__ void forget_electrodes() const {}

  // As step/samples.hpp asks for.
  __device__ __forceinline__ double voltage(const TapedTerm& term) const {
    return v(term.index);
  }
  __device__ __forceinline__ double membrane_nA(const TapedTerm&) const {
    return 0;
  }
  __device__ __forceinline__ double number(const TapedTerm& term) const {
    const TapedBlock& block = blocks_[term.block];
    return states_[(block.states_at + term.slot * block.count + term.index) * lanes];
  }

 protected:
  __device__ __forceinline__ static void meet() {
    if constexpr (lanes * parts <= 32)
      __syncwarp();
    else
      __syncthreads();
  }
  __device__ __forceinline__ static bool is_finite(double number) {
    return number - number == 0;
  }
  /// Where a thread's numbers of a group begin.
  __device__ __forceinline__ double* of_group(double* all, int size) const {
    return all + static_cast<unsigned long long>(size) * lanes * group_ + lane_;
  }
  struct Numbers {
    const double* data;
    int stride;
    __device__ __forceinline__ double operator[](int k) const { return data[k * stride]; }
  };
  __device__ __forceinline__ Numbers numbers(const TapedNumbers& some, int size) const {
    if (!some.by_cell) return {some.data, 1};
    return {some.data + static_cast<unsigned long long>(size) * lanes * group_ + lane_, lanes};
  }
  __device__ __forceinline__ double* own(const TapedBlock& block) const {
    return of_group(block.own, block.own_slots * block.count);
  }
  __device__ __forceinline__ double& d(int r) const {
    return d_[r * lanes];
  }
  /// A level of rows after the other, each row from those below it, in the order of the CPU's sums.
  /// Begins and ends with all in step.
  __device__ __forceinline__ void solve() const {
    meet();
    const Numbers child_uS = numbers(h_.child_uS, h_.rows);
    for_turns<-1>(child_uS, [&](const Ahead& at) {
      double pivot = d(at.row), sum = x(at.row);
      const auto add = [&](int child, double between) {
        const double factor = between * d(child);
        pivot = mechanisms::fma(-factor, between, pivot);
        sum = mechanisms::fma(factor, x(child), sum);
      };
      if (at.tree.child >= 0) add(at.tree.child, at.uS);
      if (at.tree.children_begin < at.tree.children_end) {
        const Numbers coupling = numbers(h_.coupling_uS, h_.rows);
        for (int k = at.tree.children_begin; k < at.tree.children_end; ++k)
          add(h_.other_children[k], coupling[h_.other_children[k]]);
      }
      x(at.row) = at.row == 0 ? sum / pivot : sum;
      d(at.row) = Program::quick ? quick_quotient(1.0, pivot) : 1.0 / pivot;
    });
    const Numbers coupling = numbers(h_.coupling_uS, h_.rows);
    for_turns<1>(coupling, [&](const Ahead& at) {
      if (at.row > 0)
        x(at.row) = mechanisms::fma(at.uS * d(at.row), x(at.tree.parent), x(at.row) * d(at.row));
    });
  }
  /// What a part does in a turn; row -1: nothing.
  struct Ahead {
    int row;
    TapedRow tree;
    double uS;
  };
  /// Calls body(Ahead) turn by turn, in that direction; all meet behind each. What a turn needs
  /// from memory is asked for some turns ahead.
  template <int direction, class Body>
  __device__ __forceinline__ void for_turns(const Numbers& uS, const Body& body) const {
    const int* const first_rows = h_.first_rows;
    const int turns = h_.turns;
    int turn = direction > 0 ? 0 : turns - 1;  // that is asked for next
    const auto edge_of = [&](int its) {
      const int edge = direction > 0 ? its + 1 : its;
      return first_rows[edge < 0 ? 0 : edge > turns ? turns : edge];
    };
    int edge = first_rows[direction > 0 ? 0 : turns], next_edge = edge_of(turn);
    const auto ask = [&] {
      const int begin = direction > 0 ? edge : next_edge, end = direction > 0 ? next_edge : edge;
      Ahead at{-1, {}, 0};
      if (begin + part_ < end) {
        at.row = begin + part_;
        at.tree = h_.tree[at.row];
        at.uS = uS[at.row];
      }
      edge = next_edge;
      turn += direction;
      next_edge = edge_of(turn);
      return at;
    };
    Ahead now = ask(), second = ask(), third = ask();
#pragma unroll 1
    for (int k = 0; k < turns; ++k) {
      const Ahead fourth = ask();
      if (now.row >= 0) body(now);
      meet();
      now = second;
      second = third;
      third = fourth;
    }
  }
  __device__ __forceinline__ bool owns(int r) const {
    return r % parts == part_;
  }
  template <class Body>
  __device__ __forceinline__ void for_rows(const Body& body) const {
#pragma unroll 1
    for (int r = part_; r < h_.rows; r += parts) body(r);
  }
  /// The same of what is little work and waits for memory: store(r, load(r)), several loads ahead
  /// of the stores.
  template <class Load, class Store>
  __device__ __forceinline__ void for_rows_alone(const Load& load, const Store& store) const {
    constexpr int ahead = 4;
#pragma unroll 1
    for (int first = part_; first < h_.rows; first += ahead * parts) {
      decltype(load(0)) loaded[ahead];
      HILLOCK_UNROLLED
      for (int k = 0; k < ahead; ++k)
        if (first + k * parts < h_.rows) loaded[k] = load(first + k * parts);
      HILLOCK_UNROLLED
      for (int k = 0; k < ahead; ++k)
        if (first + k * parts < h_.rows) store(first + k * parts, loaded[k]);
    }
  }
  template <class B, class Body>
  __device__ __forceinline__ void for_own(const TapedBlock& block, const Body& body) const {
    if constexpr (B::is_everywhere) {
      for_rows([&](int r) { body(TapedInstance{r, r}); });
    } else {
      TapedInstance next = block.instances[part_];
#pragma unroll 1
      for (int turn = 1; turn <= block.turns; ++turn) {
        const TapedInstance at = next;
        if (turn < block.turns) next = block.instances[turn * parts + part_];
        if (at.instance >= 0) body(at);
      }
    }
  }
  template <class V>
  __device__ __forceinline__ mechanisms::Instant<V> instant(double v_mV, double time_ms) const {
    return {v_mV, time_ms, h_.dt_ms, h_.celsius, h_.dt_ms};
  }
  /// A variable that a mechanism and its adjoint see alike. record: its states.
  template <TapedHome::Kind kind>
  __device__ __forceinline__ double seen(const TapedBlock& block, int slot, int i,
                                         const double* record) const {
    if constexpr (kind == TapedHome::one)
      return block.ones[slot];
    else if constexpr (kind == TapedHome::placed)
      return block.placed[slot * block.count + i];
    else if constexpr (kind == TapedHome::kept)
      return record[(block.states_at + slot * block.count + i) * lanes];
    else
      return own(block)[(slot * block.count + i) * lanes];
  }
  template <class B>
  __device__ __forceinline__ void load(const TapedBlock& block, int i, const double* record,
                                       typename B::Variables& y) const {
    for_constants<0, B::E::info.count()>([&](auto number) {
      constexpr int c = decltype(number)::value;
      constexpr TapedHome home = B::homes[c];
      array_of(y)[c] = seen<home.kind>(block, home.slot, i, record);
    });
  }
  template <class B>
  __device__ __forceinline__ void advance_at(const TapedBlock& block, const TapedInstance& at,
                                             double v_mV, typename B::Variables& y,
                                             double end_ms) const {
    B::E::advance(y, instant<typename B::V>(v_mV, end_ms));
    for_constants<0, B::E::info.states>([&](auto number) {
      constexpr int s = decltype(number)::value;
      next_[(block.states_at + s * block.count + at.instance) * lanes] =
          array_of(y)[B::E::info.first_state() + s];
    });
  }
  template <class B>
  __device__ __forceinline__ double area_of(const TapedBlock& block, int i) const {
    if constexpr (B::E::info.is_point_process)
      return 1;
    else
      return numbers(block.areas, block.count)[i];
  }
  template <class B>
  __device__ __forceinline__ void flow_at(const TapedInstance& at, double v_mV, double area,
                                          typename B::Variables& y, double time_ms) const {
    const auto flow = B::E::current(y, instant<typename B::V>(v_mV, time_ms));
    const auto row = mechanisms::row_flow<typename B::E>(
        mechanisms::Current<double>{flow.i, flow.g}, v_mV, [&] { return area; });
    d(at.row) += row.g;
    x(at.row) += row.source;
  }
  /// boundary: where its step ends.
  __device__ __forceinline__ void fail(long long boundary, int block) const {
    if (is_there_ && h_.failures[cell_].boundary == 0) h_.failures[cell_] = {boundary, block};
  }

  // Records.
  __device__ __forceinline__ unsigned long long record_size() const {
    return static_cast<unsigned long long>(h_.lasting + h_.rows) * lanes;
  }
  __device__ __forceinline__ double* kept(long long number) const {
    const unsigned long long of_group = (h_.steps + h_.every - 1) / h_.every;
    return h_.kept + (of_group * group_ + number) * h_.lasting * lanes + lane_;
  }
  __device__ __forceinline__ double* record_of(long long step) const {
    return tape_ + record_size() * static_cast<unsigned long long>(step % h_.every);
  }
  /// What lasts of a part's rows.
  __device__ __forceinline__ void copy(const double* from, double* to) const {
    for_rows_alone([&](int r) { return from[r * lanes]; },
                   [&](int r, double number) { to[r * lanes] = number; });
    Blocks::each(blocks_, [&](auto pair, const TapedBlock& block) {
      using B = decltype(pair);
      if constexpr (B::E::info.states > 0)
        this->template for_own<B>(block, [&](const TapedInstance& at) {
          for_constants<0, B::E::info.states>([&](auto number) {
            const int k =
                (block.states_at + decltype(number)::value * block.count + at.instance) * lanes;
            to[k] = from[k];
          });
        });
    });
  }

  const TapedHead& h_;
  const TapedBlock* const blocks_;
  const unsigned group_;
  const int lane_, part_;
  const unsigned cell_;
  const bool is_there_;  ///< else it fills up the last group
  /// Records: where voltages and states of a step are, and where the next one's go.
  double *v_, *states_, *next_;
  double *x_, *d_;
  double* tape_ = nullptr;  ///< of steps that are gone back over
  bool has_begun_ = false, is_above_ = false;
};

/// Calls body(Cells) for every group that is this block's.
template <template <class> class Cells, class Program, class Body>
__device__ __forceinline__ void for_groups(const TapedArraysOf<Program>& arrays, const Body& body) {
  extern __shared__ __align__(16) double shared[];
#pragma unroll 1
  for (unsigned group = blockIdx.x; group < arrays.head.groups; group += gridDim.x) {
    Cells<Program> cells(arrays, group, shared);
    body(cells);
    __syncthreads();
  }
}

}  // namespace hillock::simulator::on_device
