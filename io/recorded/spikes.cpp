#include "io/recorded/spikes.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <span>

#include "core/text/utf8.hpp"

namespace hillock::io::recorded {

namespace {

constexpr double most_rate_bins = 4000;
constexpr double bins_of_rates = 40;

struct SpikeColumns {
  std::string population;
  std::string times;
  std::string nodes;
  std::uint64_t rows = 0;  ///< that both have
};

/// Of the first populations in the model's order; those that run.json does not know come last.
std::vector<SpikeColumns> columns_in(ConfinedFile& file, const Reading& reading) {
  std::vector<std::string> names = file.children("/spikes");
  const auto& known = reading.facts.populations;
  std::ranges::stable_sort(names, {}, [&](const std::string& name) {
    return std::ranges::find(known, name, &RunFacts::Population::name) - known.begin();
  });
  std::vector<SpikeColumns> all;
  for (const std::string& name : names) {
    if (all.size() == reading.request.limits.populations) break;
    SpikeColumns columns{name, "/spikes/" + name + "/timestamps", "/spikes/" + name + "/node_ids",
                         0};
    const auto times = file.extent(columns.times), nodes = file.extent(columns.nodes);
    if (times && nodes && (*times)[1] == 1 && (*nodes)[1] == 1)
      columns.rows = std::min((*times)[0], (*nodes)[0]);
    all.push_back(std::move(columns));
  }
  return all;
}

void each_part(std::uint64_t rows,
               const std::function<void(std::uint64_t begin, std::uint64_t count)>& take) {
  constexpr std::uint64_t at_once = numbers_at_once / 8;
  for (std::uint64_t begin = 0; begin < rows; begin += at_once)
    take(begin, std::min(at_once, rows - begin));
}

page::ShownCells cells_of(const std::string& population, const RunFacts& facts) {
  page::ShownCells cells{population, "", 0, {}};
  for (const RunFacts::Population& known : facts.populations)
    if (known.name == population) {
      cells.cell = known.cell;
      cells.size = known.size;
      cells.recorded = known.spikes_of;
    }
  return cells;
}

/// What /places says of a population: cells whose spikes are shown, and where they lie. Nothing of
/// what is no place of a cell.
void add_places(ConfinedFile& file, const std::string& population, page::SpikePanel& panel) {
  constexpr std::uint64_t most_rows = 100'000;
  const std::string name = "/places/" + population;
  const auto extent = file.extent(name);
  if (!extent || (*extent)[1] != 4 || (*extent)[0] > most_rows) return;
  panel.place(file.numbers(name, {0, 0}, *extent));
}

void tell_thinning(const page::Thinning& thinning, std::uint64_t kept, std::uint64_t all,
                   Reading& reading) {
  if (thinning.every_cell == 1 && thinning.every_spike == 1) return;
  std::string which = thinning.every_cell == 1
                          ? "of all cells"
                          : fmt::format("of every {}th cell", thinning.every_cell);
  if (thinning.every_spike > 1) which = fmt::format("every {}th {}", thinning.every_spike, which);
  reading.left_out.push_back(fmt::format(
      "The raster has {} of {} spikes: {}. Rates over time and distributions are of all "
      "spikes.",
      kept, all, which));
}

}  // namespace

double last_spike_ms(ConfinedFile& file, const Reading& reading) {
  double last = 0;
  for (const SpikeColumns& columns : columns_in(file, reading))
    each_part(columns.rows, [&](std::uint64_t begin, std::uint64_t count) {
      reading.request.is_reading("spikes of " + columns.population);
      for (const double time : file.numbers(columns.times, {begin, 0}, {count, 1}))
        if (std::isfinite(time)) last = std::max(last, time);
    });
  return last;
}

Json read_spikes(ConfinedFile& file, Reading& reading) {
  const ReportRequest& request = reading.request;
  const std::vector<SpikeColumns> all = columns_in(file, reading);
  if (const auto names = file.children("/spikes"); names.size() > all.size())
    reading.left_out.push_back(fmt::format("Of {} populations with spikes the first {} are shown.",
                                           names.size(), all.size()));
  std::vector<page::SpikeCounts> counts(all.size());
  std::uint64_t spikes = 0, beyond = 0;
  for (std::size_t p = 0; p < all.size(); ++p) {
    each_part(all[p].rows, [&](std::uint64_t begin, std::uint64_t count) {
      request.is_reading("spikes of " + all[p].population);
      counts[p].add(file.numbers(all[p].nodes, {begin, 0}, {count, 1}));
    });
    spikes += counts[p].all();
    beyond += counts[p].beyond();
  }
  if (beyond > 0)
    reading.left_out.push_back(
        fmt::format("{} spikes of cells beyond the first {} of their population are in the rates "
                    "over time alone.",
                    beyond, page::SpikeCounts::most_cells));
  const page::Thinning thinning = page::thin_to(counts, request.limits.spikes);
  const double bin_ms =
      std::max(reading.facts.dt_ms,
               round_up((reading.time.stop_ms - reading.time.start_ms) / most_rate_bins));
  const bool has_places = std::ranges::count(file.children("/"), "places") > 0;
  std::vector<page::SpikePanel> panels;
  double highest = 0;
  std::uint64_t kept = 0;
  for (std::size_t p = 0; p < all.size(); ++p) {
    page::SpikePanel& panel = panels.emplace_back(cells_of(all[p].population, reading.facts),
                                                  counts[p], thinning, reading.time, bin_ms);
    each_part(all[p].rows, [&](std::uint64_t begin, std::uint64_t count) {
      request.is_reading("spikes of " + all[p].population);
      panel.add(file.numbers(all[p].times, {begin, 0}, {count, 1}),
                file.numbers(all[p].nodes, {begin, 0}, {count, 1}));
    });
    if (panel.passed_over() > 0)
      reading.problems.push_back(
          fmt::format("{}: {} spikes of {} are not shown, for they are of no time in the run or of "
                      "no cell that was recorded",
                      file.path().filename().string(), panel.passed_over(), all[p].population));
    if (has_places) add_places(file, all[p].population, panel);
    highest = std::max(highest, panel.highest_rate());
    kept += panel.kept();
  }
  tell_thinning(thinning, kept, spikes, reading);
  Json populations = Json::array();
  for (page::SpikePanel& panel : panels)
    populations.add(panel.to_json(reading.blobs, round_up(highest / bins_of_rates)));
  return populations;
}

}  // namespace hillock::io::recorded
