#pragma once
// Who a thread is: its cell, its rows, its instances.

#include "simulator/backends/device/kernels/failure.hpp"
#include "simulator/backends/device/kernels/instances.hpp"
#include "simulator/backends/device/kernels/quick.hpp"
#include "solver/arithmetic.hpp"

namespace hillock::simulator::on_device {

/// Whether two density blocks go through the same rows, so that one loop may do both: whatever
/// happens at a row happens there in the order of blocks. What others see keeps loops of its own.
template <class A, class B>
__device__ constexpr bool go_together() {
  return !A::is_alone() && !B::is_alone() && A::is_everywhere == B::is_everywhere &&
         A::list == B::list && A::E::info.is_electrode == B::E::info.is_electrode;
}

/// A list of blocks, with their arrays one after the other. `wanted` is a constant function of a
/// block.
template <class... Some>
struct BlockList;
template <>
struct BlockList<> {
  template <class Body>
  __device__ __forceinline__ void each(const Body&) const {}
  template <class Wanted, class Body>
  __device__ __forceinline__ void each_group(const Wanted&, const Body&) const {}
  template <class Leader, class Wanted, class Body>
  __device__ __forceinline__ void each_group_behind(const Wanted&, const Body&) const {}
  template <class Leader, class Wanted, class Body>
  __device__ __forceinline__ void each_together(const Wanted&, const Body&) const {}
};
template <class First, class... Rest>
struct BlockList<First, Rest...> {
  BlockArrays<typename First::E> arrays;
  BlockList<Rest...> rest;

  /// Calls body(Block{}, arrays) for each.
  template <class Body>
  __device__ __forceinline__ void each(const Body& body) const {
    body(First{}, arrays);
    rest.each(body);
  }
  /// Calls body(the first Block{}, its arrays, each) for wanted blocks that follow each other and
  /// go together: each(inner) calls inner(Block{}, arrays) for all of them.
  template <class Wanted, class Body>
  __device__ __forceinline__ void each_group(const Wanted& wanted, const Body& body) const {
    if constexpr (Wanted{}(First{})) {
      body(First{}, arrays, [&](const auto& inner) {
        inner(First{}, arrays);
        rest.template each_together<First>(wanted, inner);
      });
      rest.template each_group_behind<First>(wanted, body);
    } else {
      rest.each_group(wanted, body);
    }
  }
  /// The groups behind that of Leader.
  template <class Leader, class Wanted, class Body>
  __device__ __forceinline__ void each_group_behind(const Wanted& wanted, const Body& body) const {
    if constexpr (Wanted{}(First{}) && !go_together<Leader, First>())
      each_group(wanted, body);
    else
      rest.template each_group_behind<Leader>(wanted, body);
  }
  /// Calls inner(Block{}, arrays) for the blocks of Leader's group.
  template <class Leader, class Wanted, class Inner>
  __device__ __forceinline__ void each_together(const Wanted& wanted, const Inner& inner) const {
    if constexpr (!Wanted{}(First{})) {
      rest.template each_together<Leader>(wanted, inner);
    } else if constexpr (go_together<Leader, First>()) {
      inner(First{}, arrays);
      rest.template each_together<Leader>(wanted, inner);
    }
  }
};

template <class Program>
struct Arrays {
  RunNumbers run;
  CellArrays cells;
  IonArrays ions[Program::ions > 0 ? Program::ions : 1];
  typename Program::Blocks blocks;
};

/// The first `threads` threads of a cell. lanes: cells that lie side by side share a block, and its
/// threads: those of one cell are so far apart. They are in step together.
template <int threads, int lanes>
struct CellTeam {
  static constexpr int count = threads;

