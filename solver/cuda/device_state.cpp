#include "solver/cuda/device_state.hpp"

#include <fmt/format.h>

namespace hillock::solver {

namespace {

std::string cuda_version(int number) {
  return fmt::format("{}.{}", number / 1000, number % 1000 / 10);
}

std::string compute_capability(int number) {
  return fmt::format("{}.{}", number / 10, number % 10);
}

}  // namespace

std::string gigabytes(std::size_t bytes) {
  const auto number = static_cast<double>(bytes);
  return number < 1e9 ? fmt::format("{:.3g} MB", number / 1e6)
                      : fmt::format("{:.4g} GB", number / 1e9);
}

DeviceState judge(const DeviceAnswers& answers, int least) {
  using Kind = DeviceState::Kind;
  const auto absent = [](const std::string& why) {
    return DeviceState{Kind::absent, "no GPU: " + why};
  };
  const auto refused = [](const std::string& why) { return DeviceState{Kind::refused, why}; };
  if (!answers.is_built)
    return absent("this build has no CUDA. One that is configured with a CUDA compiler has");
  if (answers.driver_version == 0) return absent("there is no NVIDIA driver on this machine");
  // Versions that differ behind the point go together.
  if (answers.driver_version / 1000 < answers.runtime_version / 1000)
    return refused(
        fmt::format("the NVIDIA driver is too old: it knows CUDA {}, and this build needs {}. A "
                    "newer driver helps, or a build with an older CUDA Toolkit",
                    cuda_version(answers.driver_version), cuda_version(answers.runtime_version)));
  if (answers.devices == 0) {
    const std::string seen = answers.visible.empty() ? "" : fmt::format(" ({})", answers.visible);
    if (answers.count_problem.empty()) return absent("the driver shows none" + seen);
    return refused(fmt::format("the NVIDIA driver fails: {}{}", answers.count_problem, seen));
  }
  if (answers.capability < least)
    return refused(fmt::format("{} is too old: its compute capability is {}, and {} is needed",
                               answers.name, compute_capability(answers.capability),
                               compute_capability(least)));
  if (answers.is_closed)
    return refused(
        fmt::format("{} is closed to programs that compute (compute mode prohibited, "
                    "see nvidia-smi)",
                    answers.name));
  switch (answers.context) {
    case DeviceAnswers::Context::made:
      return {};
    case DeviceAnswers::Context::device_is_taken:
      return refused(
          fmt::format("{} is busy: another process has it for itself (compute mode "
                      "exclusive, see nvidia-smi)",
                      answers.name));
    case DeviceAnswers::Context::no_memory:
      return refused(
          fmt::format("{} is busy: other processes have all of its memory (nvidia-smi "
                      "shows which)",
                      answers.name));
    default:
      return refused(fmt::format("{} cannot be used: {}", answers.name, answers.context_problem));
  }
}

}  // namespace hillock::solver
