#pragma once
// All cells of a run that is to be gone back over at once, on a machine beside the host.

#include <cstddef>
#include <functional>
#include <memory>
#include <span>
#include <vector>

#include "mechanisms/load/private_cache.hpp"
#include "network/spikes.hpp"
#include "simulator/backends/engine.hpp"
#include "simulator/backends/taped/taped_cell.hpp"
#include "simulator/begin/begun_cell.hpp"
#include "simulator/plan/network/network_plan.hpp"

namespace hillock::simulator::taped {

class TapedBatch {
 public:
  virtual ~TapedBatch() = default;

  /// Once columns of samples are numbered: takes those of t = 0.
  virtual void start(std::span<const SampleBuffer> samples) = 0;
  /// Gives spikes, by cell.
  virtual std::vector<network::CellSpike> advance(Epoch epoch,
                                                  std::span<const SampleBuffer> samples) = 0;
  /// After the run: [cell] derivatives by what it began with. May be asked again.
  virtual std::vector<CellDerivatives> undo(std::span<const SampleDerivatives> samples) = 0;
  virtual std::size_t bytes() const = 0;  ///< of what is kept of steps
};

struct BatchOfCells {
  std::vector<const begin::BegunCell*> cells;
  std::vector<Adjoints> adjoints;  ///< [cell]
  const RunConstants& run;         ///< as the cells, outlives the batch
  std::size_t most_bytes = 0;      ///< of steps; those that do not fit are made again
  int threads = 1;
  mechanisms::Announce announce;
};
/// Throws UsageError where there is what such a machine does not derive, or too few bytes, and what
/// the machine throws.
using MakeBatch = std::function<std::unique_ptr<TapedBatch>(const BatchOfCells&)>;

/// Throws UsageError: all steps can be gone back over in no fewer bytes.
[[noreturn]] void refuse_bytes(std::int64_t steps, std::size_t least, std::size_t most);

}  // namespace hillock::simulator::taped