  __device__ __forceinline__ int size() const { return threads; }
  __device__ __forceinline__ int rank() const {
    return threads == 1 ? 0 : static_cast<int>(threadIdx.x) / lanes;
  }
  __device__ __forceinline__ int squad() const { return threads < 32 ? threads : 32; }
  __device__ __forceinline__ void sync() const {
    if constexpr (threads == 1 || threads * lanes <= 32)
      sync_squad();
    else
      __syncthreads();
  }
  __device__ __forceinline__ void sync_squad() const {
    if constexpr (threads > 1) __syncwarp();
  }
  /// A sync that tells all whether it is so for any of the cells that share it.
  __device__ __forceinline__ bool any(bool is_so) const {
    if constexpr (threads == 1)
      return is_so;
    else if constexpr (threads * lanes <= 32)
      return __any_sync(~0u, is_so);
    else
      return __syncthreads_or(is_so);
  }
};

/// Yes where the condition holds, else No.
template <bool condition, class Yes, class No>
struct Choice {
  using Type = Yes;
};
template <class Yes, class No>
struct Choice<false, Yes, No> {
  using Type = No;
};

/// The first row of a branch; where cells share a block also whether its pivot changes.
struct ChildRow {
  int row;
  bool changes;
};

template <class Program>
class CellContext {
 public:
  using Real = typename Program::Real;
  static constexpr int team_size = Program::team;
  static constexpr int layers = Program::layers;
  /// Cells that share a block have what they work in and tables on the chip, no more.
  static constexpr bool lists_on_chip = Program::on_chip && !Program::shares_block;
  /// Whether a step begins with all diagonals: where most pivots change, and where what never
  /// changes of them is far from the chip, so that no elimination waits for it.
  static constexpr bool begins_diagonals = Program::all_change || Program::most_change ||
                                           Program::one_row ||
                                           (Program::contracts && !Program::tables_on_chip);
  static constexpr int work_stride = Program::one_row ? 1 : Program::stride;
  /// Where cells share a block as many of them as may be lie on the chip: x holds v between steps,
  /// and of pivots only those that change are there. During a step v is in memory.
  static constexpr bool in_place = Program::shares_block;
  /// Whether sweeps divide without IEEE's last bit.
  static constexpr bool is_quick = Program::is_quick && sizeof(Real) == sizeof(double);

  /// work: where the cell's arrays begin. chip: the cell's other words on the chip.
  __device__ CellContext(const Arrays<Program>& arrays, unsigned cell, Real* work, double* chip)
      : all_(arrays),
        a_(arrays.cells),
        cell_(cell),
        entry_(a_.entries[cell]),
        image_(a_.images[entry_.image]),
        rows_(Program::one_row ? 1 : image_.rows),
        work_(work),
        most_rows_(Program::one_row ? 1 : a_.most_rows),
        chip_(chip),
        tables_(find_tables()) {}

