#include "io/model/protocol/read_current.hpp"

#include <fmt/format.h>

#include <cmath>
#include <utility>

#include "io/model/protocol/read_waveform.hpp"
#include "io/model/values/read_warnings.hpp"
#include "io/model/values/slot.hpp"
#include "io/model/values/value_reader.hpp"

namespace hillock::io {

namespace {

using models::CurrentClamp;

Slot current_slot(const std::string& unit) {
  return Slot::of(unit).varying_by_cell();
}
Slot duration_slot() {
  return Slot::of("ms").more_than(0).varying_by_cell();
}

void read_start(ReadContext& context, ValueReader& read, const std::optional<Item>& item,
                models::Value& to) {
  if (read.value(context, item, Slot::of("ms").at_least(0).varying_by_cell(), to))
    warn_of_late_start(context, *item, lower_bound(to));
}

std::optional<CurrentClamp> read_pulse(ReadContext& context, MapReader& map,
                                       const std::string& unit) {
  CurrentClamp clamp;
  const auto amplitude = map.require("amplitude");
  const auto start = map.find("start");
  const auto duration = map.require("duration");
  ValueReader read(map.finish());
  read.value(context, amplitude, current_slot(unit), clamp.amplitude);
  read_start(context, read, start, clamp.start_ms);
  read.value(context, duration, duration_slot(), clamp.duration_ms);
  return read.result(clamp);
}

std::optional<CurrentClamp> read_train(ReadContext& context, const Item& item,
                                       const std::string& unit) {
  CurrentClamp clamp;
  MapReader map(item, "a train of pulses");
  const auto amplitude = map.require("amplitude");
  const auto width = map.require("width");
  const auto period = map.require("period");
  const auto count = map.require("count");
  const auto start = map.find("start");
  ValueReader read(map.finish());
  read.value(context, amplitude, current_slot(unit), clamp.amplitude);
  read_start(context, read, start, clamp.start_ms);
  read.value(context, width, duration_slot(), clamp.duration_ms);
  read.value(context, period, duration_slot(), clamp.period_ms);
  read.value(context, count, Slot::of("").at_least(1).at_most(1e9).varying_by_cell(), clamp.count);
  if (read.good() && clamp.count.is_constant() &&
      clamp.count.constant() != std::floor(clamp.count.constant()))
    read.error(*count, "must be a whole number of pulses");
  if (read.good() && clamp.period_ms.is_constant() && clamp.duration_ms.is_constant() &&
      clamp.period_ms.constant() < clamp.duration_ms.constant())
    read.error(*period, fmt::format("must not be shorter than the width, {}",
                                    show(clamp.duration_ms.constant(), "ms")));
  return read.result(clamp);
}

std::optional<CurrentClamp> read_ramp(ReadContext& context, const Item& item,
                                      const std::string& unit) {
  CurrentClamp clamp;
  clamp.kind = CurrentClamp::Kind::ramp;
  MapReader map(item, "a ramp");
  const auto from = map.require("from");
  const auto to = map.require("to");
  const auto start = map.find("start");
  const auto duration = map.require("duration");
  ValueReader read(map.finish());
  read.value(context, from, current_slot(unit), clamp.amplitude);
  read.value(context, to, current_slot(unit), clamp.final_amplitude);
  read_start(context, read, start, clamp.start_ms);
  read.value(context, duration, duration_slot(), clamp.duration_ms);
  return read.result(clamp);
}

}  // namespace

std::optional<CurrentClamp> read_current_clamp(ReadContext& context, const Item& item,
                                               const std::string& unit) {
  MapReader map(item, "iclamp");
  if (!map.is_map()) return std::nullopt;
  map.allow("waveform");
  if (!map.has("waveform")) return read_pulses(context, map, unit);
  const auto inner = map.find("waveform");
  return map.finish() ? read_waveform(context, *inner, unit) : std::nullopt;
}

std::optional<CurrentClamp> read_pulses(ReadContext& context, MapReader& map,
                                        const std::string& unit) {
  for (const auto& [form, read] :
       {std::pair{"train", &read_train}, std::pair{"ramp", &read_ramp}}) {
    map.allow(form);
    if (!map.has(form)) continue;
    const auto inner = map.find(form);
    return map.finish() ? read(context, *inner, unit) : std::nullopt;
  }
  return read_pulse(context, map, unit);
}

std::optional<models::VoltageClamp> read_voltage_clamp(ReadContext& context, const Item& item) {
  models::VoltageClamp clamp;
  MapReader map(item, "seclamp");
  const auto levels = map.require("levels");
  const auto durations = map.require("durations");
  const auto rs = map.find("rs");
  ValueReader read(map.finish());
  const Slot level = Slot::of("mV").at_least(-1000).at_most(1000).varying_by_cell();
  const Slot duration = Slot::of("ms").at_least(0).varying_by_cell();
  if (levels) read.take(read_values(context, *levels, level), clamp.levels_mV);
  if (durations) read.take(read_values(context, *durations, duration), clamp.durations_ms);
  read.value(context, rs, Slot::of("MOhm").more_than(0).varying_by_cell(), clamp.rs_MOhm);
  const std::size_t count = clamp.levels_mV.size();
  if (read.good() && (count != clamp.durations_ms.size() || count == 0))
    read.error(*durations,
               fmt::format("must have as many values as levels, {}, and at least one", count));
  return read.result(clamp);
}

}  // namespace hillock::io
