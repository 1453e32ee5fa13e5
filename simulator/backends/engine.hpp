#pragma once
// What runs cells, seen from the loop that drives it. One engine has all cells of one backend.

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "core/state_walk.hpp"
#include "models/report.hpp"
#include "network/spikes.hpp"
#include "simulator/backends/device_report.hpp"

namespace hillock::simulator {

/// Steps [first, last): during them no cell can affect another.
struct Epoch {
  std::int64_t first = 0;
  std::int64_t last = 0;
  bool is_saved = false;  ///< save() follows: nothing of the next step is begun
  /// Where the epoch after this one ends, unless this one is saved; `last` where none follows.
  std::int64_t next_last = 0;
};

/// Where an engine writes the samples of one epoch: rows × columns for each recording.
struct SampleBuffer {
  double* data = nullptr;
  std::size_t columns = 0;
  std::int64_t first_sample = 0;  ///< the sample in row 0
};

/// What an epoch gives.
struct EpochResult {
  network::SpikeLists spikes;         ///< an engine fills lists of its own
  std::vector<SampleBuffer> samples;  ///< [recording] where to write, set before the launch
};

/// The steps from t = 0 are cut into epochs of equal length; some end early, and the next one then
/// has the rest.
class Engine {
 public:
  virtual ~Engine() = default;

  /// So many steps an epoch may have where some delays are shorter: of an engine that has all cells
  /// and brings to them itself what arrives within an epoch. Before prepare(). Where all cells are
  /// point neurons it needs no spikes of launch() but those of a resumed run.
  virtual std::int64_t free_steps() const { return 0; }
  /// Before start(), once: how long epochs are, and the columns of every recording. An engine may
  /// begin its cells here. Throws solver::DeviceExhausted when a device has too little memory for
  /// the network.
  virtual void prepare(std::int64_t epoch_steps, std::span<const models::ReportLayout> reports) = 0;
  /// Sets voltages and states at t = 0, tests detectors, writes the samples of step 0. `result`
  /// stays with the engine until finish().
  virtual void start(EpochResult& result) = 0;
  /// What the ends of gap junctions give to other ranks, voltages and others, as it now is and as
  /// GapValues lists them. Of a network that has some, asked before prepare(), before every
  /// launch, whose epoch is one step, and before follow_gaps(). Stay until then. Not before a
  /// launch that comes after follow_gaps(), unless NetworkPlan::gaps_carry_variables: nothing is
  /// new.
  virtual std::span<const double> leaving_gap_values() const = 0;
  /// Those that come to this rank, for prepare(), the next launch or follow_gaps(); are copied.
  virtual void take_gap_values(std::span<const double> coming) = 0;
  /// Takes in the spikes of the whole network that were made since the last launch, as far as they
  /// are known, and begins to integrate an epoch; may return before it is done. `result` stays with
  /// the engine until finish().
  virtual void launch(Epoch epoch, std::span<const std::vector<network::CellSpike>> spikes,
                      EpochResult& result) = 0;
  /// Whether launch() returns when the epoch is done.
  virtual bool launch_waits() const { return false; }
  /// Of a network with NetworkPlan::states_follow_gaps, after every launch() and when the values of
  /// gap junctions at the step's end have been exchanged: takes the states that depend on them to
  /// the step's end.
  virtual void follow_gaps() = 0;
  /// Whether an epoch may be launched while the one before is under way, unless that is saved.
  virtual bool takes_two() const { return false; }
  /// Waits until what was launched first is done. Throws NumericalFailure when a voltage stops
  /// being finite.
  virtual void finish() = 0;

  /// Everything of its cells that has changed since the start but the spikes that are on their
  /// way, after an epoch with is_saved. Cells are in the order of their indices.
  virtual State save() = 0;
  /// After start(): goes on from what was saved of its cells at the end of the epoch before
  /// `first_step`, in whatever parts by however many threads and ranks; of other cells it reads
  /// nothing. The next launch gets every spike that may still be on its way, and some more. Throws
  /// StateMismatch.
  virtual void restore(StateReader& state, std::int64_t first_step) = 0;

  /// How many groups of cells it runs one after the other.
  virtual std::size_t group_count() const = 0;
  /// Bytes of state, and of connections.
  virtual std::size_t state_bytes() const = 0;
  virtual std::size_t connection_bytes() const = 0;
  /// What the network comes to on a GPU; empty of an engine that has none.
  virtual DeviceReport on_device() const { return {}; }
};

}  // namespace hillock::simulator
