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
#include "network/spikes.hpp"
#include "simulator/backends/engine.hpp"
#include "simulator/backends/taped/taped_batch.hpp"
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
  MakeBatch make_batch = {};                      ///< who has the cells; empty: threads of the host
};

class TapedEngine : public Engine {
 public:
  /// The connections of a projection onto a range, or of a stimulus's trains; sources and targets
  /// are cells of the network, of trains the range's.
  struct Connections {
    std::uint32_t projection = 0;  ///< its number in the model, or the stimulus's
    std::vector<std::uint64_t> sources, targets, instances;
    std::vector<double> weights, delays_ms;
  };
  /// What a range began with.
  struct Begun {
    std::vector<begin::BegunCell> cells;
    std::vector<Connections> tables;  ///< of projections, then of stimuli
    std::size_t projections = 0;      ///< so many are of these
    std::vector<network::DrivenCell> trains;
    /// By what it is called, what the run depends on besides, and is not derived by.
    std::map<std::string, std::vector<double>> held;
  };
  virtual const std::vector<Begun>& begun() const = 0;
  /// By that.
  struct RangeDerivatives {
    std::vector<CellDerivatives> cells;
    std::vector<std::vector<double>> weights, delays_ms;  ///< [table][connection]
    std::vector<std::vector<double>> arrivals_ms;         ///< [train][event] of those that arrived
  };
  /// What a spike that the run made is derived by.
  struct SpikeDerivative {
    network::CellSpike spike;
    double by_ms;
  };
  /// samples: [recording]. After the run.
  virtual std::vector<RangeDerivatives> undo(std::span<const SampleDerivatives> samples,
                                             std::span<const SpikeDerivative> spikes) = 0;
  /// As its cells see them.
  virtual const RunConstants& run() const = 0;
  /// Of what steps keep.
  virtual std::size_t tape_bytes() const = 0;
  /// What that comes to where all steps are kept, and where as few as can be are. Before the run.
  struct TapeBounds {
    std::size_t most_bytes, least_bytes;
  };
  virtual TapeBounds tape_bounds() const = 0;
};

/// The plan must outlive it. Throws InvalidModel, and UsageError where the network has what is not
/// derived, by name.
std::unique_ptr<TapedEngine> make_engine(NetworkPlan& plan, const EngineOptions& options);

}  // namespace hillock::simulator::taped
