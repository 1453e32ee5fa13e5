#pragma once
// The way back over the steps that TapedCells kept, as backends/taped/taped_cell.cpp has it.

#include "simulator/backends/device/kernels/taped_cells.hpp"

namespace hillock::simulator::on_device {

template <class Program>
class TapedWayBack : public TapedCells<Program> {
  using Cells = TapedCells<Program>;
  using Cells::blocks_;
  using Cells::h_;
  using typename Cells::Blocks;
  using typename Cells::Numbers;
  static constexpr int lanes = Program::lanes, parts = Program::parts;

 public:
  __device__ TapedWayBack(const TapedArraysOf<Program>& arrays, unsigned group, double* chip)
      : Cells(arrays, group, chip),
        by_v_(this->of_group(h_.by_v, h_.rows)),
        by_coupling_(this->of_group(h_.by_coupling, h_.rows)),
        by_capacity_(this->of_group(h_.by_capacity, h_.rows)) {}

  __device__ __forceinline__ void go_back() {
    begin();
    double* const tape =
        h_.stretch + this->record_size() * (h_.every + 1) * blockIdx.x + this->lane_;
    double* const aside = h_.aside + 2ull * h_.rows * lanes * blockIdx.x + this->lane_;
#pragma unroll 1
    for (long long first = (h_.steps - 1) / h_.every * h_.every; first >= 0; first -= h_.every) {
      const long long last = first + h_.every < h_.steps ? first + h_.every : h_.steps;
      put_aside(aside);
      this->tape_ = tape;
      this->copy(this->kept(first / h_.every), tape);
      this->has_begun_ = false;
#pragma unroll 1
      for (long long step = first; step < last; ++step)
        step::take_step<step::BackwardEuler>(*this, step);
      take_back(aside);
#pragma unroll 1
      for (long long step = last; step-- > first;) undo(step, this->record_of(step));
    }
    end();
  }

 private:
  // Between two steps x is what the later one's right-hand sides are derived by, and d what its
  // voltages were less what they became.
  __device__ __forceinline__ void put_aside(double* aside) const {
    this->for_rows([&](int r) {
      aside[r * lanes] = this->x(r);
      aside[(h_.rows + r) * lanes] = this->d(r);
    });
  }
  __device__ __forceinline__ void take_back(const double* aside) const {
    this->for_rows([&](int r) {
      this->x(r) = aside[r * lanes];
      this->d(r) = aside[(h_.rows + r) * lanes];
    });
  }
  __device__ __forceinline__ double* back(const TapedBlock& block) const {
    return this->of_group(block.back, block.back_slots * block.count);
  }

  __device__ __forceinline__ void begin() const {
    this->for_rows([&](int r) {
      this->by_v(r) = by_coupling_[r * lanes] = by_capacity_[r * lanes] = 0;
      this->x(r) = this->d(r) = 0;
    });
    Blocks::each(blocks_, [&](auto pair, const TapedBlock& block) {
      using B = decltype(pair);
      using A = typename B::A;
      double* const of_block = this->back(block);
      this->template for_own<B>(block, [&](const TapedInstance& at) {
        for (int slot = 0; slot < block.back_slots; ++slot)
          of_block[(slot * block.count + at.instance) * lanes] = 0;
        constexpr int end = A::info.first_state(), first = end - A::info.hidden;
        if constexpr (first < end) {  // what it makes of what never changes
          typename B::BackVariables y;
          this->template load_back<B>(block, at.instance, this->kept(0), y);
          A::initialise(y, this->template instant<typename B::V>(this->kept(0)[at.row * lanes], 0));
          for_constants<first, end>([&](auto number) {
            constexpr int c = decltype(number)::value;
            of_block[(B::back_homes[c].slot * block.count + at.instance) * lanes] = array_of(y)[c];
          });
        }
      });
    });
  }

