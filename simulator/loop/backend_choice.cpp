#include "simulator/loop/backend_choice.hpp"

#include "simulator/backends/device/device_engine.hpp"
#include "solver/cuda/device.hpp"
#include "solver/cuda/device_state.hpp"

namespace hillock::simulator {

BackendChoice choose_backend(BackendWish wish) {
  if (wish == BackendWish::cpu) return {Backend::cpu, "", "asked for"};
  const solver::DeviceState state =
      solver::judge(solver::ask_device(), on_device::least_compute_capability);
  const bool is_asked_for = wish == BackendWish::cuda;
  if (state.kind == solver::DeviceState::Kind::usable)
    return {Backend::cuda, solver::describe_device(),
            is_asked_for ? "asked for" : "there is a GPU"};
  if (is_asked_for) throw UsageError("--backend cuda: " + state.why);
  return {Backend::cpu, "", state.why, state.kind == solver::DeviceState::Kind::absent};
}

std::string describe_kernel_compiler() {
  return on_device::describe_kernel_compiler();
}

}  // namespace hillock::simulator
