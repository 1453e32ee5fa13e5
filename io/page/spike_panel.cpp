#include "io/page/spike_panel.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "core/text/utf8.hpp"

namespace hillock::io::page {

namespace {

constexpr double first_interval_ms = 0.1;
constexpr std::size_t bins_a_decade = 10;
constexpr std::size_t decades = 6;  // up to 100 s
/// Of fewer spikes an interval's variation says nothing.
constexpr std::uint32_t fewest_for_variation = 5;
constexpr double variation_width = 0.05;
constexpr std::size_t variation_bins = 60;

/// A node id of a file as a cell's number, or the largest number.
std::uint64_t cell_of(double node_id) {
  return node_id >= 0 && node_id < 9e15 ? static_cast<std::uint64_t>(node_id)
                                        : std::numeric_limits<std::uint64_t>::max();
}

}  // namespace

void SpikeCounts::add(std::span<const double> node_ids) {
  all_ += node_ids.size();
  for (const double id : node_ids) {
    const std::uint64_t cell = cell_of(id);
    if (cell >= most_cells) {
      ++beyond_;
      continue;
    }
    if (cell >= by_cell_.size()) by_cell_.resize(cell + 1);
    if (by_cell_[cell] != std::numeric_limits<std::uint32_t>::max()) ++by_cell_[cell];
  }
}

Thinning thin_to(std::span<const SpikeCounts> populations, std::uint64_t most_spikes) {
  Thinning thinning;
  std::uint64_t most_cells = 0;
  for (const SpikeCounts& counts : populations)
    most_cells = std::max<std::uint64_t>(most_cells, counts.by_cell().size());
  const auto left = [&] {
    std::uint64_t spikes = 0;
    for (const SpikeCounts& counts : populations)
      for (std::size_t cell = 0; cell < counts.by_cell().size(); cell += thinning.every_cell)
        spikes += counts.by_cell()[cell];
    return spikes;
  };
  std::uint64_t spikes = left();
  // A few trains that are whole tell more than many that are not.
  while (spikes > most_spikes && most_cells / (thinning.every_cell * 2) >= 50) {
    thinning.every_cell *= 2;
    spikes = left();
  }
  if (spikes > most_spikes)
    thinning.every_spike = (spikes + most_spikes - 1) / std::max<std::uint64_t>(1, most_spikes);
  return thinning;
}

Json Histogram::to_json() const {
  return Json::object(
      {{"first", first}, {"width", width}, {"log", is_logarithmic}, {"counts", counts}});
}

SpikePanel::SpikePanel(ShownCells cells, const SpikeCounts& counts, Thinning thinning,
                       TimeSpan time, double rate_bin_ms)
    : cells_(std::move(cells)), thinning_(thinning), time_(time), rate_bin_ms_(rate_bin_ms) {
  if (cells_.size == 0) cells_.size = counts.by_cell().size();
  if (cells_.recorded.empty()) cells_.recorded.emplace_back(0, cells_.size);
  bins_.resize(
      static_cast<std::size_t>(std::ceil((time_.stop_ms - time_.start_ms) / rate_bin_ms_ - 1e-9)));
  by_cell_.resize(counts.by_cell().size());
  intervals_.first = first_interval_ms;
  intervals_.width = 1.0 / bins_a_decade;
  intervals_.is_logarithmic = true;
  intervals_.counts.resize(bins_a_decade * decades);
}

bool SpikePanel::is_recorded(std::uint64_t cell) const {
  const auto after = std::ranges::upper_bound(cells_.recorded, cell, {},
                                              [](const auto& range) { return range.first; });
  return after != cells_.recorded.begin() && cell < std::prev(after)->second;
}

std::uint64_t SpikePanel::recorded_cells() const {
  std::uint64_t cells = 0;
  for (const auto& [begin, end] : cells_.recorded) cells += end - begin;
  return cells;
}

void SpikePanel::add_interval(Intervals& of, double time_ms) {
  const double interval = time_ms - of.last_ms;
  if (of.spikes++ > 0 && interval < 0) {
    ++backward_;
    return;
  }
  if (of.spikes > 1) {
    const double place = std::log10(std::max(interval, 1e-12) / intervals_.first) * bins_a_decade;
    const auto bin = static_cast<std::ptrdiff_t>(std::floor(place));
    const auto last = static_cast<std::ptrdiff_t>(intervals_.counts.size()) - 1;
    ++intervals_.counts[static_cast<std::size_t>(std::clamp<std::ptrdiff_t>(bin, 0, last))];
    const double off = interval - static_cast<double>(of.mean_ms);
    const double mean = static_cast<double>(of.mean_ms) + off / (of.spikes - 1);
    of.mean_ms = static_cast<float>(mean);
    of.squares += static_cast<float>(off * (interval - mean));
  }
  of.last_ms = time_ms;
}

void SpikePanel::add(std::span<const double> times_ms, std::span<const double> node_ids) {
  const double length = time_.stop_ms - time_.start_ms;
  for (std::size_t i = 0; i < std::min(times_ms.size(), node_ids.size()); ++i) {
    const double at = times_ms[i] - time_.start_ms;
    const std::uint64_t cell = cell_of(node_ids[i]);
    if (!(at >= 0 && at <= length) || !is_recorded(cell)) {
      ++passed_over_;
      continue;
    }
    ++shown_;
    if (!bins_.empty())
      ++bins_[std::min(bins_.size() - 1, static_cast<std::size_t>(at / rate_bin_ms_))];
    if (cell >= by_cell_.size()) continue;
    add_interval(by_cell_[cell], times_ms[i]);
    if (cell % thinning_.every_cell != 0 || seen_of_kept_++ % thinning_.every_spike != 0) continue;
    kept_.push_back({static_cast<std::uint32_t>(length > 0 ? at / length * 4294967295.0 : 0),
                     static_cast<std::uint32_t>(cell)});
  }
}

void SpikePanel::place(std::span<const double> rows) {
  for (std::size_t row = 0; row + 4 <= rows.size(); row += 4) {
    const std::uint64_t cell = cell_of(rows[row]);
    const auto um = rows.subspan(row + 1, 3);
    const bool is_place =
        std::ranges::all_of(um, [](double x) { return std::isfinite(static_cast<float>(x)); });
    if (cell >= SpikeCounts::most_cells || cell % thinning_.every_cell != 0 || !is_recorded(cell) ||
        !is_place)
      continue;
    placed_.push_back(static_cast<std::uint32_t>(cell));
    for (const double x : um) um_.push_back(static_cast<float>(x));
  }
}

double SpikePanel::highest_rate() const {
  std::uint32_t most = 0;
  for (const Intervals& cell : by_cell_) most = std::max(most, cell.spikes);
  return seconds() > 0 ? most / seconds() : 0;
}

Histogram SpikePanel::rates(double width_Hz) const {
  Histogram rates;
  rates.width = width_Hz;
  rates.counts.resize(static_cast<std::size_t>(highest_rate() / width_Hz + 1e-9) + 1);
  std::uint64_t silent = recorded_cells();
  for (const Intervals& cell : by_cell_) {
    if (cell.spikes == 0) continue;
    silent -= std::min<std::uint64_t>(silent, 1);
    ++rates.counts[static_cast<std::size_t>(cell.spikes / seconds() / width_Hz + 1e-9)];
  }
  rates.counts[0] += silent;
  return rates;
}

Histogram SpikePanel::variations() const {
  Histogram variations;
  variations.width = variation_width;
  variations.counts.resize(variation_bins);
  for (const Intervals& cell : by_cell_) {
    if (cell.spikes < fewest_for_variation || !(cell.mean_ms > 0)) continue;
    const double variance = static_cast<double>(cell.squares) / (cell.spikes - 2);
    const double variation = std::sqrt(std::max(0.0, variance)) / static_cast<double>(cell.mean_ms);
    ++variations.counts[std::min(variation_bins - 1,
                                 static_cast<std::size_t>(variation / variation_width + 1e-9))];
  }
  return variations;
}

Json SpikePanel::to_json(Blobs& blobs, double rate_width_Hz) {
  std::ranges::stable_sort(kept_, {}, &Kept::time);
  std::vector<std::uint32_t> times;
  std::vector<std::uint32_t> wide;
  std::vector<std::uint16_t> narrow;
  const bool is_wide = by_cell_.size() > 65536;
  for (const Kept& spike : kept_) {
    times.push_back(spike.time);
    if (is_wide)
      wide.push_back(spike.cell);
    else
      narrow.push_back(static_cast<std::uint16_t>(spike.cell));
  }
  const std::uint64_t cells = recorded_cells();
  std::uint64_t active = 0;
  for (const Intervals& cell : by_cell_) active += cell.spikes > 0;
  Json json = Json::object({{"name", printable(cells_.population)},
                            {"cell", printable(cells_.cell)},
                            {"size", cells_.size},
                            {"recorded", cells},
                            {"first_recorded", cells_.recorded.front().first},
                            {"end_recorded", cells_.recorded.back().second},
                            {"silent", cells - std::min(cells, active)},
                            {"spikes", shown_},
                            {"kept", kept_.size()},
                            {"every_cell", thinning_.every_cell},
                            {"every_spike", thinning_.every_spike},
                            {"times", blobs.add(times)},
                            {"cells", is_wide ? blobs.add(wide) : blobs.add(narrow)},
                            {"wide", is_wide},
                            {"rate_bin_ms", rate_bin_ms_},
                            {"rate_counts", blobs.add(bins_)}});
  if (cells > 0 && seconds() > 0) {
    json.add("mean_rate", static_cast<double>(shown_) / static_cast<double>(cells) / seconds());
    json.add("rates", rates(rate_width_Hz).to_json());
  }
  if (!placed_.empty()) {
    json.add("placed", blobs.add(placed_));
    json.add("places", blobs.add(um_));
  }
  json.add("backward", backward_);
  json.add("intervals", intervals_.to_json());
  json.add("variations", variations().to_json());
  return json;
}

}  // namespace hillock::io::page
