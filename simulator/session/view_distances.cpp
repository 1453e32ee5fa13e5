#include "simulator/session/view_distances.hpp"

#include <algorithm>
#include <cmath>

#include "io/page/spike_panel.hpp"
#include "network/positions.hpp"

namespace hillock::session {

namespace {

constexpr std::size_t distance_bins = 40;
constexpr double most_pairs = 2e8;

bool has_places(const models::Population& population) {
  return population.positions.kind != models::Positions::Kind::none;
}

}  // namespace

std::optional<io::Json> connected_by_distance(
    const models::Network& network, const models::Projection& projection,
    const std::vector<std::uint64_t>& targets,
    std::vector<std::pair<std::uint64_t, std::uint64_t>> pairs) {
  const models::PopulationSlice &from = projection.from, &to = projection.to;
  const double count = static_cast<double>(from.size()) * static_cast<double>(targets.size());
  if (!has_places(network.populations[from.population.value]) ||
      !has_places(network.populations[to.population.value]) || count == 0 || count > most_pairs)
    return std::nullopt;
  network::CellSet all;
  all.begin = from.begin;
  all.end = from.end;
  const auto sources = network::positions(network, from.population, all);
  std::vector<double> distances_um;
  std::vector<bool> are_connected;
  std::ranges::sort(pairs, {}, [](const auto& pair) { return std::pair(pair.second, pair.first); });
  auto pair = pairs.begin();
  for (const std::uint64_t target : targets) {
    const auto at = network::position_of(network, to.population, target);
    for (std::uint64_t source = from.begin; source < from.end; ++source) {
      while (pair != pairs.end() &&
             std::pair(pair->second, pair->first) < std::pair(target, source))
        ++pair;
      if (from.population == to.population && source == target) continue;
      double square = 0;
      for (std::size_t axis = 0; axis < 3; ++axis) {
        const double apart = sources[axis][source - from.begin] - at[axis];
        square += apart * apart;
      }
      distances_um.push_back(std::sqrt(square));
      are_connected.push_back(pair != pairs.end() && pair->second == target &&
                              pair->first == source);
    }
  }
  if (distances_um.empty()) return std::nullopt;
  const double farthest = *std::ranges::max_element(distances_um);
  io::page::Histogram connected;
  connected.width = farthest > 0 ? farthest / (distance_bins - 1) : 1;
  connected.counts.resize(distance_bins);
  std::vector<std::uint64_t> of_all(distance_bins);
  for (std::size_t i = 0; i < distances_um.size(); ++i) {
    const auto bin =
        std::min(distance_bins - 1, static_cast<std::size_t>(distances_um[i] / connected.width));
    ++of_all[bin];
    if (are_connected[i]) ++connected.counts[bin];
  }
  io::Json json = connected.to_json();
  json.add("of", of_all);
  return json;
}

}  // namespace hillock::session
