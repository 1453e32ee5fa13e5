#include "io/model/protocol/read_spike_times.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "core/text/counted.hpp"
#include "io/model/values/read_warnings.hpp"
#include "io/model/values/slot.hpp"

namespace hillock::io {

namespace {

/// A table of trains is indexed by cell; beyond this the slice is surely a mistake.
constexpr std::uint64_t most_trains = 10'000'000;

std::optional<models::SpikeTimes> read_times_file(ReadContext& context, const Item& item,
                                                  const models::PopulationSlice& to,
                                                  bool to_known) {
  const auto file = read_named_file(context, item);
  if (!file) return std::nullopt;
  const auto table = read_csv_table(context, *file);
  if (!table) return std::nullopt;
  std::size_t time_column = table->columns.size() - 1;
  std::optional<std::size_t> cell_column;
  if (table->columns.size() == 2) cell_column = 0;
  if (!table->header.empty()) {
    const auto time = table->find("time_ms");
    cell_column = table->find("cell");
    const std::size_t named = (time ? 1U : 0U) + (cell_column ? 1U : 0U);
    if (!time || named != table->header.size()) {
      item.error(fmt::format("{} must have the column time_ms, and perhaps cell, and no others",
                             file->shown));
      return std::nullopt;
    }
    time_column = *time;
  } else if (table->columns.size() > 2) {
    item.error(fmt::format("{} has {} columns (time_ms, or cell and time_ms, are expected)",
                           file->shown, table->columns.size()));
    return std::nullopt;
  }
  models::SpikeTimes spikes;
  if (cell_column) context.network.goes_by_number = true;
  if (cell_column && to_known) {
    if (to.size() > most_trains) {
      item.error("spike times for each cell can be given to at most ten million cells");
      return std::nullopt;
    }
    spikes.per_cell.resize(to.size());
  }
  for (std::size_t row = 0; row < table->rows(); ++row) {
    const double time = table->columns[time_column][row];
    if (time < 0) {
      item.error_at(table->place(row, time_column),
                    fmt::format("the time {} must not be negative", show(time, "ms")));
      return std::nullopt;
    }
    if (!cell_column) {
      spikes.times_ms.push_back(time);
      continue;
    }
    const double cell = table->columns[*cell_column][row];
    if (cell < 0 || cell != std::floor(cell) ||
        (to_known && cell >= static_cast<double>(to.size()))) {
      item.error_at(table->place(row, *cell_column),
                    fmt::format("there is no cell {:.12g} (the slice has {}, counted from 0)", cell,
                                counted(to.size(), "cell")));
      return std::nullopt;
    }
    if (to_known) spikes.per_cell[static_cast<std::size_t>(cell)].push_back(time);
  }
  std::sort(spikes.times_ms.begin(), spikes.times_ms.end());
  for (auto& train : spikes.per_cell) std::sort(train.begin(), train.end());
  const auto& times = table->columns[time_column];
  warn_of_late_start(context, item, *std::min_element(times.begin(), times.end()));
  return spikes;
}

}  // namespace

std::optional<models::SpikeTimes> read_spike_times(ReadContext& context, const Item& item,
                                                   const models::PopulationSlice& to,
                                                   bool to_known) {
  enum class From { times, csv };
  static const OneOf<From> sources{{"times", From::times}, {"csv", From::csv}};
  MapReader map(item, "spikes");
  const auto chosen = map.one_of(sources);
  if (!map.finish() || !chosen) return std::nullopt;
  if (chosen->meaning == From::csv) return read_times_file(context, chosen->item, to, to_known);
  auto times = read_constants(chosen->item, Slot::of("ms").at_least(0));
  if (!times) return std::nullopt;
  std::sort(times->begin(), times->end());
  if (!times->empty()) warn_of_late_start(context, chosen->item, times->front());
  return models::SpikeTimes{std::move(*times), {}};
}

}  // namespace hillock::io
