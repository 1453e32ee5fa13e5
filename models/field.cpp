#include "models/field.hpp"

#include <algorithm>
#include <set>

namespace hillock::models {

std::optional<double> FieldOnGrid::at(const std::array<double, 3>& place_um) const {
  std::size_t corner = 0;
  std::array<std::size_t, 3> stride{axes_um[1].size() * axes_um[2].size(), axes_um[2].size(), 1};
  std::array<double, 3> part{};
  for (std::size_t axis = 0; axis < 3; ++axis) {
    const std::vector<double>& at = axes_um[axis];
    if (!(place_um[axis] >= at.front() && place_um[axis] <= at.back())) return std::nullopt;
    const auto above = std::upper_bound(at.begin() + 1, at.end() - 1, place_um[axis]);
    part[axis] = (place_um[axis] - above[-1]) / (above[0] - above[-1]);
    corner += stride[axis] * static_cast<std::size_t>(above - 1 - at.begin());
  }
  double sum = 0;
  for (unsigned of = 0; of < 8; ++of) {
    double weight = 1;
    std::size_t from = corner;
    for (std::size_t axis = 0; axis < 3; ++axis) {
      const bool is_above = (of >> axis & 1) != 0;
      weight *= is_above ? part[axis] : 1 - part[axis];
      if (is_above) from += stride[axis];
    }
    sum += weight * potential_mV[from];
  }
  return sum;
}

std::vector<std::vector<std::pair<double, double>>> frames_in_time(
    const std::vector<double>& times_ms, const std::vector<std::pair<double, double>>& clock) {
  // What each is at bends where the clock does, and where it comes by a frame's time.
  std::vector<std::pair<double, double>> bends;
  if (clock.empty())
    for (const double time_ms : times_ms) bends.emplace_back(time_ms, time_ms);
  for (const auto& [time_ms, now_ms] : clock) {
    if (!bends.empty() && time_ms > bends.back().first) {
      const auto [from_ms, before_ms] = bends.back();
      std::vector<double> between;
      for (const double frame_ms : times_ms)
        if (std::min(before_ms, now_ms) < frame_ms && frame_ms < std::max(before_ms, now_ms))
          between.push_back(frame_ms);
      if (now_ms < before_ms) std::ranges::reverse(between);
      for (const double frame_ms : between)
        bends.emplace_back(
            from_ms + (time_ms - from_ms) * ((frame_ms - before_ms) / (now_ms - before_ms)),
            frame_ms);
    }
    bends.emplace_back(time_ms, now_ms);
  }
  /// The first of the two frames that are around a time, and how much of the second there is.
  const auto around = [&](double now_ms) {
    const auto behind = std::ranges::upper_bound(times_ms, now_ms);
    const auto first =
        std::min(static_cast<std::size_t>(behind - times_ms.begin()) - 1, times_ms.size() - 2);
    return std::pair(first, (now_ms - times_ms[first]) / (times_ms[first + 1] - times_ms[first]));
  };
  std::vector<std::vector<std::pair<double, double>>> frames(times_ms.size());
  for (std::size_t bend = 0; bend < bends.size(); ++bend) {
    const auto [now, of_second] = around(bends[bend].second);
    std::set<std::size_t> told;  // of those that are there now, before or behind
    for (std::size_t beside = bend > 0 ? bend - 1 : 0; beside < std::min(bend + 2, bends.size());
         ++beside) {
      const std::size_t first = around(bends[beside].second).first;
      told.insert({first, first + 1});
    }
    for (const std::size_t frame : told)
      frames[frame].emplace_back(bends[bend].first, frame == now       ? 1 - of_second
                                                    : frame == now + 1 ? of_second
                                                                       : 0);
  }
  return frames;
}

}  // namespace hillock::models