  __device__ __forceinline__ void undo(long long step, const double* record) const {
    const double* const next = record + this->record_size();  // of the step behind it
    add_samples(step + 1);
    const double now_ms = this->middle_ms(step), end_ms = this->time_ms(step + 1);
    Blocks::each_back(blocks_, [&](auto pair, const TapedBlock& block) {
      using B = decltype(pair);
      if constexpr (B::is_whole) this->template undo_advance<B>(block, record, next, end_ms, step);
    });
    undo_advances<step::Turn::point>(record, next, end_ms, step);
    undo_advances<step::Turn::density>(record, next, end_ms, step);
    undo_advances<step::Turn::ions>(record, next, end_ms, step);
    struct Begun {
      double rhs, diagonal;
    };
    this->for_rows_alone(
        [&](int r) {
          return Begun{this->by_v(r), record[(h_.lasting + r) * lanes]};
        },
        [&](int r, const Begun& begun) {
          this->x(r) = begun.rhs;
          this->d(r) = begun.diagonal;
        });
    this->solve();  // the matrix is symmetric; x is what right-hand sides are derived by
    const Numbers capacity = this->numbers(h_.capacity_uS, h_.rows);
    const Numbers constant = this->numbers(h_.constant_uS, h_.rows);
    struct Undone {
      double past_solved, by_capacity, by_v, by_coupling;
    };
    this->for_rows_alone(
        [&](int r) { return r == 0 ? 0 : h_.parents[r]; },
        [&](int r, int above) {
          const double x = this->x(r), solved = next[r * lanes];
          const double past_solved = record[r * lanes] - solved;
          return Undone{
              past_solved, by_capacity_[r * lanes] + x * past_solved,
              x * (capacity[r] + record[(h_.lasting + r) * lanes] - constant[r]),
              by_coupling_[r * lanes] - (x - this->x(above)) * (solved - next[above * lanes])};
        },
        [&](int r, const Undone& undone) {
          this->d(r) = undone.past_solved;
          by_capacity_[r * lanes] = undone.by_capacity;
          this->by_v(r) = undone.by_v;
          by_coupling_[r * lanes] = undone.by_coupling;
        });
    undo_currents<step::Turn::point>(record, now_ms, step);
    undo_currents<step::Turn::density>(record, now_ms, step);
    undo_currents<step::Turn::never>(record, 0, step);
    this->meet();  // x of the rows above was seen
  }

  __device__ __forceinline__ void end() {
    add_samples(0);
    const double* const record = this->kept(0);
    Blocks::each_back(blocks_, [&](auto pair, const TapedBlock& block) {
      using B = decltype(pair);
      if constexpr (B::is_whole)
        this->template undo_currents_of<B>(block, record, this->middle_ms(0), 0);
    });
  }

  /// Turns of a step's states that are not undone with the current behind them.
  template <step::Turn turn>
  __device__ __forceinline__ void undo_advances(const double* record, const double* next,
                                                double end_ms, long long step) const {
    Blocks::each_back(blocks_, [&](auto pair, const TapedBlock& block) {
      using B = decltype(pair);
      if constexpr (step::turn_of_states(B::facts) == turn && advances<typename B::E> &&
                    !B::is_whole)
        this->template undo_advance<B>(block, record, next, end_ms, step);
    });
  }
  template <class B>
  __device__ __forceinline__ void undo_advance(const TapedBlock& block, const double* record,
                                               const double* next, double end_ms,
                                               long long step) const {
    using A = typename B::A;
    const auto ahead = [&](const TapedInstance& at) {
      this->template ask_for_back<B>(block, at, record);
      ask_for(next + at.row * lanes);
    };
    this->template for_own<B>(block, ahead, [&](const TapedInstance& at) {
      typename B::BackVariables y;
      this->template load_back<B>(block, at.instance, record, y);
      if constexpr (B::is_whole)
        this->template give_flow<B>(block, at, y);
      else if constexpr (A::info.undoes_both)
        array_of(y)[B::of_i] = array_of(y)[B::of_g] = 0.0;
      const double by_v = this->by_v(at.row);
      A::advance(y, this->template instant<typename B::V>(next[at.row * lanes], end_ms));
      this->template store_back<B, Set::by_advance>(block, at.instance, y);
      this->template add_by_voltage<B>(block, at, by_v, y, step);
    });
  }
  /// Of a whole block they are undone with the states of the step before.
  template <step::Turn turn>
  __device__ __forceinline__ void undo_currents(const double* record, double now_ms,
                                                long long step) const {
    Blocks::each_back(blocks_, [&](auto pair, const TapedBlock& block) {
      using B = decltype(pair);
      if constexpr (step::turn_of_current(B::facts) == turn && !B::is_whole)
        this->template undo_currents_of<B>(block, record, now_ms, step);
    });
  }
  template <class B>
  __device__ __forceinline__ void undo_currents_of(const TapedBlock& block, const double* record,
                                                   double now_ms, long long step) const {
    const auto ahead = [&](const TapedInstance& at) {
      this->template ask_for_back<B>(block, at, record);
      ask_for(record + at.row * lanes);
    };
    this->template for_own<B>(block, ahead, [&](const TapedInstance& at) {
      typename B::BackVariables y;
      this->template load_back<B>(block, at.instance, record, y);
      this->template give_flow<B>(block, at, y);
      const double by_v = this->by_v(at.row);
      B::A::current(y, this->template instant<typename B::V>(record[at.row * lanes], now_ms));
      this->template store_back<B, Set::by_current>(block, at.instance, y);
      this->template add_by_voltage<B>(block, at, by_v, y, step);
    });
  }
  /// What is derived by its current.
  template <class B>
  __device__ __forceinline__ void give_flow(const TapedBlock& block, const TapedInstance& at,
                                            typename B::BackVariables& y) const {
    constexpr double sign = B::E::info.is_electrode ? -1 : 1;
    const double by = sign * this->template area_of<B>(block, at.instance) * this->x(at.row);
    array_of(y)[B::of_i] = -by;
    array_of(y)[B::of_g] = by * this->d(at.row);
  }
  template <class B>
  __device__ __forceinline__ void add_by_voltage(const TapedBlock& block, const TapedInstance& at,
                                                 double by_v, typename B::BackVariables& y,
                                                 long long step) const {
    const double by = array_of(y)[B::of_v];
    this->by_v(at.row) = by_v + by;
    if (!this->is_finite(by)) this->fail(step + 1, static_cast<int>(&block - blocks_));
  }

