#pragma once
// hillock run: simulate a model and write its output directory.

#include <cstdint>
#include <map>
#include <string>

#include "simulator/command/process/loaded_model.hpp"
#include "simulator/command/run/checkpoints.hpp"
#include "simulator/loop/backend_choice.hpp"

namespace hillock::command {

struct RunOptions {
  ModelOptions model;
  std::string output;  ///< empty: <model>.out
  simulator::BackendWish backend = simulator::BackendWish::automatic;
  int threads = 0;  ///< 0: as many as there are cores
  std::int64_t most_epoch_steps = 400;
  int side_by_side = 0;  ///< cells on the CPU; 0: what suits
  double flush_interval_s = 5;
  network::ExchangeKind exchange = network::ExchangeKind::automatic;  ///< of several ranks
  simulator::Overlap overlap = simulator::Overlap::automatic;
  std::string trace;  ///< a file; empty: none
  CheckpointOptions checkpoints;
  bool resume = false;  ///< where the directory has a run that was saved
  bool force = false;
  bool ignores_memory = false;  ///< runs what is expected not to fit, too
  bool json = false;
  bool quiet = false;
  std::map<std::string, std::string> as_given;  ///< for run.json
};

/// On as many ranks as join_ranks() has joined: what fails on one of several throws RankFailed on
/// all. Throws UsageError, InvalidModel, InputOutputError, NumericalFailure, Interrupted,
/// TooLarge, solver::DeviceError.
void run_model(const RunOptions& options);

}  // namespace hillock::command
