// What stands in for every .cu file of this folder in a build without CUDA: there is no GPU, and
// what sets a batch up on one says so.

#include "solver/batches/branch/branch_device.hpp"
#include "solver/batches/contraction/contraction_device.hpp"
#include "solver/batches/hines_batch/hines_device.hpp"
#include "solver/batches/stone/stone_device.hpp"
#include "solver/batches/thomas/device.hpp"
#include "solver/cuda/device.hpp"

namespace hillock::solver {

template <class T>
std::unique_ptr<HinesDevice<T>> hines_on_device(const Forest&, const HinesOptions&) {
  refuse_without_cuda("hines_on_device", "solver/batches/hines_batch");
}
template <class T>
std::unique_ptr<BranchDevice<T>> branch_on_device(const BranchPlan&,
                                                  const std::vector<std::vector<T>>&,
                                                  BranchMemory) {
  refuse_without_cuda("branch_on_device", "solver/batches/branch");
}
template <class T>
std::unique_ptr<StoneDevice<T>> stone_on_device(const Forest&, int, int) {
  refuse_without_cuda("stone_on_device", "solver/batches/stone");
}
template <class T>
std::unique_ptr<ContractionDevice<T>> contraction_on_device(const Forest&,
                                                            const std::vector<std::vector<T>>&,
                                                            const ContractionOptions&) {
  refuse_without_cuda("contraction_on_device", "solver/batches/contraction");
}
template <class T>
ThomasWarpPlan plan_warps(const ThomasArrangement&, ThomasSplit) {
  refuse_without_cuda("plan_warps", "solver/batches/thomas");
}
template <class T>
void solve_through_device(const ThomasArrangement&, ThomasKernel, ThomasSplit, std::span<T>) {
  refuse_without_cuda("solve_through_device", "solver/batches/thomas");
}
template <class T>
void solve_through_device(const ThomasVariableArrangement&, ThomasKernel, ThomasPadding,
                          std::span<T>) {
  refuse_without_cuda("solve_through_device", "solver/batches/thomas");
}
template <class T>
void convert_through_device(const ThomasArrangement&, std::span<const T>, const ThomasArrangement&,
                            std::span<T>) {
  refuse_without_cuda("convert_through_device", "solver/batches/thomas");
}
template <class T>
void convert_through_device(const ThomasVariableArrangement&, std::span<const T>,
                            const ThomasVariableArrangement&, std::span<T>) {
  refuse_without_cuda("convert_through_device", "solver/batches/thomas");
}

// NOLINTBEGIN(bugprone-macro-parentheses): T is a type.
#define HILLOCK_INSTANTIATE(T)                                                                  \
  template std::unique_ptr<HinesDevice<T>> hines_on_device(const Forest&, const HinesOptions&); \
  template std::unique_ptr<BranchDevice<T>> branch_on_device(                                   \
      const BranchPlan&, const std::vector<std::vector<T>>&, BranchMemory);                     \
  template std::unique_ptr<StoneDevice<T>> stone_on_device(const Forest&, int, int);            \
  template std::unique_ptr<ContractionDevice<T>> contraction_on_device(                         \
      const Forest&, const std::vector<std::vector<T>>&, const ContractionOptions&);            \
  template ThomasWarpPlan plan_warps<T>(const ThomasArrangement&, ThomasSplit);                 \
  template void solve_through_device(const ThomasArrangement&, ThomasKernel, ThomasSplit,       \
                                     std::span<T>);                                             \
  template void solve_through_device(const ThomasVariableArrangement&, ThomasKernel,            \
                                     ThomasPadding, std::span<T>);                              \
  template void convert_through_device(const ThomasArrangement&, std::span<const T>,            \
                                       const ThomasArrangement&, std::span<T>);                 \
  template void convert_through_device(const ThomasVariableArrangement&, std::span<const T>,    \
                                       const ThomasVariableArrangement&, std::span<T>);
// NOLINTEND(bugprone-macro-parentheses)
HILLOCK_INSTANTIATE(float)
HILLOCK_INSTANTIATE(double)
#undef HILLOCK_INSTANTIATE

}  // namespace hillock::solver
