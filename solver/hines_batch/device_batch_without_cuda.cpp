// What a build without CUDA says when a Hines batch is asked for on a GPU.

#include "solver/hines_batch/device_batch.hpp"

namespace hillock::solver::hines_batch {
namespace {

[[noreturn]] void refuse() {
  throw DeviceError("DeviceBatch", "solver/hines_batch",
                    "this build has no CUDA. Solve on the CPU, or configure with a CUDA compiler");
}

}  // namespace

template <class T>
struct DeviceBatch<T>::State {};

template <class T>
DeviceBatch<T>::DeviceBatch(const BatchShape&, Arrangement, int, int, StreamTuning) {
  refuse();
}
template <class T>
DeviceBatch<T>::DeviceBatch(DeviceBatch&&) noexcept = default;
template <class T>
DeviceBatch<T>& DeviceBatch<T>::operator=(DeviceBatch&&) noexcept = default;
template <class T>
DeviceBatch<T>::~DeviceBatch() = default;
template <class T>
const Schedule& DeviceBatch<T>::schedule() const {
  refuse();
}
template <class T>
StreamTuning DeviceBatch<T>::tuning() const {
  refuse();
}
template <class T>
void DeviceBatch<T>::upload(const FlatValues<T>&, int) {
  refuse();
}
template <class T>
void DeviceBatch<T>::arrange(const T*, const T*, const T*, int) {
  refuse();
}
template <class T>
void DeviceBatch<T>::solve(int) {
  refuse();
}
template <class T>
void DeviceBatch<T>::gather(T*, int) {
  refuse();
}
template <class T>
std::vector<T> DeviceBatch<T>::solution(int) {
  refuse();
}
template <class T>
void DeviceBatch<T>::synchronize() {
  refuse();
}
template <class T>
void* DeviceBatch<T>::stream() const {
  refuse();
}
template <class T>
std::size_t DeviceBatch<T>::bytes_held() const {
  refuse();
}

template class DeviceBatch<float>;
template class DeviceBatch<double>;

}  // namespace hillock::solver::hines_batch
