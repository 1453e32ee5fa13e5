#include "simulator/command/run/checkpoints.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <utility>

#include "core/errors/errors.hpp"
#include "core/units/quantity.hpp"
#include "simulator/command/process/stop_signal.hpp"

namespace hillock::command {

namespace {

[[noreturn]] void refuse(const char* option, const std::string& text, const char* example) {
  throw UsageError(
      fmt::format("{} {}: is not a time above 0 with its unit, like {}", option, text, example));
}

double biological_ms(const std::string& text) {
  const auto quantity = read_quantity(text);
  const bool is_time = quantity && quantity->unit && !quantity->unit_text.empty() &&
                       quantity->unit->dimension == units::ms.dimension;
  const double time_ms = is_time ? convert(quantity->value, *quantity->unit, units::ms) : 0;
  if (!(time_ms > 0) || !std::isfinite(time_ms)) refuse("--checkpoint-every", text, "100ms");
  return time_ms;
}

double wall_s(const std::string& text) {
  constexpr std::array<std::pair<std::string_view, double>, 3> seconds_of{
      {{"s", 1}, {"min", 60}, {"h", 3600}}};
  const auto quantity = read_quantity(text);
  if (quantity)
    for (const auto& [unit, seconds] : seconds_of)
      if (quantity->unit_text == unit && quantity->value > 0 && std::isfinite(quantity->value))
        return quantity->value * seconds;
  refuse("--checkpoint-wall", text, "30s, 10min or 2h");
}

}  // namespace

CheckpointTimes::CheckpointTimes(const CheckpointOptions& options, double dt_ms) {
  if (!options.every.empty()) {
    // A step at least; a time beyond any run's is never.
    const double steps = std::clamp(std::round(biological_ms(options.every) / dt_ms), 1.0, 1e15);
    every_steps_ = static_cast<std::int64_t>(steps);
  }
  if (!options.wall.empty()) wall_s_ = wall_s(options.wall);
}

bool CheckpointTimes::is_due() const {
  if (awaits_last()) return true;
  return wall_s_ > 0 && std::chrono::duration<double>(Clock::now() - last_).count() >= wall_s_;
}

bool CheckpointTimes::awaits_last() const {
  return any() && stop_signal() != 0 && !is_last_done_;
}

void CheckpointTimes::note_checkpoint() {
  last_ = Clock::now();
  is_last_done_ = stop_signal() != 0;
}

}  // namespace hillock::command
