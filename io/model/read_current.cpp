#include "io/model/read_current.hpp"

#include <fmt/format.h>

#include <cmath>

#include "io/columns/csv.hpp"
#include "io/model/read_warnings.hpp"
#include "io/model/slot.hpp"

namespace hillock::io {

namespace {

using models::CurrentClamp;

Slot current_slot() {
  return Slot::of("nA").varying_by_cell();
}
Slot start_slot() {
  return Slot::of("ms").at_least(0).varying_by_cell();
}
Slot duration_slot() {
  return Slot::of("ms").more_than(0).varying_by_cell();
}

/// Reads entries into values and remembers whether all were good.
class ValueReader {
 public:
  explicit ValueReader(ReadContext& context) : context_(context) {}
  void operator()(const std::optional<Item>& item, const Slot& slot, models::Value& into) {
    if (!item) return;
    auto value = read_value(context_, *item, slot);
    good_ = good_ && value;
    if (value) into = std::move(*value);
  }
  void start(const std::optional<Item>& item, models::Value& into) {
    (*this)(item, start_slot(), into);
    if (item && good_) warn_of_late_start(context_, *item, lower_bound(into));
  }
  bool good() const { return good_; }

 private:
  ReadContext& context_;
  bool good_ = true;
};

std::optional<CurrentClamp> read_pulse(ReadContext& context, MapReader& map) {
  CurrentClamp clamp;
  const auto amplitude = map.require("amplitude");
  const auto start = map.find("start");
  const auto duration = map.require("duration");
  const bool good = map.finish();
  ValueReader read(context);
  read(amplitude, current_slot(), clamp.amplitude_nA);
  read.start(start, clamp.start_ms);
  read(duration, duration_slot(), clamp.duration_ms);
  if (!good || !read.good()) return std::nullopt;
  return clamp;
}

std::optional<CurrentClamp> read_train(ReadContext& context, const Item& item) {
  CurrentClamp clamp;
  MapReader map(item, "a train of pulses");
  const auto amplitude = map.require("amplitude");
  const auto width = map.require("width");
  const auto period = map.require("period");
  const auto count = map.require("count");
  const auto start = map.find("start");
  bool good = map.finish();
  ValueReader read(context);
  read(amplitude, current_slot(), clamp.amplitude_nA);
  read.start(start, clamp.start_ms);
  read(width, duration_slot(), clamp.duration_ms);
  read(period, duration_slot(), clamp.period_ms);
  read(count, Slot::of("").at_least(1).at_most(1e9).varying_by_cell(), clamp.count);
  good = good && read.good();
  if (good && clamp.count.is_constant() &&
      clamp.count.constant() != std::floor(clamp.count.constant())) {
    count->error("must be a whole number of pulses");
    good = false;
  }
  if (good && clamp.period_ms.is_constant() && clamp.duration_ms.is_constant() &&
      clamp.period_ms.constant() < clamp.duration_ms.constant()) {
    period->error(fmt::format("must not be shorter than the width, {}",
                              show(clamp.duration_ms.constant(), "ms")));
    good = false;
  }
  if (!good) return std::nullopt;
  return clamp;
}

std::optional<CurrentClamp> read_ramp(ReadContext& context, const Item& item) {
  CurrentClamp clamp;
  clamp.kind = CurrentClamp::Kind::ramp;
  MapReader map(item, "a ramp");
  const auto from = map.require("from");
  const auto to = map.require("to");
  const auto start = map.find("start");
  const auto duration = map.require("duration");
  const bool good = map.finish();
  ValueReader read(context);
  read(from, current_slot(), clamp.amplitude_nA);
  read(to, current_slot(), clamp.final_nA);
  read.start(start, clamp.start_ms);
  read(duration, duration_slot(), clamp.duration_ms);
  if (!good || !read.good()) return std::nullopt;
  return clamp;
}

std::optional<CurrentClamp> read_waveform_file(ReadContext& context, const Item& item) {
  const auto file = read_named_file(context, item);
  if (!file) return std::nullopt;
  const auto table = read_csv(*file->text, file->shown, context.diagnostics);
  if (!table) return std::nullopt;
  if (table->columns.size() != 2) {
    item.error(fmt::format("{} has {} columns (time in ms and current in nA are needed)",
                           file->shown, table->columns.size()));
    return std::nullopt;
  }
  CurrentClamp clamp;
  clamp.kind = CurrentClamp::Kind::waveform;
  clamp.waveform.reserve(table->rows());
  for (std::size_t row = 0; row < table->rows(); ++row) {
    const double time = table->columns[0][row];
    if (!clamp.waveform.empty() && time < clamp.waveform.back().first) {
      item.error_at(table->place(row),
                    fmt::format("the time {} comes after {} (times must not"
                                " fall)",
                                show(time, "ms"), show(clamp.waveform.back().first, "ms")));
      return std::nullopt;
    }
    clamp.waveform.emplace_back(time, table->columns[1][row]);
  }
  warn_of_late_start(context, item, clamp.waveform.front().first);
  return clamp;
}

std::optional<CurrentClamp> read_waveform(ReadContext& context, const Item& item) {
  MapReader map(item, "a waveform");
  if (map.has("csv")) {
    const auto file = map.find("csv");
    if (!map.finish()) return std::nullopt;
    return read_waveform_file(context, *file);
  }
  const auto times_item = map.require("times");
  const auto currents_item = map.require("currents");
  map.allow("csv");
  if (!map.finish()) return std::nullopt;
  const auto times = read_constants(*times_item, Slot::of("ms"));
  const auto currents = read_constants(*currents_item, Slot::of("nA"));
  if (!times || !currents) return std::nullopt;
  if (times->size() != currents->size() || times->empty()) {
    currents_item->error(
        fmt::format("must have as many values as times, {}, and at least one", times->size()));
    return std::nullopt;
  }
  CurrentClamp clamp;
  clamp.kind = CurrentClamp::Kind::waveform;
  for (std::size_t i = 0; i < times->size(); ++i) {
    if (i > 0 && (*times)[i] < (*times)[i - 1]) {
      times_item->error("times must not fall");
      return std::nullopt;
    }
    clamp.waveform.emplace_back((*times)[i], (*currents)[i]);
  }
  warn_of_late_start(context, *times_item, clamp.waveform.front().first);
  return clamp;
}

}  // namespace

std::optional<CurrentClamp> read_current_clamp(ReadContext& context, const Item& item) {
  MapReader map(item, "iclamp");
  if (!map.is_map()) return std::nullopt;
  for (const char* form : {"train", "ramp", "waveform"}) {
    if (!map.has(form)) continue;
    const auto inner = map.find(form);
    if (!map.finish()) return std::nullopt;
    if (form == std::string_view("train")) return read_train(context, *inner);
    if (form == std::string_view("ramp")) return read_ramp(context, *inner);
    return read_waveform(context, *inner);
  }
  map.allow("train");
  map.allow("ramp");
  map.allow("waveform");
  return read_pulse(context, map);
}

std::optional<models::VoltageClamp> read_voltage_clamp(const Item& item) {
  models::VoltageClamp clamp;
  MapReader map(item, "seclamp");
  const auto levels_item = map.require("levels");
  const auto durations_item = map.require("durations");
  const auto rs = map.find("rs");
  bool good = map.finish();
  std::optional<std::vector<double>> levels;
  std::optional<std::vector<double>> durations;
  if (levels_item)
    levels = read_constants(*levels_item, Slot::of("mV").at_least(-1000).at_most(1000));
  if (durations_item) durations = read_constants(*durations_item, Slot::of("ms").at_least(0));
  if (rs) {
    const auto value = read_constant(*rs, Slot::of("MOhm").more_than(0));
    good = good && value;
    clamp.rs_MOhm = value.value_or(1);
  }
  if (!good || !levels || !durations) return std::nullopt;
  if (levels->size() != durations->size() || levels->empty()) {
    durations_item->error(
        fmt::format("must have as many values as levels, {}, and at least one", levels->size()));
    return std::nullopt;
  }
  clamp.levels_mV = std::move(*levels);
  clamp.durations_ms = std::move(*durations);
  return clamp;
}

}  // namespace hillock::io
