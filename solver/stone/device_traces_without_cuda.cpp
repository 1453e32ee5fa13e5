// What a build without CUDA says when traces are to be solved on a GPU.

#include "solver/stone/device_traces.hpp"

namespace hillock::solver::stone {
namespace {

[[noreturn]] void refuse() {
  throw DeviceError("DeviceTraces", "solver/stone",
                    "this build has no CUDA. Solve on the CPU, or configure with a CUDA compiler");
}

}  // namespace

template <class T>
struct DeviceTraces<T>::State {};

template <class T>
DeviceTraces<T>::DeviceTraces(const Schedule&, BatchSize, int) {
  refuse();
}
template <class T>
DeviceTraces<T>::DeviceTraces(DeviceTraces&&) noexcept = default;
template <class T>
DeviceTraces<T>& DeviceTraces<T>::operator=(DeviceTraces&&) noexcept = default;
template <class T>
DeviceTraces<T>::~DeviceTraces() = default;
template <class T>
void DeviceTraces<T>::upload(const Values<T>&) {
  refuse();
}
template <class T>
void DeviceTraces<T>::solve(LaunchOptions) {
  refuse();
}
template <class T>
std::vector<T> DeviceTraces<T>::solution() {
  refuse();
}
template <class T>
void DeviceTraces<T>::synchronize() {
  refuse();
}
template <class T>
void* DeviceTraces<T>::stream() const {
  refuse();
}

template class DeviceTraces<float>;
template class DeviceTraces<double>;

}  // namespace hillock::solver::stone
