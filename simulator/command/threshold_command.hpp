#pragma once
// `hillock threshold`: how strong something must be so that cells spike, or stop.

#include <string>
#include <vector>

#include "simulator/command/process/loaded_model.hpp"
#include "simulator/session/thresholds.hpp"

namespace hillock::command {

struct ThresholdOptions {
  ModelOptions model;
  session::ThresholdWish wish;
  std::vector<std::string> values;  ///< "stimuli.0.field.waveform.duration=0.1ms,0.2ms"
  simulator::BackendWish backend = simulator::BackendWish::automatic;
  int threads = 0;  ///< 0: one a core
  bool as_json = false;
  std::string output;  ///< a CSV file; empty: none
};

/// Prints a table, or JSON, and writes the file. Throws as find_thresholds().
void show_thresholds(const ThresholdOptions& options);

}  // namespace hillock::command
