// What stands in for every .cu file of this room in a build without CUDA: there is no GPU, and what
// sets a batch up on one says so.

#include "solver/cuda/device.hpp"
#include "solver/hines_batch/hines_device.hpp"

namespace hillock::solver {
namespace {

[[noreturn]] void refuse(const char* call, const char* place) {
  throw DeviceError(call, place,
                    "this build has no CUDA. Solve on the CPU, or configure with a CUDA compiler");
}

}  // namespace

int device_count() {
  return 0;
}
std::string describe_device(int) {
  return "no GPU: this build has no CUDA";
}
DeviceTraits traits_of_device(int) {
  refuse("traits_of_device", "solver/cuda");
}

template <class T>
std::unique_ptr<HinesDevice<T>> hines_on_device(const Forest&, const HinesOptions&) {
  refuse("hines_on_device", "solver/hines_batch");
}

template std::unique_ptr<HinesDevice<float>> hines_on_device(const Forest&, const HinesOptions&);
template std::unique_ptr<HinesDevice<double>> hines_on_device(const Forest&, const HinesOptions&);

}  // namespace hillock::solver
