#pragma once
// `v_init: rest`: the voltages at which cells stay when nothing happens to them.

#include <functional>
#include <string>

#include "mechanisms/registry.hpp"
#include "models/network.hpp"
#include "simulator/plan/network/population_cells.hpp"
#include "simulator/threads/activity.hpp"

namespace hillock::simulator {

struct RestOptions {
  int threads = 1;
  Activity* activity = nullptr;  ///< must not be null
  std::function<void(const std::string& line)> announce;
};

/// Runs the first cell of each population that begins at rest alone, on the CPU, without
/// connections and stimuli, until its voltage stays. Empty where no cell begins there. The same for
/// any number of threads, on any rank. Throws InvalidModel where a cell finds no rest, and
/// NumericalFailure. docs/decisions/0034 says what counts as rest.
Rest find_rest(const models::Network& network, const mechanisms::Registry& mechanisms,
               const RestOptions& options);

}  // namespace hillock::simulator
