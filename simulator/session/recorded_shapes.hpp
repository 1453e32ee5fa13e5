#pragma once
// What a run's files say of its populations besides what was recorded: whose spikes, which shapes,
// where cells lie.

#include <vector>

#include "io/run/run_directory.hpp"
#include "models/network.hpp"
#include "models/report.hpp"

namespace hillock::session {

/// All populations of a network, with the cells whose spikes are recorded.
std::vector<io::RunPopulation> populations_of(const models::Network& network);

/// The reports of a network's recordings, in their order, each with the shape of its cells where
/// they share one and what is recorded lies on it.
std::vector<models::ReportLayout> with_shapes(const models::Network& network,
                                              std::vector<models::ReportLayout> reports);

/// Cells that a page has room for, of all populations together.
inline constexpr std::uint64_t most_placed = 20'000;

/// Where cells of these lie, by their names in the output: of those that have positions, so many of
/// all together, every so many-th.
std::vector<models::CellPlaces> places_of(const models::Network& network,
                                          const std::vector<std::string>& populations);

}  // namespace hillock::session
