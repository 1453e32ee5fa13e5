// What stands in for device.cu in a build without CUDA: there is no GPU.

#include "solver/cuda/device.hpp"
#include "solver/cuda/device_state.hpp"

namespace hillock::solver {
namespace {

[[noreturn]] void refuse(const char* call) {
  throw DeviceError(call, "solver/cuda",
                    "this build has no CUDA. Solve on the CPU, or configure with a CUDA compiler");
}

}  // namespace

int device_count() {
  return 0;
}
std::string describe_device(int) {
  return "no GPU: this build has no CUDA";
}
DeviceAnswers ask_device(int) {
  DeviceAnswers answers;
  answers.is_built = false;
  return answers;
}
DeviceRoom room_of_device() {
  refuse("room_of_device");
}
DeviceTraits traits_of_device(int) {
  refuse("traits_of_device");
}

}  // namespace hillock::solver
