#pragma once
// A cell's tree solved by contraction inside an epoch (solver/contraction/late_solve.hpp): what
// never changes was eliminated on the host.

#include "simulator/backends/device/kernels/cell_context.hpp"
#include "solver/contraction/late_solve.hpp"

namespace hillock::simulator::on_device {

/// Rows are in the order of tasks. Context: a CellContext. resets: whether a diagonal is to be what
/// never changes of it once it is eliminated.
template <class Context, bool resets>
class ContractionCell {
 public:
  using Real = typename Context::Real;
  using Pair = solver::Pair<Real>;

  __device__ __forceinline__ explicit ContractionCell(const Context& context)
      : context_(context),
        image_(context.image()),
        edges_(reinterpret_cast<Pair*>(context.solver_numbers())),
        inbox_(reinterpret_cast<Real*>(edges_ + context.most_late())) {}

  __device__ __forceinline__ solver::contraction::LateTables tables() const {
    const int* const integers = context_.tail_integers();
    return {reinterpret_cast<const solver::contraction::PackedTask*>(integers + image_.task),
            image_.tasks, image_.steps, image_.early_steps, image_.early_tasks};
  }

  /// Before the first solve of an epoch. The team has to meet afterwards.
  template <class Team>
  __device__ __forceinline__ void begin(const Team& team) const {
    const int late = image_.tasks - image_.early_tasks;
    const double* const edges = context_.tail() + image_.edges;
#pragma unroll 1
    for (int k = team.rank(); k < 2 * late; k += team.size())
      reinterpret_cast<Real*>(edges_)[k] = static_cast<Real>(edges[k]);
#pragma unroll 1
    for (int k = team.rank(); k < context_.most_inbox(); k += team.size()) inbox_[k] = 0;
  }

  __device__ __forceinline__ Real diagonal(int task) const {
    const Real d = context_.d(task);
    if constexpr (resets)
      context_.d(task) = context_.template constant_of<RowTable::constant>(task);
    return d;
  }
  __device__ __forceinline__ Real& x(int task) const {
    return context_.x(task);
  }
  __device__ __forceinline__ Real& inbox(int number) const {
    return inbox_[number];
  }
  __device__ __forceinline__ Pair& entry(int number) const {
    return *reinterpret_cast<Pair*>(inbox_ + number);
  }
  /// What never changes of the diagonal of an early row (cell_image.cpp).
  __device__ __forceinline__ Real reciprocal(int task) const {
    return context_.d(task);
  }
  __device__ __forceinline__ Real factor_a(int task) const {
    return static_cast<Real>(context_.tail()[image_.pivots + task]);
  }
  __device__ __forceinline__ Real factor_b(int task) const {
    return static_cast<Real>(context_.tail()[image_.pivots + image_.early_tasks + task]);
  }
  __device__ __forceinline__ Pair edges(int late) const {
    return edges_[late];
  }
  __device__ __forceinline__ Real& edge(int slot) const {
    return reinterpret_cast<Real*>(edges_)[slot];
  }

 private:
  const Context& context_;
  const Image& image_;
  Pair* const edges_;
  Real* const inbox_;
};

}  // namespace hillock::simulator::on_device
