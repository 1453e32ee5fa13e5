// What stands in for the kernels in a build without CUDA.

#include "solver/branch/branch_device.hpp"

namespace hillock::solver {
namespace {

[[noreturn]] void refuse(const char* call) {
  throw DeviceError(call, "solver/branch", "this build has no CUDA");
}

}  // namespace

template <class Real>
struct BranchDevice<Real>::Setup {};

template <class Real>
BranchDevice<Real>::BranchDevice(const BranchPlan&, const std::vector<std::vector<Real>>&,
                                 BranchMemory) {
  refuse("BranchDevice");
}
template <class Real>
BranchDevice<Real>::BranchDevice(BranchDevice&&) noexcept = default;
template <class Real>
BranchDevice<Real>& BranchDevice<Real>::operator=(BranchDevice&&) noexcept = default;
template <class Real>
BranchDevice<Real>::~BranchDevice() = default;
template <class Real>
std::size_t BranchDevice<Real>::value_count() const {
  refuse("value_count");
}
template <class Real>
std::size_t BranchDevice<Real>::storage() const {
  refuse("storage");
}
template <class Real>
std::string BranchDevice<Real>::describe() const {
  refuse("describe");
}
template <class Real>
std::size_t BranchDevice<Real>::device_bytes() const {
  refuse("device_bytes");
}
template <class Real>
void BranchDevice<Real>::solve(const Arguments&) {
  refuse("solve");
}
template <class Real>
void BranchDevice<Real>::permute_in(const Real*, Real*, CUstream_st*) {
  refuse("permute_in");
}
template <class Real>
void BranchDevice<Real>::permute_out(const Real*, Real*, CUstream_st*) {
  refuse("permute_out");
}
template <class Real>
void BranchDevice<Real>::solve_on_host(std::span<const Real>, std::span<Real>,
                                       std::span<const Real>, int) {
  refuse("solve_on_host");
}

template class BranchDevice<float>;
template class BranchDevice<double>;

}  // namespace hillock::solver
