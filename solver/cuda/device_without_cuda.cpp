// What a build without CUDA says when it is asked for a GPU.

#include "solver/cuda/device.hpp"

namespace hillock::solver {

int device_count() { return 0; }

std::string describe_device(int) { return "no GPU: this build has no CUDA"; }

DeviceTraits traits_of_device(int) {
  throw DeviceError("traits_of_device", "solver/cuda", describe_device());
}

}  // namespace hillock::solver
