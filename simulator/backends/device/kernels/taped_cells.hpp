#pragma once
// Kernels of cells that keep what steps began with, to go back over them (taped_way_back.hpp,
// docs/gradients.md), as backends/taped does for one cell. A row belongs to one of its cell's
// threads, with all that is there; these meet where the tree is solved.
//
// A program, which the host writes, has
//   static constexpr int lanes, parts;   cells side by side in a block, and threads of each
//   static constexpr int solvers;        of which so many solve, the first
//   static constexpr bool on_chip;       what a step works in lies in shared memory
//   static constexpr bool quick;         quotients of the solve need not be the CPU's
//   static constexpr int ones;           numbers that are one for all
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
using TapedArraysOf = TapedArrays<Program::Blocks::count, Program::ones>;

/// Numbers that a solve works in.
template <bool on_chip>
class WorkOf {
 public:
  __device__ __forceinline__ explicit WorkOf(double* first) : first_(first) {}
  __device__ __forceinline__ double operator[](int k) const { return first_[k]; }
  __device__ __forceinline__ void set(int k, double number) const { first_[k] = number; }

 private:
  double* first_;
};
#if defined(__CUDA_ARCH__)
/// By their address on the chip, which a compiler finds anew for each of them otherwise, and waits.
template <>
class WorkOf<true> {
 public:
  __device__ __forceinline__ explicit WorkOf(double* first)
      : first_(static_cast<unsigned>(__cvta_generic_to_shared(first))) {
    asm volatile("" : "+r"(first_));
  }
  __device__ __forceinline__ double operator[](int k) const {
    double number;
    asm volatile("ld.shared.f64 %0, [%1];" : "=d"(number) : "r"(first_ + 8 * k));
    return number;
  }
  __device__ __forceinline__ void set(int k, double number) const {
    asm volatile("st.shared.f64 [%0], %1;" : : "r"(first_ + 8 * k), "d"(number) : "memory");
  }

 private:
  unsigned first_;
};
#endif

/// An executor of step/cell_step.hpp, of the rows and instances of one thread.
template <class Program>
class TapedCells {
 protected:
  static constexpr int lanes = Program::lanes, parts = Program::parts, solvers = Program::solvers;
  using Blocks = typename Program::Blocks;

 public:
  using Real = double;