  /// Of a row, in one of the arrays that a step works in (row_arrays).
  __device__ __forceinline__ Real& number(int array, int r) const {
    return work_[(array * most_rows_ + r) * work_stride];
  }
  __device__ __forceinline__ auto& v(int r) const {
    if constexpr (in_place)
      return a_.v_mV[row_of(r)];
    else
      return number(0, r);
  }
  /// Right-hand sides, then the solution.
  __device__ __forceinline__ Real& x(int r) const { return number(in_place ? 0 : 1, r); }
  /// The voltage between steps.
  __device__ __forceinline__ Real& v_between(int r) const { return number(0, r); }
  /// Diagonals, where branches are swept then the reciprocals of pivots.
  __device__ __forceinline__ Real& d(int r) const {
    return number(in_place ? 1 : 2, place_of_pivot(r));
  }
  /// Where branches are swept: coupling over pivot.
  __device__ __forceinline__ Real& factor(int r) const { return number(3, r); }
  __device__ __forceinline__ Real changing_factor(int r) const {
    if constexpr (in_place)
      return constant_of<RowTable::coupling_uS>(r) * d(r);
    else
      return factor(r);
  }
  __device__ __forceinline__ Real constant_factor(int r) const {
    if constexpr (in_place)
      return constant_of<RowTable::coupling_uS>(r);  // which has these of such rows
    else
      return factor(r);
  }
  /// Of any row. Where cells share a block the table that every step needs has factors of rows
  /// whose pivots never change in their place.
  __device__ __forceinline__ Real coupling_uS(int r) const {
    constexpr bool is_one = Program::tables[static_cast<int>(RowTable::coupling_uS)] < 0;
    if constexpr (!is_one && (in_place || Program::contracts))
      return static_cast<Real>(unchanging(tail() + image_.coupling + r));
    else
      return constant_of<RowTable::coupling_uS>(r);
  }
  /// What of a row below a fork joins the row above: its solution so far, its coupling over its
  /// pivot and, where the pivot above changes, its coupling; from the chip where that has it.
  struct Joining {
    Real x, factor, coupling_uS;
  };
  __device__ __forceinline__ Joining joining(const ChildRow& child, bool above_changes) const {
    const int r = child.row;
    Joining its{x(r), 0, 0};
    if constexpr (in_place) {
      its.coupling_uS = its.factor = constant_of<RowTable::coupling_uS>(r);
      if (child.changes)
        its.factor *= d(r);
      else if (above_changes)
        its.coupling_uS = coupling_uS(r);
    } else {
      its.factor = factor(r);
      its.coupling_uS = coupling_uS(r);
    }
    return its;
  }
  /// The reciprocal of a pivot that never changes.
  __device__ __forceinline__ Real constant_pivot(int r) const {
    if constexpr (in_place)
      return constant_of<RowTable::constant>(r);
    else
      return d(r);
  }
  // Where there are extracellular layers:
  /// A layer's potential, and what it becomes.
  __device__ __forceinline__ Real& potential(int layer, int r) const {
    return number(array_of_layer(layer), r);
  }
  __device__ __forceinline__ Real& next_potential(int layer, int r) const {
    return number(array_of_layer(layer) + 1, r);
  }
  /// From ground to the inside.
  __device__ __forceinline__ Real& electrode_uS_of(int r) const {
    return number(array_of_layer(layers), r);
  }
  __device__ __forceinline__ Real& electrode_nA_of(int r) const {
    return number(array_of_layer(layers) + 1, r);
  }
  __device__ __forceinline__ Real& ground_nA_of(int r) const {
    return number(array_of_layer(layers) + 2, r);
  }
  /// What of the parent's solution joins that of an eliminated row: number i of that.
  __device__ __forceinline__ Real& share_of_parent(int i, int r) const {
    if (i == 0) return d(r);
    if (i == 1) return factor(r);
    if (i == 2) return electrode_uS_of(r);
    return number(array_of_layer(layers) + i, r);
  }
  /// The potential inside before a step.
  __device__ __forceinline__ Real inside_before(int r) const {
    if constexpr (layers > 0)
      return v(r) + potential(0, r);
    else
      return v(r);
  }
  /// What a contraction works in.
  __device__ __forceinline__ Real* solver_numbers() const { return work_ + 3 * most_rows_; }
  __device__ __forceinline__ int most_late() const { return a_.most_late; }
  __device__ __forceinline__ int most_inbox() const { return a_.most_inbox; }
  __device__ __forceinline__ const Image& image() const { return image_; }
  template <RowTable table>
  __device__ __forceinline__ Real constant_of(int r) const {
    constexpr int place = Program::tables[static_cast<int>(table)];
    if constexpr (place < 0)
      return static_cast<Real>(a_.ones[static_cast<int>(table)]);
    else
      return static_cast<Real>(of_table(tables_ + place * rows_ + r));
  }
  /// What every step needs of an image; on the chip its rows take less where they are floats.
  __device__ __forceinline__ const int* integers() const {
    if constexpr (Program::tables_on_chip)
      return reinterpret_cast<const int*>(chip_ + a_.first_table + words_of_rows()) -
             2 * image_.first_integer;
    else
      return tail_integers();
  }
  /// All tables of an image, in memory.
  __device__ __forceinline__ const double* tail() const { return a_.tables + image_.tables; }
  __device__ __forceinline__ const int* tail_integers() const {
    return reinterpret_cast<const int*>(tail());
  }
  __device__ __forceinline__ const Branch& branch(int b) const {
    return reinterpret_cast<const Branch*>(integers() + image_.branches)[b];
  }
  /// Branches of a level are branch_of_level(l) … branch_of_level(l + 1) - 1; level 0 is the
  /// root's.
  __device__ __forceinline__ int branch_of_level(int level) const {
    return integers()[image_.level_begin + level];
  }
  __device__ __forceinline__ int levels() const { return image_.levels; }
  /// The first row of a branch below a fork, in the order of rows.
  __device__ __forceinline__ ChildRow child(int k) const {
    const int entry = integers()[image_.children + k];
    if constexpr (in_place && !Program::none_constant)
      return {entry >= 0 ? entry : ~entry, entry < 0};
    else
      return {entry, true};
  }

  /// Calls body(row) for the rows of this thread.
  template <class Body>
  __device__ __forceinline__ void for_rows(const Body& body) const {
#pragma unroll 1
    for (int r = team_.rank(); r < rows_; r += team_size) body(r);
  }
  /// Calls put(row, get(row)) for the rows of this thread, getting the numbers of several rows
  /// before the first is put.
  template <class Get, class Put>
  __device__ __forceinline__ void for_rows_ahead(const Get& get, const Put& put) const {
    constexpr int ahead = 4;
    int r = team_.rank();
#pragma unroll 1
    for (; r + (ahead - 1) * team_size < rows_; r += ahead * team_size) {
      decltype(get(r)) numbers[ahead];
#pragma unroll
      for (int k = 0; k < ahead; ++k) numbers[k] = get(r + k * team_size);
#pragma unroll
      for (int k = 0; k < ahead; ++k) put(r + k * team_size, numbers[k]);
    }
#pragma unroll 1
    for (; r < rows_; r += team_size) put(r, get(r));
  }

