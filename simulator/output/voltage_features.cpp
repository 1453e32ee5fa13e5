#include "simulator/output/voltage_features.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <functional>
#include <limits>
#include <numeric>
#include <utility>

#include "core/errors/errors.hpp"

namespace hillock::simulator {

namespace {

constexpr double none = std::numeric_limits<double>::quiet_NaN();
// eFEL's settings.
constexpr double grid_ms = 0.1, threshold_mV = -20, begins_mV_per_ms = 10, ends_mV_per_ms = -12;
constexpr std::size_t slope_points = 3;  ///< that a spike rises for at least
constexpr double base_from = 0.9;        ///< of the time before the stimulus
constexpr double base_precision_ms = 1e-10;

double mean(std::span<const double> values) {
  return std::accumulate(values.begin(), values.end(), 0.0) / static_cast<double>(values.size());
}

}  // namespace

/// A trace on eFEL's grid, with the spikes in it. Indices are the grid's.
class VoltageFeatures::Trace {
 public:
  Trace(std::vector<double> times_ms, FeatureWindow window)
      : times_ms_(std::move(times_ms)), window_(window) {
    const double first = times_ms_.front(), last = times_ms_.back();
    const auto points = static_cast<std::size_t>(std::ceil((last - first) / grid_ms));
    double t = first;
    for (std::size_t i = 0; i < points; ++i, t += grid_ms) t_.push_back(t);
    if (t_.back() < last) t_.push_back(t);
    v_.resize(t_.size());
    sample_.resize(t_.size());
    for (std::size_t i = 0, s = 0; i < t_.size(); ++i) {
      while (s + 1 < times_ms_.size() && times_ms_[s + 1] < t_[i]) ++s;
      sample_[i] = s;
    }
    start_ = first_at_or_after(window_.start_ms);
  }

  void take(std::span<const double> mV) {
    for (std::size_t i = 0; i < t_.size(); ++i) {
      const std::size_t s = sample_[i];
      v_[i] = s + 1 == times_ms_.size()
                  ? mV[s]
                  : mV[s] + (mV[s + 1] - mV[s]) / (times_ms_[s + 1] - times_ms_[s]) *
                                (t_[i] - times_ms_[s]);
    }
    find_peaks();
    find_minima();
    find_begins();
    find_ends();
  }

  double minimum_voltage() const {
    const auto [from, to] = stimulated();
    return from == to ? none : *std::ranges::min_element(&v_[from], &v_[to]);
  }
  double maximum_voltage() const {
    const auto [from, to] = stimulated();
    return from == to ? none : *std::ranges::max_element(&v_[from], &v_[to]);
  }

  /// The mean of the last tenth of the time before the stimulus.
  double voltage_base() const {
    const double from_ms = base_from * window_.start_ms;
    if (from_ms >= window_.start_ms) return none;
    const std::size_t from = first_at_or_after(from_ms);
    std::size_t to = t_.size();
    while (to > 1 && t_[to - 1] - window_.start_ms >= base_precision_ms) --to;
    return from >= to ? none : mean(std::span(v_).subspan(from, to - from));
  }

  /// The mean after it.
  double steady_state_voltage() const {
    double sum = 0;
    std::size_t i = t_.size();
    for (; i > 0 && t_[i - 1] > window_.stop_ms; --i) sum += v_[i - 1];
    return sum / static_cast<double>(t_.size() - i);
  }

  double spike_count() const { return static_cast<double>(peaks_.size()); }

  double time_to_first_spike() const {
    return peaks_.empty() ? none : t_[peaks_.front()] - window_.start_ms;
  }

  /// Spikes a second from the beginning of the stimulus to its last spike.
  double mean_frequency() const {
    if (peaks_.empty()) return none;
    double last_ms = 0, count = 0;
    for (const std::size_t peak : peaks_)
      if (is_stimulated(peak)) {
        last_ms = t_[peak];
        ++count;
      }
    return last_ms == window_.start_ms ? none : count * 1000 / (last_ms - window_.start_ms);
  }

  double ahp_depth() const {
    if (minima_.empty()) return none;
    double sum = 0;
    for (const std::size_t minimum : minima_) sum += v_[minimum];
    return sum / static_cast<double>(minima_.size()) - voltage_base();
  }