  __device__ TapedCells(const TapedArraysOf<Program>& arrays, unsigned group, double* chip)
      : h_(arrays.head),
        blocks_(arrays.of),
        ones_(arrays.ones),
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
    return h_.boundary_ms(step);
  }
  __device__ __forceinline__ double middle_ms(long long step) const {
    return h_.middle_ms(step);
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
        for_own<B>(block, ask_ahead<B>(block, states_), [&](const TapedInstance& at) {
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
          step::spike_ms(step, h_.spike_boundary_ms(step), h_.threshold_mV, v(r), x(r),
                         h_.interpolates, h_.dt_ms),
          cell_};
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
          for_own<B>(block, ask_ahead<B>(block, is_advanced ? states_ : next_),
                     [&](const TapedInstance& at) {
                       typename B::Variables y;
                       this->template load<B>(block, at.instance, is_advanced ? states_ : next_, y);
                       const double v_mV = this->v(at.row),
                                    area = this->template area_of<B>(block, at.instance);
                       if constexpr (is_advanced)
                         this->template advance_at<B>(block, at, v_mV, y, end_ms);
                       if constexpr (flows) this->template flow_at<B>(at, v_mV, area, y, now_ms);
                     });
      });
      has_begun_ = true;
    } else {
      Blocks::each(blocks_, [&](auto pair, const TapedBlock& block) {
        using B = decltype(pair);
        if constexpr (step::turn_of_states(B::facts) == turn && advances<typename B::E>)
          for_own<B>(block, ask_ahead<B>(block, states_), [&](const TapedInstance& at) {
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
  /// Each row from those below it, in the order of the CPU's sums, and then from that above it. One
  /// warp has rows of all cells of the block, so that fewer of its threads wait for others. Begins
  /// and ends with all in step.
  __device__ __forceinline__ void solve() const {
    meet();
    if constexpr (solvers < parts) {
      if (part_ < solvers) sweep();
      meet();
    } else {
      sweep();
    }
  }
  __device__ __forceinline__ void sweep() const {
    const WorkOf<Program::on_chip> x(x_), d(d_);
    for_turns<1>(h_.child_uS, h_.second_uS, [&](const Ahead& at) {
      const int r = at.turn.row * lanes;
      double pivot = d[r], sum = x[r];
      const auto add = [&](int child, double between) {
        const double of_child = d[child * lanes], its_sum = x[child * lanes];
        const double factor = between * of_child;
        pivot = mechanisms::fma(-factor, between, pivot);
        sum = mechanisms::fma(factor, its_sum, sum);
      };
      if (at.turn.child >= 0) add(at.turn.child, at.uS);
      if (at.turn.second >= 0) add(at.turn.second, at.second_uS);
      if (at.turn.second <= TapedTurn::list) {
        const Numbers coupling = numbers(h_.coupling_uS, h_.rows);
        const int* const others = h_.other_children + (TapedTurn::list - at.turn.second);
        for (int k = 1; k <= others[0]; ++k) add(others[k], coupling[others[k]]);
      }
      x.set(r, r == 0 ? sum / pivot : sum);
      d.set(r, Program::quick ? quick_quotient(1.0, pivot) : 1.0 / pivot);
    });
    for_turns<-1>(h_.turn_uS, h_.turn_uS, [&](const Ahead& at) {
      const int r = at.turn.row * lanes;
      if (r == 0) return;
      const double factor = d[r], mine = x[r], above = x[at.turn.parent * lanes];
      x.set(r, mechanisms::fma(at.uS * factor, above, mine * factor));
    });
  }
  /// What a part does in a turn.
  struct Ahead {
    TapedTurn turn;
    double uS, second_uS;
  };
  /// Calls body(Ahead) of rows turn by turn, in that direction; all solvers meet behind each. What
  /// some turns need from memory is asked for at once, while those before them are taken.
  template <int direction, class Body>
  __device__ __forceinline__ void for_turns(const TapedNumbers& of_turns,
                                            const TapedNumbers& second_of_turns,
                                            const Body& body) const {
    const int turns = h_.turns, size = (turns + 2 * empty_turns) * solvers;
    const Numbers uS = numbers(of_turns, size), second_uS = numbers(second_of_turns, size);
    int at = (direction > 0 ? empty_turns : empty_turns + turns - 1) * solvers + part_;
    Ahead now[empty_turns], ahead[empty_turns];
    const auto ask = [&] {
      HILLOCK_UNROLLED
      for (Ahead& one : ahead) {
        one = {h_.solve[at], uS[at], second_uS[at]};
        at += direction * solvers;
      }
    };
    ask();
#pragma unroll 1
    for (int turn = 0; turn < turns; turn += empty_turns) {
      HILLOCK_UNROLLED
      for (int k = 0; k < empty_turns; ++k) now[k] = ahead[k];
      ask();
      HILLOCK_UNROLLED
      for (const Ahead& one : now) {
        if (one.turn.row >= 0) body(one);
        if constexpr (solvers < parts)
          __syncwarp();
        else
          meet();
      }
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
    for_rows_alone([](int) { return 0; }, [&](int r, int) { return load(r); }, store);
  }
  /// With where(r), which load(r, where) asks for before.
  template <class Where, class Load, class Store>
  __device__ __forceinline__ void for_rows_alone(const Where& where, const Load& load,
                                                 const Store& store) const {
    constexpr int ahead = 4;
#pragma unroll 1
    for (int first = part_; first < h_.rows; first += ahead * parts) {
      int places[ahead];
      decltype(load(0, 0)) loaded[ahead];
      HILLOCK_UNROLLED
      for (int k = 0; k < ahead; ++k)
        if (first + k * parts < h_.rows) places[k] = where(first + k * parts);
      HILLOCK_UNROLLED
      for (int k = 0; k < ahead; ++k)
        if (first + k * parts < h_.rows) loaded[k] = load(first + k * parts, places[k]);
      HILLOCK_UNROLLED
      for (int k = 0; k < ahead; ++k)
        if (first + k * parts < h_.rows) store(first + k * parts, loaded[k]);
    }
  }
  /// ahead(at) asks for what a body will load, a turn before it.
  template <class B, class Ask, class Body>
  __device__ __forceinline__ void for_own(const TapedBlock& block, const Ask& ahead,
                                          const Body& body) const {
    if constexpr (B::is_everywhere) {
      if (part_ < h_.rows) ahead(TapedInstance{part_, part_});
      for_rows([&](int r) {
        if (r + parts < h_.rows) ahead(TapedInstance{r + parts, r + parts});
        body(TapedInstance{r, r});
      });
    } else {
      TapedInstance next = block.instances[part_], later{-1, 0};
      if (block.turns > 1) later = block.instances[parts + part_];
      if (next.instance >= 0) ahead(next);
#pragma unroll 1
      for (int turn = 2; turn <= block.turns + 1; ++turn) {
        const TapedInstance at = next;
        next = later;
        later = turn < block.turns ? block.instances[turn * parts + part_] : TapedInstance{-1, 0};
        if (next.instance >= 0) ahead(next);
        if (at.instance >= 0) body(at);
      }
    }
  }
  template <class B, class Body>
  __device__ __forceinline__ void for_own(const TapedBlock& block, const Body& body) const {
    for_own<B>(
        block, [](const TapedInstance&) {}, body);
  }
  /// Of a variable that is a cell's own, before it is `seen`.
  template <TapedHome::Kind kind>
  __device__ __forceinline__ void ask_for_seen(const TapedBlock& block, int slot, int i,
                                               const double* record) const {
    if constexpr (kind == TapedHome::kept)
      ask_for(record + (block.states_at + slot * block.count + i) * lanes);
    else if constexpr (kind == TapedHome::own)
      ask_for(own(block) + (slot * block.count + i) * lanes);
  }
  /// What load() will load.
  template <class B>
  __device__ __forceinline__ void ask_for_variables(const TapedBlock& block,
                                                    const TapedInstance& at,
                                                    const double* record) const {
    for_constants<0, B::E::info.count()>([&](auto number) {
      constexpr TapedHome home = B::homes[decltype(number)::value];
      ask_for_seen<home.kind>(block, home.slot, at.instance, record);
    });
    ask_for(&v(at.row));
    ask_for_area<B>(block, at.instance);
  }
  template <class B>
  __device__ __forceinline__ void ask_for_area(const TapedBlock& block, int i) const {
    if constexpr (!B::E::info.is_point_process) {
      const Numbers areas = numbers(block.areas, block.count);
      ask_for(areas.data + i * areas.stride);
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
      return ones_[slot];
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
  __device__ __forceinline__ auto ask_ahead(const TapedBlock& block, const double* record) const {
    return [this, &block, record](const TapedInstance& at) {
      this->template ask_for_variables<B>(block, at, record);
    };
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
  const double* const ones_;
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
