#pragma once
// How strong something must be so that cells spike, or stop: many cells at once, in some fifteen
// runs. For the command and for Python.

#include <functional>
#include <limits>
#include <optional>
#include <string>
#include <vector>

#include "core/errors/diagnostics.hpp"
#include "simulator/loop/backend_choice.hpp"
#include "simulator/session/loaded_model.hpp"
#include "simulator/session/threshold_search.hpp"

namespace hillock::session {

/// What is looked for.
struct ThresholdWish {
  /// The path of a value that may vary from cell to cell: "stimuli.0.field.scale". Its numbers are
  /// in the base unit of what it is.
  std::string scale;
  std::string population;
  ThresholdSearch::Bounds bounds;
  std::optional<std::string> spikes_at;  ///< where spikes count: else where the cell's detector is
  bool block = false;  ///< the least with which a cell does not spike, that spikes without
  double from_ms = 0, until_ms = std::numeric_limits<double>::infinity();  ///< when spikes count
};

struct Thresholds {
  std::vector<double> of_cells;  ///< [cell of the population] as ThresholdSearch::found()
  int runs = 0;
  std::vector<Diagnostic> warnings;  ///< of the model
  simulator::BackendChoice ran_on;   ///< of the last run
};

/// Who runs it. heard: after each epoch; may throw to stop.
struct ThresholdRuns {
  simulator::BackendWish backend = simulator::BackendWish::automatic;
  int threads = 0;  ///< 0: one a core
  Listener listener;
  std::function<void()> heard = [] {};
  /// How many numbers of a cell are tried at once on a GPU; 0: as many as take about as long as
  /// one.
  int tries = 0;
};

/// Throws what reading and running throw; UsageError where the population is none, or its cells are
/// connected, since each is looked for by itself.
Thresholds find_thresholds(const ModelSource& source, const ThresholdWish& wish,
                           const ThresholdRuns& runs);

}  // namespace hillock::session
