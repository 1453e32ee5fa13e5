#pragma once
// The engine of a run that is to be gone back over: all cells, each by itself.

#include <cstdint>
#include <map>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "mechanisms/load/private_cache.hpp"
#include "network/inbox.hpp"
#include "simulator/backends/engine.hpp"
#include "simulator/backends/taped/taped_cell.hpp"
#include "simulator/begin/beginner.hpp"
#include "simulator/plan/network/network_plan.hpp"
#include "simulator/threads/activity.hpp"

namespace hillock::simulator::taped {

struct EngineOptions {
  int threads = 1;
  const begin::Beginner* beginner = nullptr;  ///< must not be null
  Activity* activity = nullptr;               ///< must not be null
  mechanisms::Announce announce;
  bool is_only_begun = false;  ///< its cells are looked at as they begin, and never run
  std::size_t most_tape_bytes = ~std::size_t{0};  ///< steps that do not fit are made again
};

class TapedEngine : public Engine {
 public:
  /// What it began with: of every range its cells, and weights by table and connection.
  struct Begun {
    std::vector<begin::BegunCell> cells;
    std::vector<std::vector<double>> weights;
    /// By what it is called, what the run depends on besides, and is not derived by.
    std::map<std::string, std::vector<double>> held;
  };
  virtual const std::vector<Begun>& begun() const = 0;
  /// By that: [range][cell]. samples: [recording]. After the run.
  virtual std::vector<std::vector<CellDerivatives>> undo(
      std::span<const SampleDerivatives> samples) = 0;
  /// Of what steps keep.
  virtual std::size_t tape_bytes() const = 0;
};

/// The plan must outlive it. Throws InvalidModel, and UsageError where the network has what is not
/// derived, by name.
std::unique_ptr<TapedEngine> make_engine(NetworkPlan& plan, const EngineOptions& options);

}  // namespace hillock::simulator::taped
