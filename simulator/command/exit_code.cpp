#include "simulator/command/exit_code.hpp"

#include <fmt/format.h>

#include "core/errors.hpp"
#include "simulator/command/memory_text.hpp"
#include "solver/cuda/device.hpp"

namespace hillock::command {

network::ToldFailure tell(const std::exception_ptr& failure) {
  const auto say = [](ExitCode code, const std::exception& error) {
    return network::ToldFailure{code, fmt::format("hillock: {}", error.what())};
  };
  try {
    std::rethrow_exception(failure);
  } catch (const RankFailed& error) {
    return {error.exit_code(), error.rank() == 0
                                   ? error.what()
                                   : fmt::format("rank {}: {}", error.rank(), error.what())};
  } catch (const InvalidModel& error) {
    return {invalid, error.what()};
  } catch (const UsageError& error) {
    return say(usage, error);
  } catch (const solver::DeviceUnusable& error) {
    return say(usage, error);
  } catch (const solver::DeviceExhausted& error) {
    return say(exhausted, error);
  } catch (const InputOutputError& error) {
    return say(input_output, error);
  } catch (const NumericalFailure& error) {
    return say(numerical, error);
  } catch (const Interrupted& error) {
    return {128 + error.signal(), fmt::format("hillock: {}", error.what())};
  } catch (const std::exception& error) {
    if (is_exhaustion(error)) return {exhausted, fmt::format("hillock: {}", describe(error))};
    return {internal, fmt::format("hillock: internal error: {}", error.what())};
  }
}

}  // namespace hillock::command