  /// What load_back() will load.
  template <class B>
  __device__ __forceinline__ void ask_for_back(const TapedBlock& block, const TapedInstance& at,
                                               const double* record) const {
    const double* const of_block = this->back(block);
    for_constants<0, B::A::info.count()>([&](auto number) {
      constexpr TapedHome home = B::back_homes[decltype(number)::value];
      if constexpr (home.kind == TapedHome::back)
        ask_for(of_block + (home.slot * block.count + at.instance) * lanes);
      else if constexpr (home.kind != TapedHome::none)
        this->template ask_for_seen<home.kind>(block, home.slot, at.instance, record);
    });
    ask_for(&by_v(at.row));
    this->template ask_for_area<B>(block, at.instance);
  }
  template <class B>
  __device__ __forceinline__ void load_back(const TapedBlock& block, int i, const double* record,
                                            typename B::BackVariables& y) const {
    const double* const of_block = this->back(block);
    for_constants<0, B::A::info.count()>([&](auto number) {
      constexpr int c = decltype(number)::value;
      constexpr TapedHome home = B::back_homes[c];
      if constexpr (home.kind == TapedHome::back)
        array_of(y)[c] = of_block[(home.slot * block.count + i) * lanes];
      else if constexpr (home.kind == TapedHome::none)
        array_of(y)[c] = 0.0;
      else
        array_of(y)[c] = this->template seen<home.kind>(block, home.slot, i, record);
    });
  }
  enum class Set { by_current, by_advance };
  template <class B, Set set>
  __device__ __forceinline__ void store_back(const TapedBlock& block, int i,
                                             typename B::BackVariables& y) const {
    using A = typename B::A;
    constexpr int count = static_cast<int>(
        (set == Set::by_current ? sizeof A::set_by_current : sizeof A::set_by_advance) /
        sizeof(int));
    double* const of_block = this->back(block);
    for_constants<0, count>([&](auto number) {
      constexpr int k = decltype(number)::value;
      constexpr int c = set == Set::by_current ? A::set_by_current[k] : A::set_by_advance[k];
      if constexpr (c >= 0)
        if constexpr (B::back_homes[c].kind == TapedHome::back)
          of_block[(B::back_homes[c].slot * block.count + i) * lanes] = array_of(y)[c];
    });
  }

  __device__ __forceinline__ void add_samples(long long step) const {
    if (!this->is_there_) return;
    const unsigned* const first = h_.first_shares + this->cell_ * parts + this->part_;
    for (unsigned k = first[0]; k < first[1]; ++k) {
      const TapedShare& share = h_.shares[k];
      const TapedRecording& recording = h_.recordings[share.recording];
      const long long sample = recording.by ? recording.times.sample_at(step) : -1;
      if (sample < 0) continue;
      const double by =
          recording.by[static_cast<unsigned long long>(sample) * recording.columns + share.column];
      const TapedTerm& term = share.term;
      if (term.kind == step::Summand::voltage) {
        this->by_v(term.index) += by;
      } else {
        const TapedBlock& block = blocks_[term.block];
        this->back(block)[(term.slot * block.count + term.index) * lanes] += term.factor * by;
      }
    }
  }

  __device__ __forceinline__ double& by_v(int r) const {
    return by_v_[r * lanes];
  }

  double *const by_v_, *const by_coupling_, *const by_capacity_;
};

}  // namespace hillock::simulator::on_device
