#include "solver/cuda/device.hpp"

namespace hillock::solver {

DeviceError::DeviceError(std::string call, std::string place, const std::string& why)
    : Error(place + ": " + call + ": " + why), call_(std::move(call)) {}

}  // namespace hillock::solver