  double ap_amplitude() const {
    double sum = 0;
    std::size_t count = 0;
    for (const std::size_t peak : peaks_) {
      if (!is_stimulated(peak)) continue;
      if (count == begins_.size()) return none;
      sum += v_[peak] - v_[begins_[count++]];
    }
    return sum / static_cast<double>(count);
  }

  double ap_duration_half_width() const {
    const std::size_t count = std::min(begins_.size(), peaks_.size());
    double sum = 0;
    for (std::size_t i = 0; i < count; ++i) {
      const std::size_t peak = peaks_[i], begin = begins_[i];
      if (peak < begin || i >= ends_.size() || ends_[i] < peak) return none;
      const double half_mV = (v_[peak] + v_[begin]) / 2;
      sum += t_[nearest(peak, ends_[i], half_mV)] - t_[nearest(begin, peak, half_mV)];
    }
    return sum / static_cast<double>(count);
  }

 private:
  std::size_t first_at_or_after(double ms) const {
    return static_cast<std::size_t>(std::ranges::find_if(t_, [&](double t) { return t >= ms; }) -
                                    t_.begin());
  }
  bool is_stimulated(std::size_t i) const {
    return t_[i] >= window_.start_ms && t_[i] <= window_.stop_ms;
  }
  /// From where to where; nothing where the trace ends before the stimulus.
  std::pair<std::size_t, std::size_t> stimulated() const {
    if (window_.start_ms > t_.back()) return {};
    const std::size_t stop = first_at_or_after(std::min(window_.stop_ms, t_.back()));
    return {start_, std::max(stop, start_ + 1)};
  }
  std::size_t nearest(std::size_t from, std::size_t to, double mV) const {
    std::size_t best = from;
    for (std::size_t i = from; i < to; ++i)
      if (std::abs(v_[i] - mV) < std::abs(v_[best] - mV)) best = i;
    return best;
  }
  /// In mV/ms.
  double slope(std::size_t i) const {
    const std::size_t before = i == 0 ? 0 : i - 1, after = std::min(i + 1, t_.size() - 1);
    return (v_[after] - v_[before]) / (t_[after] - t_[before]);
  }

  /// From each way up through the threshold to the next way down.
  void find_peaks() {
    peaks_.clear();
    std::size_t up = 0;
    bool is_up = false;
    for (std::size_t i = 1; i < v_.size(); ++i) {
      if (v_[i] > threshold_mV && v_[i - 1] < threshold_mV && !is_up) {
        up = i;
        is_up = true;
      } else if (v_[i] < threshold_mV && v_[i - 1] > threshold_mV && is_up) {
        peaks_.push_back(
            static_cast<std::size_t>(std::max_element(&v_[up], &v_[i] + 1) - v_.data()));
        is_up = false;
      }
    }
  }

  /// The first minimum after each peak: two points in turn do not go below it.
  void find_minima() {
    minima_.clear();
    for (std::size_t p = 0; p < peaks_.size(); ++p) {
      const std::size_t end = p + 1 < peaks_.size() ? peaks_[p + 1] : v_.size();
      std::size_t lowest = peaks_[p];
      for (std::size_t i = lowest + 1, above = 0; i < end && above < 2; ++i) {
        above = v_[i] < v_[lowest] ? 0 : above + 1;
        if (above == 0) lowest = i;
      }
      if (lowest != v_.size() - 1) minima_.push_back(lowest);
    }
  }

  /// Going back from the peak, where it last was not steep, and stays steep after.
  void find_begins() {
    begins_.clear();
    std::vector<std::size_t> from{start_ - std::min<std::size_t>(start_, 2)};
    for (const std::size_t minimum : minima_)
      if (minimum > start_) from.push_back(minimum);
    std::vector<std::size_t> peaks = stimulated_peaks();
    if (from.size() < peaks.size()) return;
    const auto is_steep = [&](std::size_t i) { return slope(i) > begins_mV_per_ms; };
    for (std::size_t p = 0; p < peaks.size(); ++p) {
      std::size_t begin = peaks[p];
      while (true) {
        while (begin > from[p] && is_steep(begin - 1)) --begin;
        begin = std::min(begin, v_.size() - slope_points);
        if (begin <= from[p]) break;
        bool stays = true;
        for (std::size_t i = begin; i < begin + slope_points; ++i)
          stays = stays && slope(i) >= begins_mV_per_ms;
        if (stays) break;
        --begin;
      }
      if (begin > from[p]) begins_.push_back(begin);
    }
  }

