#pragma once
// What a page shows of one population's spikes, made of them as they are read, however many: its
// rate over time, what of its cells is distributed how, and as many of the spikes as the page has
// room for.

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "io/json/json.hpp"
#include "io/page/blobs.hpp"

namespace hillock::io::page {

/// Of what is shown, in biological time.
struct TimeSpan {
  double start_ms = 0;
  double stop_ms = 0;
};

/// Which cells of a population have spikes that are shown.
struct ShownCells {
  std::string population;
  std::string cell;        ///< its kind; empty where that is not known
  std::uint64_t size = 0;  ///< 0: not known, so cells count up to the last that spiked
  /// Cells [first, second), rising; empty: all.
  std::vector<std::pair<std::uint64_t, std::uint64_t>> recorded;
};

/// Spikes by cell. Cells beyond the first `most_cells` have no count of their own.
class SpikeCounts {
 public:
  static constexpr std::uint64_t most_cells = 20'000'000;

  /// Node ids as a file has them; what is no cell's number counts as beyond.
  void add(std::span<const double> node_ids);

  const std::vector<std::uint32_t>& by_cell() const { return by_cell_; }
  std::uint64_t all() const { return all_; }
  std::uint64_t beyond() const { return beyond_; }

 private:
  std::vector<std::uint32_t> by_cell_;
  std::uint64_t all_ = 0;
  std::uint64_t beyond_ = 0;
};

/// Spikes that a page has: those of every so many-th cell and of these every so many-th.
struct Thinning {
  std::uint64_t every_cell = 1;
  std::uint64_t every_spike = 1;
};

/// The least thinning that leaves at most so many spikes of all populations together.
Thinning thin_to(std::span<const SpikeCounts> populations, std::uint64_t most_spikes);

/// Counts in bins of equal width, or of equal ratio where it is logarithmic.
struct Histogram {
  double first = 0;  ///< the first bin's lower edge
  double width = 1;  ///< of a bin, or of its logarithm to the base of ten
  bool is_logarithmic = false;
  std::vector<std::uint64_t> counts;

  Json to_json() const;
};

class SpikePanel {
 public:
  /// counts: of the same spikes.
  SpikePanel(ShownCells cells, const SpikeCounts& counts, Thinning thinning, TimeSpan time,
             double rate_bin_ms);

  /// Spikes in the order of their time. Of a cell whose spikes are not, intervals are left out.
  void add(std::span<const double> times_ms, std::span<const double> node_ids);

  /// Where some cells lie. rows: [cells][4] as models::CellPlaces has them.
  void place(std::span<const double> rows);

  /// Of recorded cells, Hz.
  double highest_rate() const;
  /// rate_width_Hz: of the bins of the distribution of rates.
  Json to_json(Blobs& blobs, double rate_width_Hz);

  /// What was passed over: spikes without a time in the span, or of no cell that was recorded.
  std::uint64_t passed_over() const { return passed_over_; }
  std::uint64_t kept() const { return kept_.size(); }

 private:
  struct Intervals {
    double last_ms = -1;
    float mean_ms = 0;
    float squares = 0;  ///< sum of the squared deviations from the mean
    std::uint32_t spikes = 0;
  };
  struct Kept {
    std::uint32_t time;  ///< in parts of the span
    std::uint32_t cell;
  };

  bool is_recorded(std::uint64_t cell) const;
  std::uint64_t recorded_cells() const;
  double seconds() const { return (time_.stop_ms - time_.start_ms) / 1000; }
  void add_interval(Intervals& of, double time_ms);
  Histogram rates(double width_Hz) const;
  Histogram variations() const;

  ShownCells cells_;
  Thinning thinning_;
  TimeSpan time_;
  double rate_bin_ms_;
  std::vector<std::uint32_t> bins_;
  std::vector<Intervals> by_cell_;
  Histogram intervals_;
  std::vector<Kept> kept_;
  std::vector<std::uint32_t> placed_;  ///< cells
  std::vector<float> um_;              ///< [placed][3]
  std::uint64_t shown_ = 0;
  std::uint64_t passed_over_ = 0;
  std::uint64_t seen_of_kept_ = 0;
  std::uint64_t backward_ = 0;  ///< intervals below 0
};

}  // namespace hillock::io::page
