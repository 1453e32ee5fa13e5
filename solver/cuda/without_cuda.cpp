// What stands in for device.cu in a build without CUDA: there is no GPU.

#include "solver/cuda/device.hpp"
#include "solver/cuda/device_state.hpp"

namespace hillock::solver {

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
  refuse_without_cuda("room_of_device", "solver/cuda");
}
DeviceTraits traits_of_device(int) {
  refuse_without_cuda("traits_of_device", "solver/cuda");
}

}  // namespace hillock::solver
