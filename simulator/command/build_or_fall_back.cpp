#include "simulator/command/build_or_fall_back.hpp"

#include "simulator/unsupported_on_device.hpp"
#include "solver/cuda/device.hpp"

namespace hillock::command {

std::unique_ptr<simulator::Simulation> build_or_fall_back(
    const models::Network& network, simulator::SimulationOptions settings, bool may_change,
    const std::function<void(const std::string& why)>& on_cpu) {
  may_change = may_change && settings.backend == simulator::Backend::cuda;
  try {
    return std::make_unique<simulator::Simulation>(network, settings);
  } catch (const solver::DeviceError& problem) {
    if (!may_change) throw;
    on_cpu(problem.what());
  } catch (const simulator::UnsupportedOnDevice& problem) {
    if (!may_change) throw;
    on_cpu(problem.diagnostics().front().message);
  }
  settings.backend = simulator::Backend::cpu;
  return std::make_unique<simulator::Simulation>(network, settings);
}

}  // namespace hillock::command