  /// After the steepest way down, where it is no longer steep.
  void find_ends() {
    ends_.clear();
    std::vector<std::size_t> peaks = stimulated_peaks();
    peaks.push_back(v_.size() - 1);
    for (std::size_t p = 0; p + 1 < peaks.size(); ++p) {
      const std::size_t from = peaks[p] + 1, to = peaks[p + 1];
      if (from >= to) continue;
      std::size_t steepest = from;
      double least = slope(from);
      for (std::size_t i = from + 1; i < to; ++i)
        if (const double here = slope(i); here < least) {
          least = here;
          steepest = i;
        }
      std::size_t end = steepest;
      while (end < to && slope(end) < ends_mV_per_ms) ++end;
      if (end < to) ends_.push_back(end);
    }
  }

  std::vector<std::size_t> stimulated_peaks() const {
    std::vector<std::size_t> peaks;
    for (const std::size_t peak : peaks_)
      if (peak > start_) peaks.push_back(peak);
    return peaks;
  }

  std::vector<double> times_ms_;
  FeatureWindow window_;
  std::vector<double> t_;            ///< ms
  std::vector<std::size_t> sample_;  ///< [point] behind which it lies
  std::size_t start_ = 0;            ///< of the stimulus
  std::vector<double> v_;            ///< mV
  std::vector<std::size_t> peaks_, minima_, begins_, ends_;
};

struct VoltageFeatures::Known {
  const char* name;
  double (*of)(const Trace&);
};

const VoltageFeatures::Known VoltageFeatures::known[] = {
    {"AHP_depth", [](const Trace& trace) { return trace.ahp_depth(); }},
    {"AP_amplitude", [](const Trace& trace) { return trace.ap_amplitude(); }},
    {"AP_duration_half_width", [](const Trace& trace) { return trace.ap_duration_half_width(); }},
    {"Spikecount", [](const Trace& trace) { return trace.spike_count(); }},
    {"maximum_voltage", [](const Trace& trace) { return trace.maximum_voltage(); }},
    {"mean_frequency", [](const Trace& trace) { return trace.mean_frequency(); }},
    {"minimum_voltage", [](const Trace& trace) { return trace.minimum_voltage(); }},
    {"steady_state_voltage", [](const Trace& trace) { return trace.steady_state_voltage(); }},
    {"time_to_first_spike", [](const Trace& trace) { return trace.time_to_first_spike(); }},
    {"voltage_base", [](const Trace& trace) { return trace.voltage_base(); }}};

std::vector<std::string> voltage_feature_names() {
  std::vector<std::string> names;
  for (const VoltageFeatures::Known& one : VoltageFeatures::known) names.push_back(one.name);
  return names;
}

VoltageFeatures::VoltageFeatures(std::vector<double> times_ms,
                                 const std::vector<std::string>& names, FeatureWindow window) {
  for (const std::string& name : names) {
    const auto* const at = std::ranges::find(known, name, &Known::name);
    if (at == std::end(known)) {
      throw UsageError(fmt::format("no feature '{}' is known. Known: {}", name,
                                   fmt::join(voltage_feature_names(), ", ")));
    }
    wanted_.push_back(at->of);
  }
  const bool rise = std::ranges::adjacent_find(times_ms, std::greater_equal<>()) == times_ms.end();
  if (times_ms.size() < 3 || !rise)
    throw UsageError("features of a trace need three samples or more, in the order of time");
  if (!(window.start_ms <= window.stop_ms))
    throw UsageError(fmt::format("the stimulus of features begins at {} ms and ends at {} ms",
                                 window.start_ms, window.stop_ms));
  trace_ = std::make_unique<Trace>(std::move(times_ms), window);
}

VoltageFeatures::~VoltageFeatures() = default;

void VoltageFeatures::find(std::span<const double> mV, std::span<double> values) {
  trace_->take(mV);
  for (std::size_t k = 0; k < wanted_.size(); ++k) values[k] = wanted_[k](*trace_);
}

}  // namespace hillock::simulator