 protected:
  __device__ __forceinline__ unsigned long long row_of(int r) const {
    return entry_.first_row + static_cast<unsigned long long>(r) * Program::stride;
  }
  /// Whether a row's pivot changes, where cells share a block.
  __device__ __forceinline__ bool changes(int r) const {
    if constexpr (Program::none_constant)
      return true;
    else
      return of_table(integers() + image_.places + r) >= 0;
  }
  __device__ __forceinline__ int place_of_pivot(int r) const {
    if constexpr (in_place && !Program::has_all_pivots)
      return of_table(integers() + image_.places + r);
    else
      return r;
  }
  /// Whether what happens at a row is this thread's to do.
  __device__ __forceinline__ bool owns(int r) const {
    return team_size == 1 || r % team_size == team_.rank();
  }
  template <class V>
  __device__ __forceinline__ mechanisms::Instant<V> instant(V v_mV, double time_ms) const {
    using Number = mechanisms::Number<V>;
    return {v_mV, time_ms, static_cast<Number>(all_.run.dt_ms),
            static_cast<Number>(all_.run.celsius), static_cast<Number>(all_.run.implicit_dt_ms)};
  }
  __device__ __forceinline__ double number_at(const NumberAddress& at) const {
    if (at.memory) return *at.memory;
    return at.is_single ? reinterpret_cast<const float*>(chip_)[at.chip] : chip_[at.chip];
  }
  __device__ __forceinline__ void set_number(const NumberAddress& at, double value) const {
    if (at.memory)
      *at.memory = value;
    else if (at.is_single)
      reinterpret_cast<float*>(chip_)[at.chip] = static_cast<float>(value);
    else
      chip_[at.chip] = value;
  }

  template <class E>
  __device__ __forceinline__ InstanceSlot slot_of(const BlockArrays<E>& block, unsigned instance,
                                                  int r) const {
    return {instance,
            unchanging(block.first + cell_) +
                static_cast<unsigned long long>(instance) * Program::stride,
            r, row_of(r), chip_};
  }
  /// The instance of an event.
  template <class E>
  __device__ __forceinline__ InstanceSlot slot_of(const BlockArrays<E>& block,
                                                  unsigned instance) const {
    InstanceSlot at = slot_of(block, instance, 0);
    if constexpr (!Program::one_row) {
      at.r = block.rows[at.element];
      at.row = row_of(at.r);
    }
    return at;
  }

  /// A number of the tables, which may be on the chip.
  template <class T>
  __device__ __forceinline__ static T of_table(const T* at) {
    if constexpr (Program::tables_on_chip)
      return *at;
    else
      return unchanging(at);
  }
  /// How many instances of a block the cell has.
  template <class B>
  __device__ __forceinline__ unsigned count_of(const BlockArrays<typename B::E>& block) const {
    if constexpr (B::E::info.is_point_process)
      return block.owned_begin[(cell_ + 1) * team_size] - block.owned_begin[cell_ * team_size];
    else if constexpr (B::is_everywhere)
      return static_cast<unsigned>(rows_);
    else
      return static_cast<unsigned>(integers()[list_of<B>() + team_size]);
  }

