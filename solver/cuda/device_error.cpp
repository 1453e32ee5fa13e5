#include "solver/cuda/device.hpp"

#include <utility>

namespace hillock::solver {

DeviceError::DeviceError(std::string call, std::string place, const std::string& why)
    : Error(place + ": " + call + ": " + why), call_(std::move(call)) {}

void refuse_without_cuda(const char* call, const char* place) {
  throw DeviceError(call, place,
                    "this build has no CUDA. Solve on the CPU, or configure with a CUDA compiler");
}

void require_device(int device, const char* place) {
  if (device_count() > device) return;
  throw DeviceError("cudaSetDevice(" + std::to_string(device) + ")", place,
                    "there is no GPU " + std::to_string(device) + " on this machine (" +
                        describe_device(device) + ")");
}

}  // namespace hillock::solver
