// What a build without CUDA says when it is asked to solve on a GPU.

#include "solver/thomas/device.hpp"

namespace hillock::solver::thomas {
namespace {

[[noreturn]] void refuse(const char* call) {
  throw DeviceError(call, "solver/thomas", "this build has no CUDA; solve on the CPU instead");
}

}  // namespace

struct DeviceSlots::Tables {};
DeviceSlots::DeviceSlots(const VariableArrangement&) {
  refuse("DeviceSlots");
}
DeviceSlots::DeviceSlots(DeviceSlots&&) noexcept = default;
DeviceSlots& DeviceSlots::operator=(DeviceSlots&&) noexcept = default;
DeviceSlots::~DeviceSlots() = default;
std::size_t DeviceSlots::bytes() const {
  return 0;
}

template <class Real>
void sweep_on_device(const Arrangement&, Real*, Stream) {
  refuse("sweep_on_device");
}
template <class Real>
WarpPlan plan_warps(const Arrangement&, Split) {
  refuse("plan_warps");
}
template <class Real>
void solve_on_device(const WarpPlan&, Real*, Stream) {
  refuse("solve_on_device");
}
template <class Real>
void convert_on_device(const Arrangement&, const Real*, const Arrangement&, Real*, Stream) {
  refuse("convert_on_device");
}
template <class Real>
void sweep_on_device(const DeviceSlots&, Real*, Padding, Stream) {
  refuse("sweep_on_device");
}
template <class Real>
void warp_on_device(const DeviceSlots&, Real*, Stream) {
  refuse("warp_on_device");
}
template <class Real>
void convert_on_device(const DeviceSlots&, const Real*, const DeviceSlots&, Real*, Stream) {
  refuse("convert_on_device");
}
template <class Real>
void solve_through_device(const Arrangement&, Kernel, Split, std::span<Real>) {
  refuse("solve_through_device");
}
template <class Real>
void solve_through_device(const VariableArrangement&, Kernel, Padding, std::span<Real>) {
  refuse("solve_through_device");
}
template <class Real>
void convert_through_device(const Arrangement&, std::span<const Real>, const Arrangement&,
                            std::span<Real>) {
  refuse("convert_through_device");
}
template <class Real>
void convert_through_device(const VariableArrangement&, std::span<const Real>,
                            const VariableArrangement&, std::span<Real>) {
  refuse("convert_through_device");
}

#include "solver/thomas/device_instances.hpp"

}  // namespace hillock::solver::thomas
