#pragma once
// A short piece of a run, and what it says of the whole.

#include <functional>

#include "models/network.hpp"
#include "simulator/loop/simulation.hpp"

namespace hillock::command {

struct Trial {
  bool is_whole = false;       ///< the run ended before the trial did
  double ms = 0;               ///< biological time that was run
  double wall_s = 0;           ///< that it took, without setting up
  double measured_ms = 0;      ///< of `ms`, behind the warm-up
  double ms_per_s = 0;         ///< there, or of the whole
  double mean_rate_hz = 0;     ///< spikes of a cell, all of the trial
  double initialise_s = 0;     ///< before the first step
  double estimated_run_s = 0;  ///< of all steps; what the run took where it is_whole
};

/// Runs a network from its beginning for about two seconds, of which the first fifth is not
/// measured, or to its end. Nothing is written. heard: told after each epoch; may throw. Throws as
/// Simulation::run().
Trial try_run(simulator::Simulation& simulation, const models::Run& run,
              const std::function<void(const simulator::Progress&)>& heard);

}  // namespace hillock::command
