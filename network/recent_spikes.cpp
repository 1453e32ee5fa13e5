#include "network/recent_spikes.hpp"

#include <algorithm>
#include <utility>

namespace hillock::network {

namespace {

constexpr const char* times_column = "spikes/time";
constexpr const char* cells_column = "spikes/cell";

}  // namespace

void RecentSpikes::add(std::span<const std::vector<CellSpike>> spikes, double now_ms) {
  while (!kept_.empty() && has_arrived(kept_.front().latest_ms, now_ms)) kept_.pop_front();
  Some some;
  for (const auto& list : spikes) some.spikes.insert(some.spikes.end(), list.begin(), list.end());
  if (some.spikes.empty()) return;
  some.latest_ms = std::ranges::max(some.spikes).time_ms;
  kept_.push_back(std::move(some));
}

void RecentSpikes::save(State& state, std::span<const std::vector<CellSpike>> more,
                        double now_ms) const {
  std::vector<CellSpike> all;
  for (const Some& some : kept_) all.insert(all.end(), some.spikes.begin(), some.spikes.end());
  for (const auto& list : more) all.insert(all.end(), list.begin(), list.end());
  std::erase_if(all, [&](const CellSpike& spike) { return has_arrived(spike.time_ms, now_ms); });
  std::ranges::sort(all);
  StateColumn &times = state[times_column], &cells = state[cells_column];
  for (const CellSpike& spike : all) {
    times.put(spike.time_ms);
    cells.put_count(spike.cell.value);
  }
}

std::vector<CellSpike> RecentSpikes::restore(StateReader& state) {
  StateReader::Column &times = state[times_column], &cells = state[cells_column];
  std::vector<CellSpike> all;
  while (!times.is_at_end()) {
    const double time_ms = times.take();
    all.push_back({time_ms, CellId(cells.take_count())});
  }
  return all;
}

}  // namespace hillock::network