  /// Calls body(InstanceSlot) for every instance of a block that this thread owns, rows of density
  /// mechanisms and instances of points rising. Of a density block calls announce(InstanceSlot) of
  /// the next one before.
  template <class B, class Body, class Announce>
  __device__ __forceinline__ void for_own(const BlockArrays<typename B::E>& block, const Body& body,
                                          const Announce& announce) const {
    if constexpr (!B::E::info.is_point_process) {
      if constexpr (B::is_everywhere) {
#pragma unroll 1
        for (int r = team_.rank(); r < rows_; r += team_size) {
          if (r + team_size < rows_) announce(slot_of(block, r + team_size, r + team_size));
          body(slot_of(block, r, r));
        }
      } else {
        const int* const list = integers() + list_of<B>() + team_.rank();
        const OwnedInstance* const its = listed<B>();
        const auto read = [&](int k) {
          return OwnedInstance{of_table(&its[k].instance), of_table(&its[k].row)};
        };
        const int end = of_table(list + 1);
        int k = of_table(list);
        OwnedInstance next{};
        if (k < end) next = read(k);
#pragma unroll 1
        while (k < end) {
          const OwnedInstance own = next;
          if (++k < end) {  // on its way while the body works
            next = read(k);
            announce(slot_of(block, static_cast<unsigned>(next.instance), next.row));
          }
          body(slot_of(block, static_cast<unsigned>(own.instance), own.row));
        }
      }
    } else if constexpr (team_size == 1) {
      const unsigned count = count_of<B>(block);
#pragma unroll 1
      for (unsigned i = 0; i < count; ++i) body(slot_of(block, i));
    } else {
      const auto* const owned = lists_on_chip ? owned_on_chip() : block.owned;
#pragma unroll 1
      for (unsigned k = owned_[B::list].begin; k < owned_[B::list].end; ++k)
        body(slot_of(block, static_cast<unsigned>(owned[k].instance), owned[k].row));
    }
  }
  template <class B, class Body>
  __device__ __forceinline__ void for_own(const BlockArrays<typename B::E>& block,
                                          const Body& body) const {
    for_own<B>(block, body, [](const InstanceSlot&) {});
  }

  /// Which squad this thread is of; of none where it is the last one.
  __device__ __forceinline__ int squad() const {
    return team_.rank() / Program::squad_ranks;
  }
  /// Calls body(InstanceSlot) for the instances of a density block that this thread advances: its
  /// own, or, where blocks are dealt, a part of all of them.
  template <class B, class Body>
  __device__ __forceinline__ void for_advanced(const BlockArrays<typename B::E>& block,
                                               const Body& body) const {
    if constexpr (B::squad < 0) {
      for_own<B>(block, body);
    } else {
      constexpr int step = Program::squad_ranks;
      const int count = static_cast<int>(count_of<B>(block));
#pragma unroll 1
      for (int k = team_.rank() % step; k < count; k += step)
        if constexpr (B::is_everywhere) {
          body(slot_of(block, static_cast<unsigned>(k), k));
        } else {
          const OwnedInstance* const one = listed<B>() + k;
          body(
              slot_of(block, static_cast<unsigned>(of_table(&one->instance)), of_table(&one->row)));
        }
    }
  }

  /// Copies what the cell works with onto the chip, but voltages. Ends with a sync.
  __device__ __forceinline__ void load_chip() {
    if constexpr (Program::tables_on_chip) {
      const double* const from = a_.tables + image_.tables;
      double* const to = chip_ + a_.first_table;
#pragma unroll 1
      for (int k = team_.rank(); k < image_.first_integer; k += team_size)
        reinterpret_cast<Real*>(to)[k] = static_cast<Real>(from[k]);
#pragma unroll 1
      for (int k = image_.first_integer + team_.rank(); k < image_.words; k += team_size)
        to[k - image_.first_integer + words_of_rows()] = from[k];
      team_.sync();  // what follows reads them
    }
    if constexpr (!Program::one_row) {
      load_pivots();
      if constexpr (!Program::contracts && !in_place)
#pragma unroll 1
        for (int r = team_.rank(); r < rows_; r += team_size)
          factor(r) = static_cast<Real>(a_.factor[image_.factors + static_cast<unsigned>(r)]);
    }
    if constexpr (team_size > 1) load_owned();
    copy_columns<false>();
    if constexpr (Program::ions_on_chip) copy_ions<false>();
    team_.sync();
  }
  /// What never changes of diagonals, and of pivots.
  __device__ __forceinline__ void load_pivots() const {
#pragma unroll 1
    for (int r = team_.rank(); r < rows_; r += team_size)
      if (!in_place || Program::has_all_pivots || changes(r))
        d(r) = constant_of<RowTable::constant>(r);
  }
  /// The way back of what changes. Ends with a sync.
  __device__ __forceinline__ void store_chip() {
    team_.sync();
    copy_columns<true>();
    if constexpr (Program::ions_on_chip) copy_ions<true>();
  }

  __device__ __forceinline__ void fail(const Failure& failure) const {
    tell(a_.failure, failure);
  }

  __device__ __forceinline__ void add_spike(double time_ms, long long step) const {
    const unsigned number = atomicAdd(a_.spike_count, 1u);
    if (number < a_.most_spikes)
      a_.spikes[number] = {time_ms, entry_.id};
    else
      fail({Failure::Kind::too_many_spikes, a_.program, cell_, 0, 0, time_ms, step});
  }

