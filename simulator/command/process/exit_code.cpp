#include "simulator/command/process/exit_code.hpp"

#include <fmt/format.h>

#include <filesystem>

#include "core/errors/errors.hpp"
#include "simulator/command/process/memory_check.hpp"
#include "simulator/command/process/memory_text.hpp"
#include "solver/cuda/device.hpp"

namespace hillock::command {

network::ToldFailure tell(const std::exception_ptr& failure) {
  const auto say = [](ExitCode code, const std::exception& error) {
    return network::ToldFailure{code, error.what()};
  };
  try {
    std::rethrow_exception(failure);
  } catch (const RankFailed& error) {
    return {error.exit_code(), error.rank() == 0
                                   ? error.what()
                                   : fmt::format("rank {}: {}", error.rank(), error.what())};
  } catch (const InvalidModel& error) {
    return say(invalid, error);
  } catch (const UsageError& error) {
    return say(usage, error);
  } catch (const solver::DeviceUnusable& error) {
    return say(usage, error);
  } catch (const solver::DeviceExhausted& error) {
    return say(exhausted, error);
  } catch (const TooLarge& error) {
    return say(exhausted, error);
  } catch (const InputOutputError& error) {
    return say(input_output, error);
  } catch (const std::filesystem::filesystem_error& error) {  // of a path that no file can have
    return {input_output, fmt::format("{}: {}", error.path1().string(), error.code().message())};
  } catch (const NumericalFailure& error) {
    return say(numerical, error);
  } catch (const Interrupted& error) {
    return {128 + error.signal(), error.what()};
  } catch (const std::exception& error) {
    if (is_exhaustion(error)) return {exhausted, describe(error)};
    return {internal, fmt::format("internal error: {}", error.what())};
  }
}

std::string words_of(const network::ToldFailure& failure) {
  return failure.exit_code == invalid ? failure.text : "hillock: " + failure.text;
}

}  // namespace hillock::command
