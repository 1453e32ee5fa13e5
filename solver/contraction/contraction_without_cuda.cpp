// What stands in for the kernels in a build without CUDA.

#include "solver/contraction/contraction_device.hpp"

namespace hillock::solver {
namespace {

[[noreturn]] void refuse(const char* call) {
  throw DeviceError(call, "solver/contraction", "this build has no CUDA");
}

}  // namespace

template <class Real>
struct ContractionDevice<Real>::Setup {};

template <class Real>
ContractionDevice<Real>::ContractionDevice(const ContractionBatch&,
                                           const std::vector<std::vector<Real>>&,
                                           const ContractionOptions&) {
  refuse("ContractionDevice");
}
template <class Real>
ContractionDevice<Real>::ContractionDevice(ContractionDevice&&) noexcept = default;
template <class Real>
ContractionDevice<Real>& ContractionDevice<Real>::operator=(ContractionDevice&&) noexcept = default;
template <class Real>
ContractionDevice<Real>::~ContractionDevice() = default;
template <class Real>
std::size_t ContractionDevice<Real>::value_count() const {
  refuse("value_count");
}
template <class Real>
std::size_t ContractionDevice<Real>::offset(std::size_t) const {
  refuse("offset");
}
template <class Real>
std::string ContractionDevice<Real>::describe() const {
  refuse("describe");
}
template <class Real>
std::size_t ContractionDevice<Real>::device_bytes() const {
  refuse("device_bytes");
}
template <class Real>
void ContractionDevice<Real>::solve(const Arguments&) {
  refuse("solve");
}
template <class Real>
void ContractionDevice<Real>::solve_on_host(std::span<const Real>, std::span<Real>,
                                            std::span<const Real>, int) {
  refuse("solve_on_host");
}

template class ContractionDevice<float>;
template class ContractionDevice<double>;

}  // namespace hillock::solver