  /// Tables are doubles in memory.
  using TableNumber = typename Choice<Program::tables_on_chip, Real, double>::Type;

  const Arrays<Program>& all_;
  const CellArrays& a_;
  const unsigned cell_;
  const CellEntry entry_;
  const Image image_;
  const int rows_;
  Real* const work_;
  const int most_rows_;
  double* const chip_;
  const TableNumber* const tables_;
  const CellTeam<team_size, Program::stride> team_{};

 private:
  struct OwnedRange {
    unsigned begin, end;
  };

  __device__ __forceinline__ const TableNumber* find_tables() const {
    if constexpr (Program::tables_on_chip)
      return reinterpret_cast<const TableNumber*>(chip_ + a_.first_table);
    else
      return tail();
  }
  /// On the chip.
  __device__ __forceinline__ int words_of_rows() const {
    return (image_.first_integer * static_cast<int>(sizeof(Real)) + 7) / 8;
  }

  /// Among the integers, where a density block's instances begin for each thread, and at the end
  /// how many there are.
  template <class B>
  __device__ __forceinline__ int list_of() const {
    return image_.owned_begin + B::list * (team_size + 2);
  }
  /// The instances of its list, thread by thread.
  template <class B>
  __device__ __forceinline__ const OwnedInstance* listed() const {
    return reinterpret_cast<const OwnedInstance*>(integers() + image_.owned) +
           integers()[list_of<B>() + team_size + 1];
  }
  __device__ __forceinline__ const OwnedInstance* owned_on_chip() const {
    return reinterpret_cast<const OwnedInstance*>(chip_ + a_.first_owned);
  }

  __device__ __forceinline__ void load_owned() {
    unsigned first = 0;
    all_.blocks.each([&](auto block, const auto& arrays) {
      using B = decltype(block);
      if constexpr (B::E::info.is_point_process) {
        const unsigned* const begin = arrays.owned_begin + cell_ * team_size;
        OwnedRange& own = owned_[B::list];
        own = {begin[team_.rank()], begin[team_.rank() + 1]};
        if constexpr (lists_on_chip) {
          const unsigned from = begin[0], count = begin[team_size] - from;
          auto* const to = reinterpret_cast<OwnedInstance*>(chip_ + a_.first_owned) + first;
#pragma unroll 1
          for (unsigned k = team_.rank(); k < count; k += team_size) to[k] = arrays.owned[from + k];
          own.begin += first - from;
          own.end += first - from;
          first += count;
        }
      }
    });
  }

  template <bool back>
  __device__ __forceinline__ void copy_columns() const {
    all_.blocks.each([&](auto block, const auto& arrays) {
      using B = decltype(block);
      if constexpr (B::has_chip) {
        const unsigned count = count_of<B>(arrays);
        const unsigned long long first = arrays.first[cell_];
        const auto copy = [&](auto number) {
          constexpr int c = decltype(number)::value;
          if constexpr (B::homes[c] >= 0 && (!back || B::stored[c])) {
            using Value = typename B::Value;
            Value* const chip =
                reinterpret_cast<Value*>(chip_ + arrays.chip) + B::homes[c] * arrays.most;
            double* const memory = arrays.columns[c].data + first;
#pragma unroll 1
            for (unsigned i = team_.rank(); i < count; i += team_size)
              if constexpr (back)
                memory[i] = chip[i];
              else
                chip[i] = static_cast<Value>(memory[i]);
          }
        };
        for_variables<typename B::E, 0, B::E::info.count()>(copy, [](int, int) {});
      }
    });
  }

  template <bool back>
  __device__ __forceinline__ void copy_ions() const {
    Real* chip = reinterpret_cast<Real*>(chip_ + a_.first_ion);
    for (int k = 0; k < Program::ions; ++k) {
      const IonArrays& ion = all_.ions[k];
      for (double* const memory : {ion.current, ion.reversal, ion.inside, ion.outside}) {
        if (memory) {
#pragma unroll 1
          for (int r = team_.rank(); r < rows_; r += team_size)
            if constexpr (back)
              memory[row_of(r)] = chip[r];
            else
              chip[r] = static_cast<Real>(memory[row_of(r)]);
        }
        chip += most_rows_;
      }
    }
  }

  OwnedRange owned_[Program::points > 0 ? Program::points : 1] = {};
};

}  // namespace hillock::simulator::on_device
