#pragma once
// Who a thread is: its cell, its rows, its instances.

#include "mechanisms/runtime/runtime.hpp"
#include "simulator/backends/cuda/device/instances.hpp"

namespace hillock::simulator::cuda {

/// What a program does with a block's mechanism.
enum class Phase {
  constant,  ///< its current is part of what never changes
  density,
  point,
};

template <class Evaluator, Phase its_phase, bool prepares, bool keeps, bool pointed_at>
struct Block {
  using E = Evaluator;
  static constexpr Phase phase = its_phase;
  static constexpr bool prepares_ions = prepares;    ///< its states come before all others
  static constexpr bool keeps_assigned = keeps;      ///< they are recorded
  static constexpr bool is_pointed_at = pointed_at;  ///< others see its variables
};

/// A list of blocks, with their arrays one after the other.
template <class... Some>
struct BlockList;
template <>
struct BlockList<> {
  template <class Body>
  __device__ __forceinline__ void each(const Body&) const {}
};
template <class First, class... Rest>
struct BlockList<First, Rest...> {
  BlockArrays<typename First::E> arrays;
  BlockList<Rest...> rest;

  /// Calls body(Block{}, arrays) for each.
  template <class Body>
  __device__ __forceinline__ void each(const Body& body) const {
    body(First{}, arrays);
    if constexpr (sizeof...(Rest) > 0) rest.each(body);
  }
};

template <class Program>
struct Arrays {
  RunNumbers run;
  CellArrays cells;
  IonArrays ions[Program::ions > 0 ? Program::ions : 1];
  typename Program::Blocks blocks;
};

/// The threads of one cell.
template <int threads>
struct CellTeam {
  __device__ __forceinline__ int rank() const {
    return threads == 1 ? 0 : static_cast<int>(threadIdx.x) % threads;
  }
  __device__ __forceinline__ void sync() const {
    if constexpr (threads == 1)
      return;
    else if constexpr (threads <= 32)
      __syncwarp();
    else
      __syncthreads();
  }
};

/// The arrays that a step works in.
struct WorkRows {
  double* v;       ///< mV
  double* x;       ///< right-hand side, then the solution
  double* d;       ///< diagonal, then the reciprocal of the pivot
  double* factor;  ///< coupling over pivot
  long long stride;

  __device__ __forceinline__ double& at(double* array, int row) const {
    return array[row * stride];
  }
};

template <class Program>
class CellContext {
 public:
  static constexpr int team_size = Program::team;

  /// work: where the cell's arrays begin, `array_stride` apart.
  __device__ CellContext(const Arrays<Program>& arrays, unsigned cell, double* work,
                         long long work_stride, long long array_stride)
      : all_(arrays),
        a_(arrays.cells),
        cell_(cell),
        entry_(a_.entries[cell]),
        image_(a_.images[entry_.image]),
        rows_(Program::one_row ? 1 : image_.rows),
        work_{work, work + array_stride, work + 2 * array_stride, work + 3 * array_stride,
              work_stride} {}

 protected:
  __device__ __forceinline__ unsigned long long row_of(int r) const {
    return entry_.first_row + static_cast<unsigned long long>(r) * Program::stride;
  }
  template <class E>
  __device__ __forceinline__ unsigned long long element_of(const BlockArrays<E>& block,
                                                           unsigned instance) const {
    return block.first[cell_] + static_cast<unsigned long long>(instance) * Program::stride;
  }
  /// Whether what happens at a row is this thread's to do.
  __device__ __forceinline__ bool owns(int r) const {
    return team_size == 1 || r % team_size == team_.rank();
  }
  __device__ __forceinline__ double& v(int r) const { return work_.at(work_.v, r); }
  __device__ __forceinline__ mechanisms::Instant<double> instant(double v_mV,
                                                                 double time_ms) const {
    return {v_mV, time_ms, all_.run.dt_ms, all_.run.celsius, all_.run.implicit_dt_ms};
  }

  /// Calls body(row, InstanceSlot) for every instance of a block that this thread owns, rows of
  /// density mechanisms and instances of points rising.
  template <class B, class Body>
  __device__ __forceinline__ void for_own(const BlockArrays<typename B::E>& block,
                                          const Body& body) const {
    if constexpr (!B::E::info.is_point_process) {
      for (int r = team_.rank(); r < rows_; r += team_size) on_row<B>(block, r, body);
    } else if constexpr (team_size == 1) {
      const unsigned begin = block.owned_begin[cell_], end = block.owned_begin[cell_ + 1];
      for (unsigned i = 0; i < end - begin; ++i) on_instance<B>(block, i, body);
    } else {
      const unsigned own = cell_ * team_size + team_.rank();
      for (unsigned k = block.owned_begin[own]; k < block.owned_begin[own + 1]; ++k)
        on_instance<B>(block, block.owned[k], body);
    }
  }

  __device__ void fail(const Failure& failure) const {
    Failure& first = *a_.failure;
    while (atomicCAS(&first.lock, 0u, 1u) != 0) {
    }
    __threadfence();
    const volatile Failure& seen = first;
    const bool is_first = seen.kind == Failure::Kind::none || failure.step < seen.step ||
                          (failure.step == seen.step &&
                           (failure.program < seen.program ||
                            (failure.program == seen.program && failure.cell < seen.cell)));
    if (is_first) {
      first.kind = failure.kind;
      first.program = failure.program;
      first.cell = failure.cell;
      first.block = failure.block;
      first.row = failure.row;
      first.time_ms = failure.time_ms;
      first.step = failure.step;
    }
    __threadfence();
    atomicExch(&first.lock, 0u);
  }

  __device__ __forceinline__ void add_spike(double time_ms, long long step) const {
    const unsigned number = atomicAdd(a_.spike_count, 1u);
    if (number < a_.most_spikes)
      a_.spikes[number] = {time_ms, entry_.id};
    else
      fail({Failure::Kind::too_many_spikes, a_.program, cell_, 0, 0, time_ms, step});
  }

  const Arrays<Program>& all_;
  const CellArrays& a_;
  const unsigned cell_;
  const CellEntry entry_;
  const Image image_;
  const int rows_;
  const WorkRows work_;
  const CellTeam<team_size> team_{};

 private:
  template <class B, class Body>
  __device__ __forceinline__ void on_row(const BlockArrays<typename B::E>& block, int r,
                                         const Body& body) const {
    const int i = block.instance_of_row[image_.first_row + r];
    if (i >= 0) body(r, InstanceSlot{element_of(block, i), row_of(r)});
  }
  template <class B, class Body>
  __device__ __forceinline__ void on_instance(const BlockArrays<typename B::E>& block, unsigned i,
                                              const Body& body) const {
    const unsigned long long element = element_of(block, i);
    const int r = block.rows[element];
    body(r, InstanceSlot{element, row_of(r)});
  }
};

}  // namespace hillock::simulator::cuda
