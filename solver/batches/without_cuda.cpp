// What stands in for every .cu file of this folder in a build without CUDA: there is no GPU, and
// what sets a batch up on one says so.

#include "solver/batches/branch/branch_device.hpp"
#include "solver/batches/contraction/contraction_device.hpp"
#include "solver/batches/hines_batch/hines_device.hpp"
#include "solver/batches/stone/stone_device.hpp"
#include "solver/batches/thomas/device.hpp"
#include "solver/cuda/device.hpp"

namespace hillock::solver {
namespace {

[[noreturn]] void refuse(const char* call, const char* place) {
  throw DeviceError(call, place,
                    "this build has no CUDA. Solve on the CPU, or configure with a CUDA compiler");
}

}  // namespace

template <class T>
std::unique_ptr<HinesDevice<T>> hines_on_device(const Forest&, const HinesOptions&) {
  refuse("hines_on_device", "solver/hines_batch");
}
template <class T>
std::unique_ptr<BranchDevice<T>> branch_on_device(const BranchPlan&,
                                                  const std::vector<std::vector<T>>&,
                                                  BranchMemory) {
  refuse("branch_on_device", "solver/branch");
}
template <class T>
std::unique_ptr<StoneDevice<T>> stone_on_device(const Forest&, int, int) {
  refuse("stone_on_device", "solver/stone");
}
template <class T>
std::unique_ptr<ContractionDevice<T>> contraction_on_device(const Forest&,
                                                            const std::vector<std::vector<T>>&,
                                                            const ContractionOptions&) {
  refuse("contraction_on_device", "solver/contraction");
}
template <class T>
ThomasWarpPlan plan_warps(const ThomasArrangement&, ThomasSplit) {
  refuse("plan_warps", "solver/thomas");
}
template <class T>
void solve_through_device(const ThomasArrangement&, ThomasKernel, ThomasSplit, std::span<T>) {
  refuse("solve_through_device", "solver/thomas");
}
template <class T>
void solve_through_device(const ThomasVariableArrangement&, ThomasKernel, ThomasPadding,
                          std::span<T>) {
  refuse("solve_through_device", "solver/thomas");
}
template <class T>
void convert_through_device(const ThomasArrangement&, std::span<const T>, const ThomasArrangement&,
                            std::span<T>) {
  refuse("convert_through_device", "solver/thomas");
}
template <class T>
void convert_through_device(const ThomasVariableArrangement&, std::span<const T>,
                            const ThomasVariableArrangement&, std::span<T>) {
  refuse("convert_through_device", "solver/thomas");
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
