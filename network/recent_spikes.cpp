#include "network/recent_spikes.hpp"

#include <algorithm>
#include <utility>

namespace hillock::network {

namespace {

constexpr const char* column = "spikes/time";

}  // namespace

void RecentSpikes::add(std::span<const std::vector<CellSpike>> spikes, double now_ms) {
  while (!kept_.empty() && has_arrived(kept_.front().latest_ms, now_ms)) kept_.pop_front();
  Some some;
  for (const auto& list : spikes) some.spikes.insert(some.spikes.end(), list.begin(), list.end());
  if (some.spikes.empty()) return;
  some.latest_ms = std::ranges::max(some.spikes).time_ms;
  kept_.push_back(std::move(some));
}

void RecentSpikes::save(State& state, const models::Network& network,
                        std::span<const std::vector<CellSpike>> more, double now_ms) const {
  std::vector<CellSpike> all;
  for (const Some& some : kept_) all.insert(all.end(), some.spikes.begin(), some.spikes.end());
  for (const auto& list : more) all.insert(all.end(), list.begin(), list.end());
  std::erase_if(all, [&](const CellSpike& spike) { return has_arrived(spike.time_ms, now_ms); });
  std::ranges::sort(
      all, {}, [](const CellSpike& spike) { return std::pair(spike.cell.value, spike.time_ms); });
  const std::vector<CellId> first_cells = network.first_cells();
  StateWalk walk(state);
  auto at = all.begin();
  for (std::uint32_t p = 0; p < network.populations.size(); ++p) {
    const std::string& population = network.populations[p].name;
    if (!state.of_cells().contains(population)) continue;
    const std::uint64_t first = first_cells[p].value;
    const CellIndices& cells = walk.begin_all(population);
    walk.column(column, [&](std::size_t c) {
      while (at != all.end() && at->cell.value < first + cells[c]) ++at;
      for (; at != all.end() && at->cell.value == first + cells[c]; ++at) walk.number(at->time_ms);
    });
  }
}

std::vector<CellSpike> RecentSpikes::restore(StateReader& state, const models::Network& network) {
  const std::vector<CellId> first_cells = network.first_cells();
  StateWalk walk(state);
  std::vector<CellSpike> all;
  for (std::uint32_t p = 0; p < network.populations.size(); ++p) {
    const std::uint64_t first = first_cells[p].value;
    const CellIndices& cells = walk.begin_all(network.populations[p].name);
    walk.column(column, [&](std::size_t c) {
      while (walk.left() > 0)
        walk.number(all.emplace_back(CellSpike{0, CellId(first + cells[c])}).time_ms);
    });
  }
  std::ranges::sort(all);
  return all;
}

}  // namespace hillock::network
